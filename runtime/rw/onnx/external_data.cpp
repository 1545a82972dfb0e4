#include "rw/onnx/external_data.h"

#include "rw/support/failure.h"

#include <charconv>
#include <filesystem>
#include <fstream>
#include <limits>

namespace rw::onnxio {
namespace fs = std::filesystem;
namespace {

/// Whether a path, as it is written, leads out of the folder it is relative to.
bool leavesFolder(std::string_view path) {
  if (path.starts_with('/') || path.starts_with('\\') || (path.size() > 1 && path[1] == ':'))
    return true;
  int depth = 0;
  for (size_t at = 0; at <= path.size();) {
    size_t end = std::min(path.find_first_of("/\\", at), path.size());
    std::string_view part = path.substr(at, end - at);
    if (part == "..")
      --depth;
    else if (!part.empty() && part != ".")
      ++depth;
    if (depth < 0)
      return true;
    at = end + 1;
  }
  return false;
}

/// Whether `file` lies below `folder`; both canonical.
bool isBelow(const fs::path &file, const fs::path &folder) {
  auto [end, rest] = std::mismatch(folder.begin(), folder.end(), file.begin(), file.end());
  return end == folder.end() && rest != file.end();
}

/// Whether a file lies below the folder of the model, or below that of what the model's name is a link to.
bool isBeside(const std::string &model, const fs::path &file) {
  std::error_code failed;
  fs::path real = fs::weakly_canonical(file, failed);
  fs::path folder = fs::path(model).parent_path();
  if (isBelow(real, fs::canonical(folder.empty() ? "." : folder, failed)))
    return true;
  fs::path target = fs::canonical(model, failed);
  return !failed && isBelow(real, target.parent_path());
}

/// A number of bytes as the format writes it: decimal digits.
bool readBytes(const std::string &text, uint64_t &out) {
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  return error == std::errc() && end == text.data() + text.size() &&
         out <= uint64_t(std::numeric_limits<int64_t>::max());
}

std::string outside(const std::string &location) {
  return "keeps its data in " + onnxio::inBackticks(location) +
         ", outside the folder of the model; move the file there";
}

/// Why the elements of a model cannot be in a file; its size, if they can.
std::string fileFault(const std::string &model, const std::string &location, uint64_t &size) {
  fs::path file = fs::path(model).parent_path() / location.c_str(); // up to a NUL, as engines read it
  if (fs::path(location).is_absolute() || (leavesFolder(location) && !isBeside(model, file)))
    return outside(location);
  std::error_code failed;
  fs::file_status status = fs::status(file, failed);
  size = kMissingFile;
  if (!fs::exists(status))
    return {};
  if (!isBeside(model, file))
    return outside(location);
  if (!fs::is_regular_file(status))
    return "keeps its data in " + onnxio::inBackticks(location) + ", which is no file";
  size = fs::file_size(file, failed);
  return failed ? "keeps its data in " + onnxio::inBackticks(location) + ", which cannot be read" : std::string();
}

} // namespace

Result<void> checkExternal(OnnxModel::Rest &rest, const onnx::TensorProto &tensor, std::optional<uint64_t> bytes) {
  std::string location;
  uint64_t offset = 0, length = 0;
  bool hasLength = false;
  for (const onnx::StringStringEntryProto &entry : tensor.external_data()) {
    if (entry.key() == "location")
      location = entry.value();
    if ((entry.key() == "offset" && !readBytes(entry.value(), offset)) ||
        (entry.key() == "length" && !readBytes(entry.value(), length)))
      return failure("keeps its data in another file, with the {} {}, which is no number of bytes", entry.key(),
                     onnxio::inBackticks(entry.value()));
    hasLength |= entry.key() == "length";
  }
  if (location.empty())
    return failure("keeps its data in another file, and does not say in which; give it a location");
  if (hasLength && bytes && length != *bytes)
    return failure("takes {} bytes, but keeps {} in {}", *bytes, length, onnxio::inBackticks(location));
  if (!rest.onDisk) {
    if (leavesFolder(location))
      return Failure{outside(location)};
    rest.external.emplace(location, kMissingFile);
    return {};
  }
  auto known = rest.external.find(location);
  if (known == rest.external.end()) {
    uint64_t size = 0;
    if (std::string fault = fileFault(rest.path, location, size); !fault.empty())
      return Failure{std::move(fault)};
    known = rest.external.emplace(location, size).first;
  }
  uint64_t size = known->second, end = offset + (hasLength ? length : bytes.value_or(0));
  if (size != kMissingFile && end > size)
    return failure("keeps its data in {} up to byte {}; the file ends at {}", onnxio::inBackticks(location), end, size);
  return {};
}

/// `length` bytes of a file from `offset` on.
static std::optional<std::string> readPart(const fs::path &file, uint64_t offset, uint64_t length) {
  std::ifstream in(file, std::ios::binary);
  std::string bytes(length, '\0');
  if (!in.seekg(std::streamoff(offset)) || !in.read(bytes.data(), std::streamsize(length)))
    return std::nullopt;
  return bytes;
}

ExternalPlace placeOf(const onnx::TensorProto &t) {
  ExternalPlace place;
  place.length = bytesInFile(t, dtypeOf(t.data_type())).value_or(0);
  for (const onnx::StringStringEntryProto &entry : t.external_data()) // import has seen that they can be
    if (entry.key() == "location")
      place.location = entry.value();
    else if (entry.key() == "offset")
      readBytes(entry.value(), place.offset);
    else if (entry.key() == "length" && !place.length)
      readBytes(entry.value(), place.length);
  return place;
}

bool isExternalFile(const OnnxModel::Rest &rest, const std::string &path) {
  std::error_code failed;
  for (const auto &[location, size] : rest.external)
    if (fs::equivalent(fs::path(rest.path).parent_path() / location.c_str(), path, failed) && !failed)
      return true;
  return false;
}

} // namespace rw::onnxio

namespace rw {
using namespace onnxio;

bool hasTensorsIn(const OnnxModel &model, const std::string &path) { return isExternalFile(*model.rest(), path); }

Result<std::string> readStored(const OnnxModel &model, Op op) {
  constexpr uint64_t kMost = uint64_t(1) << 30;
  const OnnxModel::Rest &rest = *model.rest();
  Context &ctx = op.context();
  AttrId bytes = op.extraAttr(kTensorAttr), sparse = op.extraAttr("sparse");
  onnx::TensorProto t;
  std::string name = onnxio::inBackticks(op.resultCount() ? ctx.text(op.fn->valueName(op.result().id)) : "");
  const Failure unread = failure("the initializer {} is stored in a form that is not evaluated", name);
  if (op.fullName() != kKeptInitializer || !bytes || !sparse || ctx.attr(sparse).i ||
      !t.ParseFromArray(ctx.attr(bytes).text.data(), int(ctx.attr(bytes).text.size())) || t.has_segment())
    return unread;
  if (t.data_location() != onnx::TensorProto::EXTERNAL) {
    if (!t.has_raw_data())
      return unread;
    return t.raw_data();
  }
  const auto [location, offset, length] = placeOf(t);
  if (length > kMost)
    return failure("the initializer {} takes {} bytes of {}, more than is read", name, length,
                   onnxio::inBackticks(location));
  if (!rest.onDisk)
    return failure("the initializer {} is in {}, which is looked for beside the model, and the model came from no file",
                   name, onnxio::inBackticks(location));
  std::optional<std::string> part = readPart(fs::path(rest.path).parent_path() / location.c_str(), offset, length);
  if (!part)
    return failure("the initializer {} is in {}, which is not there or cannot be read", name,
                   onnxio::inBackticks(location));
  return *std::move(part);
}

} // namespace rw
