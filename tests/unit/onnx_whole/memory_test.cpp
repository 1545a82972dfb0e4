// What a whole run allocates: weights are in memory once, also those that it computes. Counted, so that a copy shows on
// every machine.
#include "pipeline.h"

#include "rw/ir/dense_sweep.h"

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <malloc.h>
#include <new>

static size_t allocated, live, peak;

// Not inlined: the compiler would take the calls of malloc and free for a mistake.
[[gnu::noinline]] static void *counted(size_t bytes) noexcept {
  void *p = std::malloc(bytes ? bytes : 1);
  allocated += bytes;
  live += p ? malloc_usable_size(p) : 0;
  peak = std::max(peak, live);
  return p;
}
[[gnu::noinline]] static void uncounted(void *p) noexcept {
  live -= p ? malloc_usable_size(p) : 0;
  std::free(p);
}

void *operator new(size_t bytes) {
  if (void *p = counted(bytes))
    return p;
  throw std::bad_alloc();
}
void *operator new(size_t bytes, const std::nothrow_t &) noexcept { return counted(bytes); }
void operator delete(void *p) noexcept { uncounted(p); }
void operator delete(void *p, size_t) noexcept { uncounted(p); }
void operator delete(void *p, const std::nothrow_t &) noexcept { uncounted(p); }

using namespace rw;
using namespace whole;

namespace {

constexpr size_t kWidth = 2048; // 16 MiB of weights

/// Relu(x · W + b) between two transposes that cancel, W of 16 MiB.
void writeModel(const std::filesystem::path &path) {
  onnx::ModelProto model;
  REQUIRE(google::protobuf::TextFormat::ParseFromString(R"(ir_version: 8 opset_import { version: 15 }
    graph { name: "g"
      node { op_type: "MatMul" input: "x" input: "w" output: "m" }
      node { op_type: "Add" input: "m" input: "b" output: "a" }
      node { op_type: "Transpose" input: "a" output: "t" }
      node { op_type: "Relu" input: "t" output: "r" }
      node { op_type: "Transpose" input: "r" output: "y" }
      initializer { name: "b" data_type: 1 float_data: 1 }
      input { name: "x" type { tensor_type { elem_type: 1 shape { dim { dim_param: "N" } dim { dim_value: 2048 } } } } }
      output { name: "y" type { tensor_type { elem_type: 1 shape { dim { dim_param: "N" } dim { dim_value: 2048 } } } } } })",
                                                        &model));
  onnx::TensorProto &w = *model.mutable_graph()->add_initializer();
  w.set_name("w");
  w.set_data_type(1);
  w.add_dims(kWidth);
  w.add_dims(kWidth);
  std::vector<float> weights(kWidth * kWidth);
  for (size_t i = 0; i < weights.size(); ++i)
    weights[i] = float(i % 977) / 977;
  w.set_raw_data(weights.data(), weights.size() * sizeof(float));
  std::ofstream out(path, std::ios::binary);
  model.SerializeToOstream(&out);
}

/// `layers` of them: Relu(x · W · 0.5), each W of 1 MiB and different.
void writeScaled(const std::filesystem::path &path, int layers) {
  std::string text = R"(ir_version: 8 opset_import { version: 15 } graph { name: "g"
    initializer { name: "half" data_type: 1 float_data: 0.5 }
    input { name: "x" type { tensor_type { elem_type: 1 shape { dim { dim_param: "N" } dim { dim_value: 512 } } } } }
    output { name: "y" type { tensor_type { elem_type: 1 shape { dim { dim_param: "N" } dim { dim_value: 512 } } } } } )";
  std::string x = "x";
  for (int i = 0; i < layers; ++i) {
    std::string n = std::to_string(i), y = i + 1 == layers ? "y" : "r" + n;
    text += "node { op_type: 'MatMul' input: '" + x + "' input: 'w" + n + "' output: 'm" + n +
            "' } node { op_type: 'Mul' input: 'm" + n + "' input: 'half' output: 'h" + n +
            "' } node { op_type: 'Relu' input: 'h" + n + "' output: '" + y + "' } ";
    x = y;
  }
  onnx::ModelProto model;
  REQUIRE(google::protobuf::TextFormat::ParseFromString(text + "}", &model));
  for (int i = 0; i < layers; ++i) {
    onnx::TensorProto &w = *model.mutable_graph()->add_initializer();
    w.set_name("w" + std::to_string(i));
    w.set_data_type(1);
    w.add_dims(512);
    w.add_dims(512);
    std::vector<float> weights(512 * 512);
    for (size_t k = 0; k < weights.size(); ++k)
      weights[k] = float((k + size_t(i)) % 977) / 977;
    w.set_raw_data(weights.data(), weights.size() * sizeof(float));
  }
  std::ofstream out(path, std::ios::binary);
  model.SerializeToOstream(&out);
}

struct Folder {
  std::filesystem::path path = std::filesystem::temp_directory_path() / ("rw-memory-" + std::to_string(::getpid()));
  Folder() { std::filesystem::create_directories(path); }
  ~Folder() { std::filesystem::remove_all(path); }
};

std::string contents(const std::filesystem::path &path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// Reads, optimises and writes; the bytes by which memory was fuller than before.
size_t peakOf(const std::string &in, const std::string &out, bool swept) {
  size_t before = live;
  peak = live;
  SourceManager sources;
  Diagnostics diags(sources);
  std::optional<OnnxModel> model = importOnnx(in, builtins().ops, diags);
  REQUIRE(model);
  DenseSweep sweep(model->program, [&](std::span<const AttrId> gone) { model->dropTensors(gone); });
  runPipeline(*model, "onnx", [&](PassManagerOptions &options) {
    options.rewriteConfig.expensiveChecks = false; // they keep the program before each pass
    options.rewriteConfig.sweep = swept ? &sweep : nullptr;
  });
  CHECK(countOf(*model, "Mul") == 0);
  REQUIRE(exportOnnx(*model, out, diags));
  return peak - before;
}

} // namespace

TEST_CASE("weights that are computed anew take the place of what they were: 32 MiB") {
  Folder folder;
  std::string in = folder.path / "in.onnx", out = folder.path / "out.onnx", kept = folder.path / "kept.onnx";
  writeScaled(in, 32);
  builtins();
  size_t size = std::filesystem::file_size(in), without = peakOf(in, kept, false), with = peakOf(in, out, true);
  MESSAGE("file " << size << ", peak " << with << ", without sweeping " << without);
  CHECK(with < size * 3 / 2);
  CHECK(without > size * 7 / 4); // so the figure above says something
  CHECK(contents(out) == contents(kept));
}

TEST_CASE("one large tensor is read into memory of its size") {
  Folder folder;
  std::string in = folder.path / "in.onnx";
  {
    onnx::ModelProto model;
    REQUIRE(
        google::protobuf::TextFormat::ParseFromString(R"(ir_version: 8 opset_import { version: 15 } graph { name: "g"
      node { op_type: "Gather" input: "w" input: "i" output: "y" }
      initializer { name: "w" data_type: 2 dims: 60000000 }
      input { name: "i" type { tensor_type { elem_type: 7 shape { dim { dim_param: "N" } } } } }
      output { name: "y" type { tensor_type { elem_type: 2 shape { dim { dim_param: "N" } } } } } })",
                                                      &model));
    model.mutable_graph()->mutable_initializer(0)->mutable_raw_data()->assign(60'000'000, 'x');
    std::ofstream out(in, std::ios::binary);
    model.SerializeToOstream(&out);
  }
  builtins();
  size_t before = live;
  peak = live;
  SourceManager sources;
  Diagnostics diags(sources);
  REQUIRE(importOnnx(in, builtins().ops, diags));
  CHECK(peak - before < 66'000'000);
}

TEST_CASE("a model with 16 MiB of weights from file to file") {
  Folder folder;
  std::string in = folder.path / "in.onnx", out = folder.path / "out.onnx";
  writeModel(in);
  builtins();
  size_t before = allocated;
  {
    SourceManager sources;
    Diagnostics diags(sources);
    std::optional<OnnxModel> model = importOnnx(in, builtins().ops, diags);
    REQUIRE(model);
    size_t read = allocated - before;
    CHECK(read < std::filesystem::file_size(in) * 7 / 4);
    runPipeline(*model, "onnx");
    CHECK(countOf(*model, "Transpose") == 0);
    size_t optimised = allocated - before;
    // the passes themselves, in as many rounds as they take: nothing that looks at weights copies them
    CHECK(optimised - read < size_t(6) << 20);
    REQUIRE(exportOnnx(*model, out, diags));
    size_t written = allocated - before;
    CHECK(written < std::filesystem::file_size(in) * 2);
    MESSAGE("file " << std::filesystem::file_size(in) << ", read " << read << ", optimised " << optimised - read
                    << ", written " << written - optimised);
  }
  CHECK(std::filesystem::file_size(out) <= std::filesystem::file_size(in) + 100);
}
