// The messages of a model from its program.
//
// In:  a model. Out: a ModelProto; what did not change is taken from the message that was read, by the names of values:
//      fields of ops that the program does not hold, the order of attributes and initializers, tensors with the fields
//      they are stored in. Large parts are lent, not copied: the result is valid while the exporter and the model are.
// Elsewhere: names are name_plan.h; files are writer.cpp.
#pragma once

#include "rw/onnx/name_plan.h"
#include "rw/onnx/op_kinds.h"

#include <google/protobuf/message.h>

#include <functional>
#include <map>
#include <unordered_set>

namespace rw::onnxio {

class Exporter {
public:
  Exporter(OnnxModel &model, Diagnostics &diags);
  ~Exporter(); ///< takes back what was lent
  Exporter(const Exporter &) = delete;

  /// Null, with diagnostics, if the program holds what ONNX cannot say.
  const onnx::ModelProto *run();

private:
  struct Graph; // one graph while it is written

  bool graph(RegionId, Graph &, unsigned depth);
  void inputs(Graph &);
  bool initializers(Graph &);
  bool ops(Graph &, unsigned depth);
  bool writeOutputs(Graph &);
  void valueInfo(Graph &);
  void newValueInfo(Graph &);
  void replaceKnownLabels();
  void writeInfo(const onnx::ValueInfoProto *origin, StringId name, TypeId, onnx::ValueInfoProto &out);
  void tensor(const onnx::TensorProto *origin, StringId name, AttrId, onnx::GraphProto &out);
  bool kept(Op, Graph &);

  AttrId constantResult(ValueId) const;
  bool onlyCopied(Op, RegionId) const;
  bool op(Op, Graph &, unsigned depth);
  bool unchanged(Op, const onnx::NodeProto &origin);
  bool typeOfOp(Op, const onnx::NodeProto *origin, onnx::NodeProto &out);
  void operandsAndResults(Op, const onnx::NodeProto *origin, onnx::NodeProto &out);
  bool attributes(Op, const onnx::NodeProto *origin, onnx::NodeProto &out, unsigned depth);
  bool attribute(Op, const onnx::AttributeProto *origin, std::string_view name, AttrId, onnx::NodeProto &out);
  bool nested(Op, const std::string &name, const onnx::AttributeProto *origin, onnx::NodeProto &out, unsigned depth);
  std::vector<std::string> regionNames(Op);
  const onnx::NodeProto *originOf(Op, const Graph &) const;

  std::string describe(Op) const;
  bool error(const char *tag, std::string message);
  template <class T> void lend(google::protobuf::RepeatedPtrField<T> &to, const T &message);

  OnnxModel &model_;
  OnnxModel::Rest &rest_;
  Function &fn_;
  Context &ctx_;
  Diagnostics &diags_;
  OpKinds kinds_;
  NamePlan names_;
  onnx::ModelProto out_; // what is lent is taken out before it goes
  std::unordered_set<const void *> lent_;
  std::vector<std::function<void()>> takeBack_;
  // What stood beside lent messages. It may hold fields with lent messages itself, so it goes when all are taken back.
  std::vector<std::unique_ptr<google::protobuf::Message>> released_;
  std::unordered_set<const void *> lentTo_;
  bool edited_ = false; // some op is not what it was
  std::vector<std::pair<onnx::ValueInfoProto *, TypeId>> recorded_; // records that are as they were, and what is known now
  std::unordered_set<uint32_t> written_; // names of all values of the result
  std::map<std::string, int> newDomains_; // of ops that the model did not have, and the version they need
};

} // namespace rw::onnxio
