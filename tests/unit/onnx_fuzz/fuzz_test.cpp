// Damaged models through all of the tool: read with every declared op, verified, optimised, written, read again. Each
// step says no with one diagnostic or goes on; what was optimised and written can be read again.
//
// For a long run, best under sanitizers: RW_FUZZ_ROUNDS=1000 RW_FUZZ_SEED=7 unit_onnx_fuzz
#include "rw/builtin.h"
#include "rw/infer/infer_shapes.h"
#include "rw/interp/constant_folder.h"
#include "rw/ir/verifier.h"
#include "rw/onnx/onnx.h"
#include "rw/passes/pass_manager.h"

#include <onnx/onnx_pb.h>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>

using namespace rw;
namespace fs = std::filesystem;
namespace pb = google::protobuf;

namespace {
using Random = std::mt19937;
size_t below(Random &random, size_t n) { return n ? random() % n : 0; }

Registry &registry() {
  static Registry r;
  static bool filled = (registerAll(r), true);
  (void)filled;
  return r;
}

size_t numberFrom(const char *variable, size_t otherwise) {
  const char *text = std::getenv(variable);
  return text ? size_t(std::strtoull(text, nullptr, 10)) : otherwise;
}

std::vector<std::string> models() {
  std::vector<std::string> paths;
  constexpr uintmax_t kLargest = 20'000; // large ones are slow and hold no other messages
  for (const char *folder : {RW_SOURCE_DIR "/tests/models", "/usr/share/libonnx-testdata/data"}) {
    std::error_code ignored;
    for (fs::recursive_directory_iterator it(folder, ignored), end; it != end; it.increment(ignored))
      if (it->path().extension() == ".onnx" && it->file_size(ignored) < kLargest)
        paths.push_back(it->path().string());
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

std::string readAll(const std::string &path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// Edits of any field of any message of a model.
class Mutator {
public:
  Mutator(onnx::ModelProto &model, Random &random) : random_(random) { collect(model, 0); }

  void edit() {
    pb::Message &m = *messages_[below(random_, messages_.size())];
    const pb::Descriptor &type = *m.GetDescriptor();
    if (!type.field_count())
      return;
    const pb::FieldDescriptor *f = type.field(int(below(random_, size_t(type.field_count()))));
    const pb::Reflection &r = *m.GetReflection();
    if (f->is_repeated())
      list(m, *f, r);
    else if (f->cpp_type() == pb::FieldDescriptor::CPPTYPE_MESSAGE || below(random_, 8) == 0)
      below(random_, 2) ? clear(m, *f, r) : copyOver(m, *f, r);
    else
      set(m, *f, r);
  }

private:
  void collect(pb::Message &m, unsigned depth) {
    messages_.push_back(&m);
    const pb::Reflection &r = *m.GetReflection();
    std::vector<const pb::FieldDescriptor *> fields;
    r.ListFields(m, &fields);
    for (const pb::FieldDescriptor *f : fields) {
      bool isMessage = f->cpp_type() == pb::FieldDescriptor::CPPTYPE_MESSAGE;
      for (int i = 0; f->is_repeated() && isMessage && i < r.FieldSize(m, f); ++i)
        collect(*r.MutableRepeatedMessage(&m, f, i), depth + 1);
      if (!f->is_repeated() && isMessage)
        collect(*r.MutableMessage(&m, f), depth + 1);
      if (f->cpp_type() != pb::FieldDescriptor::CPPTYPE_STRING)
        continue;
      for (int i = 0; f->is_repeated() && i < r.FieldSize(m, f); ++i)
        texts_.push_back(r.GetRepeatedString(m, f, i));
      if (!f->is_repeated())
        texts_.push_back(r.GetString(m, f));
    }
  }

  int64_t number() {
    static constexpr int64_t kEdges[] = {0,   1,       -1,        2,         3,         7,         -2,           16,
                                         255, 1 << 20, INT32_MAX, INT32_MIN, INT64_MAX, INT64_MIN, INT64_MAX / 2};
    return below(random_, 4) ? kEdges[below(random_, std::size(kEdges))] : int64_t(random_()) << below(random_, 33);
  }
  std::string text() {
    std::string t = texts_.empty() ? "" : texts_[below(random_, texts_.size())];
    if (below(random_, 4) == 0)
      t.resize(below(random_, t.size() + 9), char(random_()));
    return t;
  }

  void clear(pb::Message &m, const pb::FieldDescriptor &f, const pb::Reflection &r) {
    if (&m == messages_.front() && f.cpp_type() == pb::FieldDescriptor::CPPTYPE_MESSAGE && below(random_, 10))
      return; // no graph, no test
    r.ClearField(&m, &f);
    forget();
  }

  /// A message of the same type from elsewhere in the model.
  void copyOver(pb::Message &m, const pb::FieldDescriptor &f, const pb::Reflection &r) {
    for (int tries = 0; f.cpp_type() == pb::FieldDescriptor::CPPTYPE_MESSAGE && tries < 20; ++tries) {
      const pb::Message &other = *messages_[below(random_, messages_.size())];
      if (other.GetDescriptor() != f.message_type())
        continue;
      std::unique_ptr<pb::Message> copy(other.New()); // which may be around the field
      copy->CopyFrom(other);
      r.MutableMessage(&m, &f)->CopyFrom(*copy);
      forget();
      return;
    }
  }

  void set(pb::Message &m, const pb::FieldDescriptor &f, const pb::Reflection &r) {
    using Field = pb::FieldDescriptor;
    switch (f.cpp_type()) {
    case Field::CPPTYPE_INT32:
      return r.SetInt32(&m, &f, int32_t(below(random_, 2) ? int64_t(below(random_, 24)) : number()));
    case Field::CPPTYPE_INT64:
      return r.SetInt64(&m, &f, number());
    case Field::CPPTYPE_FLOAT:
      return r.SetFloat(&m, &f, float(number()));
    case Field::CPPTYPE_STRING:
      return r.SetString(&m, &f, text());
    case Field::CPPTYPE_ENUM:
      return r.SetEnumValue(&m, &f, int(below(random_, 20)));
    default:
      return;
    }
  }

  void list(pb::Message &m, const pb::FieldDescriptor &f, const pb::Reflection &r) {
    int n = r.FieldSize(m, &f), at = int(below(random_, size_t(n)));
    switch (below(random_, 4)) {
    case 0:
      if (n) {
        r.RemoveLast(&m, &f);
        forget();
      }
      return;
    case 1:
      if (n)
        r.SwapElements(&m, &f, at, int(below(random_, size_t(n))));
      return;
    default:
      element(m, f, r, at, n == 0 || below(random_, 3) == 0);
    }
  }

  void element(pb::Message &m, const pb::FieldDescriptor &f, const pb::Reflection &r, int at, bool add) {
    using Field = pb::FieldDescriptor;
    switch (f.cpp_type()) {
    case Field::CPPTYPE_INT64:
      return add ? r.AddInt64(&m, &f, number()) : r.SetRepeatedInt64(&m, &f, at, number());
    case Field::CPPTYPE_INT32:
      return add ? r.AddInt32(&m, &f, int32_t(number())) : r.SetRepeatedInt32(&m, &f, at, int32_t(number()));
    case Field::CPPTYPE_FLOAT:
      return add ? r.AddFloat(&m, &f, float(number())) : r.SetRepeatedFloat(&m, &f, at, float(number()));
    case Field::CPPTYPE_STRING:
      return add ? r.AddString(&m, &f, text()) : r.SetRepeatedString(&m, &f, at, text());
    case Field::CPPTYPE_MESSAGE:
      if (r.FieldSize(m, &f)) {
        std::unique_ptr<pb::Message> copy(r.GetRepeatedMessage(m, &f, at).New());
        copy->CopyFrom(r.GetRepeatedMessage(m, &f, at));
        r.AddMessage(&m, &f)->CopyFrom(*copy);
      }
      return;
    default:
      return;
    }
  }

  /// Messages went away.
  void forget() {
    pb::Message &model = *messages_.front();
    messages_.clear();
    collect(model, 0);
  }

  Random &random_;
  std::vector<pb::Message *> messages_;
  std::vector<std::string> texts_;
};

/// How far a model gets: 0 not read, 1 not valid, 2 not written, 3 all the way.
int through(const std::string &bytes) {
  SourceManager sources;
  Diagnostics diags(sources);
  std::optional<OnnxModel> model = importOnnxBytes(bytes, "m.onnx", registry().ops, diags);
  CHECK(model.has_value() != diags.hasErrors());
  if (!model)
    return 0;
  if (!verifyProgram(model->program, diags)) {
    CHECK(diags.hasErrors());
    return 1;
  }
  PassManager manager(registry());
  REQUIRE(manager.parse("onnx", sources, diags));
  InterpreterFolder folder(int(model->opsetVersion()));
  PassManagerOptions options;
  options.rewriteConfig.folder = &folder;
  options.verifyEach = true;
  manager.run(model->program, options);
  std::string out;
  if (!exportOnnxBytes(*model, out, diags)) {
    CHECK(diags.hasErrors());
    return 2;
  }
  std::optional<OnnxModel> again = importOnnxBytes(out, "again.onnx", registry().ops, diags);
  INFO(diags.renderText());
  CHECK(again.has_value());
  return 3;
}
} // namespace

TEST_CASE("Models with damaged messages") {
  size_t rounds = numberFrom("RW_FUZZ_ROUNDS", 1), seed = numberFrom("RW_FUZZ_SEED", 1);
  size_t reached[4] = {}, n = 0;
  std::vector<std::string> paths = models();
  for (size_t round = 0; round < rounds; ++round)
    for (const std::string &path : paths) {
      Random random(unsigned(seed + ++n));
      onnx::ModelProto model;
      REQUIRE(model.ParseFromString(readAll(path)));
      Mutator mutator(model, random);
      for (size_t edits = 1 + below(random, 5); edits; --edits)
        mutator.edit();
      INFO(path, " seed ", seed + n);
      if (const char *trail = std::getenv("RW_FUZZ_LAST")) // the model that a crash is about
        std::ofstream(trail, std::ios::binary) << model.SerializeAsString();
      ++reached[through(model.SerializeAsString())];
    }
  MESSAGE(n << " models: " << reached[0] << " not read, " << reached[1] << " not valid, " << reached[2]
            << " not written, " << reached[3] << " all the way");
  CHECK(reached[3] > n / 10); // else the test does not get far
}
