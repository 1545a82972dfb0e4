// The evaluator against the expected outputs of ONNX's own test data (Debian: libonnx-testdata), and on the models
// here.
#include "rw/infer/infer_shapes.h"
#include "rw/interp/compare.h"
#include "rw/interp/constant_folder.h"
#include "rw/onnx/onnx.h"
#include "rw/passes/pass_manager.h"

#include "rw/builtin.h"

#include <onnx/onnx-data_pb.h>
#include <onnx/onnx_pb.h>

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

namespace fs = std::filesystem;
using namespace rw;

namespace {

const OpRegistry &emptyRegistry() {
  static const OpRegistry none;
  return none;
}

const Registry &builtins() {
  static const Registry all = [] {
    Registry r;
    registerAll(r);
    return r;
  }();
  return all;
}
const OpRegistry &declared() { return builtins().ops; }

/// Runs the pipeline `onnx`, which also must leave valid IR.
void optimize(OnnxModel &model, SourceManager &sources, Diagnostics &diags) {
  PassManager manager(builtins());
  REQUIRE(manager.parse("onnx", sources, diags, "test"));
  InterpreterFolder folder(int(model.opsetVersion()));
  PassManagerOptions options;
  options.verifyEach = true;
  options.rewriteConfig.folder = &folder;
  CHECK_FALSE(manager.run(model.program, options).failed);
}

std::string readAll(const fs::path &path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return std::move(text).str();
}

/// A tensor as the evaluator has it, through an initializer of a model made for it.
std::optional<Tensor> tensorOf(onnx::TensorProto t) {
  if (t.data_type() == 0)
    return std::nullopt;
  onnx::ModelProto m;
  m.set_ir_version(8);
  m.add_opset_import()->set_version(13);
  m.mutable_graph()->set_name("g");
  t.set_name("t");
  *m.mutable_graph()->add_initializer() = t;
  m.mutable_graph()->add_output()->set_name("t");
  SourceManager sources;
  Diagnostics diags(sources);
  std::optional<OnnxModel> model = importOnnxBytes(m.SerializeAsString(), "t", emptyRegistry(), diags);
  if (!model)
    return std::nullopt;
  EvalResult r = evaluate(model->main(), {});
  if (!r.ok || r.values.size() != 1)
    return std::nullopt;
  // Bytes of its own: the model goes.
  const Tensor &from = r.values[0];
  Tensor copy = *Tensor::make(from.dtype(), from.shape());
  if (from.isString())
    copy.mutableStrings() = from.strings();
  else if (from.byteSize())
    std::memcpy(copy.mutableData<std::byte>(), from.data<std::byte>(), from.byteSize());
  return copy;
}

/// A value of the type that the model says: a tensor, a sequence of them, or one of these that may be missing.
std::optional<Tensor> valueIn(const std::string &bytes, const onnx::TypeProto &type);

template <class Elements> std::optional<Tensor> sequenceOf(const Elements &elements) {
  std::vector<Tensor> all;
  for (const onnx::TensorProto &t : elements) {
    std::optional<Tensor> element = tensorOf(t);
    if (!element)
      return std::nullopt;
    all.push_back(std::move(*element));
  }
  return Tensor::tuple(std::move(all));
}

std::optional<Tensor> valueIn(const std::string &bytes, const onnx::TypeProto &type) {
  if (type.has_optional_type()) {
    onnx::OptionalProto o;
    if (!o.ParseFromString(bytes))
      return std::nullopt;
    if (o.has_tensor_value())
      return tensorOf(o.tensor_value());
    return o.has_sequence_value() ? sequenceOf(o.sequence_value().tensor_values()) : Tensor::none();
  }
  if (type.has_sequence_type()) {
    onnx::SequenceProto s;
    return s.ParseFromString(bytes) ? sequenceOf(s.tensor_values()) : std::nullopt;
  }
  onnx::TensorProto t;
  return t.ParseFromString(bytes) ? tensorOf(t) : std::nullopt;
}

bool valuesIn(const fs::path &folder, const std::string &prefix,
              const google::protobuf::RepeatedPtrField<onnx::ValueInfoProto> &declared, std::vector<Tensor> &out) {
  for (int i = 0; fs::exists(folder / (prefix + std::to_string(i) + ".pb")); ++i) {
    std::optional<Tensor> t = i < declared.size()
                                  ? valueIn(readAll(folder / (prefix + std::to_string(i) + ".pb")), declared[i].type())
                                  : std::nullopt;
    if (!t)
      return false;
    out.push_back(std::move(*t));
  }
  return true;
}

struct Tally {
  unsigned models = 0, passed = 0, unsupported = 0, unread = 0, refused = 0, wrong = 0;
  unsigned written = 0, restless = 0;      // results of a first run, and those that a second one changes
  std::map<std::string, unsigned> missing; // op -> models
};

/// Writes what came of a first run, and whether a second one changes a byte of it.
void runAgain(OnnxModel &model, const std::string &name, Tally &tally) {
  SourceManager sources;
  Diagnostics diags(sources);
  std::string first, second;
  if (!exportOnnxBytes(model, first, diags))
    return;
  ++tally.written;
  std::optional<OnnxModel> again = importOnnxBytes(first, name, declared(), diags);
  REQUIRE(again);
  optimize(*again, sources, diags);
  if (exportOnnxBytes(*again, second, diags) && first == second)
    return;
  ++tally.restless;
  MESSAGE("a second run changes " << name);
}

/// Its outputs were computed with an epsilon of 0.01, which its model does not say: the default is another one.
bool contradictsItself(const fs::path &folder) { return folder.filename() == "test_adam_multiple"; }

void runModel(const fs::path &folder, const OpRegistry &registry, bool optimized, Tally &tally) {
  ++tally.models;
  SourceManager sources;
  Diagnostics diags(sources);
  std::optional<OnnxModel> model = importOnnx((folder / "model.onnx").string(), registry, diags);
  if (!model) {
    ++tally.unread;
    MESSAGE("unread " << folder.filename().string() << ": " << (diags.all().empty() ? "" : diags.all()[0].message));
    return;
  }
  if (optimized) {
    optimize(*model, sources, diags);
    runAgain(*model, folder.filename().string(), tally);
  }
  onnx::ModelProto original;
  REQUIRE(original.ParseFromString(readAll(folder / "model.onnx")));
  bool any = false;
  for (const fs::directory_entry &set : fs::directory_iterator(folder)) {
    if (!set.is_directory())
      continue;
    std::vector<Tensor> inputs, expected;
    if (!valuesIn(set.path(), "input_", original.graph().input(), inputs) ||
        !valuesIn(set.path(), "output_", original.graph().output(), expected)) {
      ++tally.unsupported;
      ++tally.missing["(values of other kinds)"];
      return;
    }
    std::span<const ValueId> params = model->main().params(model->main().body());
    for (size_t i = 0; i < inputs.size() && i < params.size(); ++i)
      if (inputs[i].dtype() == DType::U16 && model->main().value(params[i]).type().dtype == DType::BF16)
        inputs[i] = inputs[i].withDtype(DType::BF16);
    EvalResult r = evaluate(model->main(), inputs, {.opset = int(model->opsetVersion())});
    if (!r.ok) {
      ++(r.unsupported ? tally.unsupported : tally.refused);
      ++tally.missing[r.unsupported ? r.opName : r.opName + ": " + r.error];
      return;
    }
    double largest = 0;
    std::string what = r.values.size() == expected.size() ? "" : "another number of results";
    for (size_t i = 0; what.empty() && i < expected.size(); ++i) {
      // Some files hold the bits of bf16 as numbers of 16 bits.
      if (expected[i].dtype() == DType::U16 && r.values[i] && r.values[i].dtype() == DType::BF16)
        expected[i] = expected[i].withDtype(DType::BF16);
      // bf16 is cut off there instead of rounded: one digit more or less.
      double near = expected[i].dtype() == DType::BF16 ? 8e-3 : expected[i].dtype() == DType::F16 ? 2e-3 : 1e-4;
      what = differenceOf(expected[i], r.values[i], near, largest);
    }
    if (!what.empty() && contradictsItself(folder)) {
      ++tally.unsupported;
      ++tally.missing["(outputs of other attributes than the model has)"];
      return;
    }
    if (!what.empty()) {
      ++tally.wrong;
      MESSAGE("wrong " << folder.filename().string() << ": " << what);
      return;
    }
    any = true;
  }
  ++(any ? tally.passed : tally.unsupported);
}

Tally runAll(const fs::path &data, const OpRegistry &registry, bool optimized = false) {
  Tally tally;
  std::vector<fs::path> folders;
  for (const fs::directory_entry &e : fs::directory_iterator(data))
    if (fs::exists(e.path() / "model.onnx"))
      folders.push_back(e.path());
  std::ranges::sort(folders);
  for (const fs::path &f : folders)
    runModel(f, registry, optimized, tally);
  std::string missing;
  for (const auto &[what, n] : tally.missing)
    missing += "\n  " + std::to_string(n) + " " + what;
  MESSAGE(data.filename().string() << std::string(optimized ? ", optimised: " : ": ") << tally.models << " models, "
                                   << tally.passed << " pass, " << tally.unsupported << " unsupported, "
                                   << tally.refused << " refused, " << tally.unread << " unread, " << tally.wrong
                                   << " wrong" << missing);
  return tally;
}

const fs::path kData = "/usr/share/libonnx-testdata/data";

} // namespace

TEST_CASE("the evaluator gives the expected outputs of ONNX's test data") {
  if (!fs::exists(kData)) {
    MESSAGE("libonnx-testdata is not installed");
    return;
  }
  unsigned models = 0, passed = 0;
  for (const char *part : {"node", "simple", "pytorch-operator", "pytorch-converted"}) {
    Tally opaque = runAll(kData / part, emptyRegistry());
    CHECK(opaque.wrong == 0);
    CHECK(opaque.passed > opaque.models / 4);
    Tally known = runAll(kData / part, declared());
    CHECK(known.wrong == 0);
    CHECK(known.passed == opaque.passed);
    Tally after = runAll(kData / part, declared(), true);
    CHECK(after.wrong == 0);
    CHECK(after.passed >= known.passed); // folding may leave nothing that is not evaluated
    CHECK(after.written > after.models * 9 / 10);
    CHECK(after.restless == 0);
    models += known.models;
    passed += known.passed;
  }
  MESSAGE("all: " << models << " models, " << passed << " pass, " << passed * 100.0 / models << " %");
  CHECK(passed * 100 >= models * 85);
}

TEST_CASE("models of the repository have finite results, declared or opaque") {
  unsigned models = 0;
  const char *elsewhere = std::getenv("RW_MODELS");
  for (const fs::path &folder : {fs::path(RW_SOURCE_DIR "/tests/models"), fs::path(elsewhere ? elsewhere : "")}) {
    if (!fs::exists(folder))
      continue;
    for (const fs::directory_entry &e : fs::recursive_directory_iterator(folder)) {
      if (e.path().extension() != ".onnx")
        continue;
      INFO(e.path().string());
      SourceManager sources;
      Diagnostics diags(sources);
      std::optional<OnnxModel> a = importOnnx(e.path().string(), declared(), diags);
      std::optional<OnnxModel> b = importOnnx(e.path().string(), emptyRegistry(), diags);
      if (!a || !b)
        continue; // models that are broken on purpose
      ++models;
      EvalOptions options{.opset = int(a->opsetVersion()), .program = &a->program};
      // A domain with the name of a dialect of ours is `@DOMAIN` where that is registered: each function answers to
      // both names.
      Program both = a->program.clone();
      std::vector<Function> plain;
      for (const Function &fn : both.functions())
        if (fn.name().starts_with('@'))
          plain.emplace_back(fn).setName(fn.name().substr(1));
      for (Function &fn : plain) {
        std::string name = fn.name();
        both.addFunction(name) = std::move(fn);
      }
      options.program = &both;
      Comparison c = compareFunctions(a->main(), b->main(), 2, 0, 1, options);
      INFO(c.text);
      CHECK(c.outcome == Comparison::Agree);
      EvalResult values = evaluate(a->main(), randomInputs(a->main(), 1), options);
      for (const Tensor &t : values.values)
        for (size_t i = 0; i < t.size() && !t.isString(); ++i)
          REQUIRE(std::isfinite(t.floatAt(i)));
    }
  }
  MESSAGE(models << " models");
}
