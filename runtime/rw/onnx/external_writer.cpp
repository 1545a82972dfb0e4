#include "rw/onnx/external_writer.h"

#include "rw/onnx/exporter_impl.h"
#include "rw/onnx/external_data.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>

namespace rw::onnxio {
namespace fs = std::filesystem;
namespace {
/// The elements where the message has them as a file would; none where they are spread over fields of another width.
std::optional<std::string_view> bytesIn(const onnx::TensorProto &t) {
  auto view = [](const auto &field) {
    return std::string_view(reinterpret_cast<const char *>(field.data()), size_t(field.size()) * sizeof(*field.data()));
  };
  if (t.has_raw_data())
    return t.raw_data();
  switch (t.data_type()) {
  case onnx::TensorProto::FLOAT:
  case onnx::TensorProto::COMPLEX64:
    return view(t.float_data());
  case onnx::TensorProto::DOUBLE:
  case onnx::TensorProto::COMPLEX128:
    return view(t.double_data());
  case onnx::TensorProto::INT64:
    return view(t.int64_data());
  case onnx::TensorProto::UINT64:
    return view(t.uint64_data());
  case onnx::TensorProto::INT32:
    return view(t.int32_data());
  default:
    return std::nullopt;
  }
}
} // namespace

ExternalWriter::ExternalWriter(const OnnxModel::Rest &rest, const std::string &path,
                               const OnnxModel::ExternalData &wanted)
    : rest_(rest), wanted_(wanted), model_(path), path_((fs::path(path).parent_path() / wanted.file).string()) {}

bool ExternalWriter::fail(Diagnostics &diags, std::string why) const {
  diags.errorInFile("onnx-external", path_, "cannot be written: " + std::move(why));
  return false;
}

/// Also by another name: a link, or another spelling of the folder.
static bool isSameFile(const fs::path &a, const fs::path &b) {
  std::error_code failed;
  return fs::weakly_canonical(a, failed) == fs::weakly_canonical(b, failed);
}

const onnx::ModelProto *ExternalWriter::write(const onnx::ModelProto &whole, Diagnostics &diags) {
  if (wanted_.file.find_first_of("/\\") != std::string::npos || wanted_.file == "." || wanted_.file == "..") {
    diags.errorInFile("onnx-external", wanted_.file, "tensors go to a file beside the model: a name without a folder");
    return nullptr;
  }
  if (isSameFile(path_, model_)) {
    fail(diags, "this is the file of the model itself; choose another name for the tensors");
    return nullptr;
  }
  if (isExternalFile(rest_, path_)) {
    fail(diags, "this file holds tensors of the model that was read, which would be lost; choose another name");
    return nullptr;
  }
  if (Result<void> opened = file_.open(path_); !opened) {
    fail(diags, opened.error());
    return nullptr;
  }
  copyFieldsExcept(whole, light_, {onnx::ModelProto::kGraphFieldNumber});
  onnx::GraphProto &graph = *light_.mutable_graph();
  copyFieldsExcept(whole.graph(), graph, {onnx::GraphProto::kInitializerFieldNumber});
  for (const onnx::TensorProto &t : whole.graph().initializer())
    if (!tensor(t, *graph.add_initializer(), diags))
      return nullptr;
  return &light_;
}

bool ExternalWriter::tensor(const onnx::TensorProto &from, onnx::TensorProto &to, Diagnostics &diags) {
  if (from.data_location() == onnx::TensorProto::EXTERNAL)
    return copyStored(from, to, diags);
  std::optional<std::string_view> bytes = from.has_segment() ? std::nullopt : bytesIn(from);
  if (!bytes || bytes->empty() || bytes->size() < wanted_.leastBytes) {
    to.CopyFrom(from);
    return true;
  }
  using T = onnx::TensorProto;
  copyFieldsExcept(from, to,
                   {T::kRawDataFieldNumber, T::kFloatDataFieldNumber, T::kDoubleDataFieldNumber,
                    T::kInt64DataFieldNumber, T::kUint64DataFieldNumber, T::kInt32DataFieldNumber});
  place(to, bytes->size());
  file_.write(*bytes);
  return true;
}

/// Says where the next bytes will be, behind a gap: engines map large tensors, and these begin at a page.
void ExternalWriter::place(onnx::TensorProto &to, uint64_t length) {
  constexpr uint64_t kLarge = 64 * 1024, kPage = 4096, kSmall = 64;
  const uint64_t unit = length < kLarge ? kSmall : kPage, gap = (unit - at_ % unit) % unit;
  file_.write(std::string(gap, '\0'));
  at_ += gap;
  to.set_data_location(onnx::TensorProto::EXTERNAL);
  to.clear_external_data();
  auto add = [&](const char *key, std::string value) {
    onnx::StringStringEntryProto &entry = *to.add_external_data();
    entry.set_key(key);
    entry.set_value(std::move(value));
  };
  add("location", wanted_.file);
  add("offset", std::to_string(at_));
  add("length", std::to_string(length));
  at_ += length;
}

/// From the file that it is in, piece by piece: it may be larger than memory.
bool ExternalWriter::copyStored(const onnx::TensorProto &from, onnx::TensorProto &to, Diagnostics &diags) {
  constexpr uint64_t kPiece = 4 << 20;
  const auto [location, offset, length] = placeOf(from);
  to.CopyFrom(from);
  std::ifstream in(fs::path(rest_.path).parent_path() / location.c_str(), std::ios::binary);
  if (!rest_.onDisk || !in.seekg(std::streamoff(offset)))
    return fail(diags, fmt::format("the tensor {} is in {}, which is not there or cannot be read",
                                   inBackticks(from.name()), inBackticks(location)));
  place(to, length);
  std::string piece;
  for (uint64_t left = length; left;) {
    piece.resize(size_t(std::min(left, kPiece)));
    if (!in.read(piece.data(), std::streamsize(piece.size())))
      return fail(diags,
                  fmt::format("the tensor {} is not whole in {}", inBackticks(from.name()), inBackticks(location)));
    file_.write(piece);
    left -= piece.size();
  }
  return true;
}

bool ExternalWriter::commit(Diagnostics &diags) {
  Result<void> written = file_.commit();
  return written || fail(diags, written.error());
}

} // namespace rw::onnxio

namespace rw {
using namespace onnxio;

std::optional<OnnxModel> readTensors(const OnnxModel &model, const OpRegistry &ops, Diagnostics &diags) {
  const OnnxModel::Rest &rest = *model.rest();
  onnx::ModelProto &proto = *rest.proto;
  auto fail = [&](const onnx::TensorProto &t, std::string why) {
    diags.errorInFile("onnx-external", rest.path, fmt::format("the tensor {} {}", inBackticks(t.name()), why));
    return std::nullopt;
  };
  // first all: the model stays as it is if one is not there
  std::vector<std::pair<onnx::TensorProto *, std::string>> read;
  for (onnx::TensorProto &t : *proto.mutable_graph()->mutable_initializer()) {
    if (t.data_location() != onnx::TensorProto::EXTERNAL)
      continue;
    const auto [location, offset, length] = placeOf(t);
    std::ifstream in(fs::path(rest.path).parent_path() / location.c_str(), std::ios::binary);
    if (!rest.onDisk || !in.seekg(std::streamoff(offset)))
      return fail(t, "is in " + inBackticks(location) + ", which is not there or cannot be read");
    if (length > kMostModelBytes)
      return fail(t, fmt::format("takes {} bytes, more than a tensor in a model can", length));
    std::string &bytes = read.emplace_back(&t, std::string(size_t(length), '\0')).second;
    if (!in.read(bytes.data(), std::streamsize(length)))
      return fail(t, "is not whole in " + inBackticks(location));
  }
  for (auto &[tensor, bytes] : read) {
    tensor->set_raw_data(std::move(bytes));
    tensor->clear_external_data();
    tensor->clear_data_location();
  }
  std::optional<OnnxModel> whole =
      modelFrom(rest.proto, true, rest.path, rest.onDisk, ops, diags, MissingFiles::Warning);
  if (whole) {
    whole->externalData = model.externalData;
    whole->writesMeanings = model.writesMeanings;
  }
  return whole;
}

} // namespace rw
