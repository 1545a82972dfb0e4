// Tensors of a model that is written go to a file beside it.
//
// In:  the message of the whole model; where it goes, and from which size on a tensor leaves it.
// Out: a message without the bytes of these tensors, which says where they are, and the file with them, not committed
//      yet. Tensors that were in files beside the model that was read go to the new one as well, read piece by piece,
//      so that the result needs no other file.
// Elsewhere: reading what lies in such files is external_data.h; the model's own file is written by writer.cpp.
//
//   ExternalWriter writer(rest, path, model.externalData);
//   const onnx::ModelProto *light = writer.write(whole, diags);
//   if (light && writer.commit(diags)) …
#pragma once

#include "rw/onnx/proto.h"
#include "rw/support/atomic_file.h"

namespace rw::onnxio {

class ExternalWriter {
public:
  ExternalWriter(const OnnxModel::Rest &rest, const std::string &path, const OnnxModel::ExternalData &);

  /// Null and a diagnostic if that cannot be.
  const onnx::ModelProto *write(const onnx::ModelProto &whole, Diagnostics &);
  bool commit(Diagnostics &);

private:
  bool tensor(const onnx::TensorProto &from, onnx::TensorProto &to, Diagnostics &);
  bool copyStored(const onnx::TensorProto &from, onnx::TensorProto &to, Diagnostics &);
  void place(onnx::TensorProto &to, uint64_t length);
  bool fail(Diagnostics &, std::string why) const;

  const OnnxModel::Rest &rest_;
  const OnnxModel::ExternalData &wanted_;
  std::string model_, path_; // of the model, of the data
  AtomicFile file_;
  uint64_t at_ = 0;
  onnx::ModelProto light_;
};

} // namespace rw::onnxio
