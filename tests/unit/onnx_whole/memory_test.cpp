// What a whole run allocates: weights are in memory once. Counted, so that a copy shows on every machine.
#include "pipeline.h"

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <new>

static size_t allocated;

void *operator new(size_t bytes) {
  allocated += bytes;
  if (void *p = std::malloc(bytes ? bytes : 1))
    return p;
  throw std::bad_alloc();
}
void *operator new(size_t bytes, const std::nothrow_t &) noexcept {
  allocated += bytes;
  return std::malloc(bytes ? bytes : 1);
}
void operator delete(void *p) noexcept { std::free(p); }
void operator delete(void *p, size_t) noexcept { std::free(p); }
void operator delete(void *p, const std::nothrow_t &) noexcept { std::free(p); }

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

} // namespace

TEST_CASE("a model with 16 MiB of weights from file to file") {
  std::filesystem::path folder = std::filesystem::temp_directory_path() / ("rw-memory-" + std::to_string(::getpid()));
  std::filesystem::create_directories(folder);
  std::string in = folder / "in.onnx", out = folder / "out.onnx";
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
    CHECK(optimised - read < size_t(4) << 20); // the passes themselves: nothing that looks at weights copies them
    REQUIRE(exportOnnx(*model, out, diags));
    size_t written = allocated - before;
    CHECK(written < std::filesystem::file_size(in) * 2);
    MESSAGE("file " << std::filesystem::file_size(in) << ", read " << read << ", optimised " << optimised - read << ", written " << written - optimised);
  }
  CHECK(std::filesystem::file_size(out) <= std::filesystem::file_size(in) + 100);
  std::filesystem::remove_all(folder);
}
