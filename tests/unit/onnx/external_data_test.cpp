// Tensors in files of their own: what can be true of them is left alone, what cannot is said; weights are never written
// over.
#include "onnx_fixture.h"

#include <filesystem>
#include <unistd.h>

namespace fs = std::filesystem;
using namespace rw;
using namespace onnxtest;

namespace {
/// A folder with a model, weights of 16 bytes in w.bin and sub/w.bin, links, and a file outside.
struct Folder {
  fs::path top = fs::temp_directory_path() / ("rw_onnx_external_" + std::to_string(getpid())), inside = top / "model";
  Folder() {
    fs::remove_all(top);
    fs::create_directories(inside / "sub");
    for (const fs::path &path : {inside / "w.bin", inside / "sub" / "w.bin", top / "outside.bin"})
      std::ofstream(path, std::ios::binary) << std::string(16, '\0');
    fs::create_symlink("w.bin", inside / "near.bin");
    fs::create_symlink(top / "outside.bin", inside / "far.bin");
    fs::create_symlink(top, inside / "up");
  }
  ~Folder() { fs::remove_all(top); }

  std::string model(const std::string &entries) const {
    onnx::ModelProto m = modelOf(R"(initializer { name: "w" dims: 3 data_type: 1 data_location: EXTERNAL )" + entries +
                                 "} output { name: \"w\" }");
    std::string path = (inside / "m.onnx").string();
    std::ofstream(path, std::ios::binary) << m.SerializeAsString();
    return path;
  }
};
std::string entry(const std::string &key, const std::string &value) {
  return "external_data { key: \"" + key + "\" value: \"" + value + "\" } ";
}
std::string at(const std::string &location) { return entry("location", location); }
} // namespace

TEST_CASE("tensors in other files: places and sizes that can be true") {
  Folder folder;
  for (const std::string &entries :
       {at("w.bin"), at("w.bin") + entry("offset", "4") + entry("length", "12"), at("./sub/../sub/w.bin"),
        at("../model/w.bin"), at("near.bin"), at("w.bin") + entry("checksum", "abc")}) {
    INFO(entries);
    SourceManager sources;
    Diagnostics diags(sources);
    CHECK(importOnnx(folder.model(entries), registry(), diags));
    CHECK(diags.all().empty());
  }
}

TEST_CASE("tensors in other files: what cannot be true is an error") {
  Folder folder;
  struct Case {
    std::string entries, message;
  };
  const std::string outside = ", outside the folder of the model; move the file there";
  for (const Case &c : {
           Case{at("../outside.bin"), "keeps its data in `../outside.bin`" + outside},
           {at("far.bin"), "keeps its data in `far.bin`" + outside},
           {at("up/outside.bin"), "keeps its data in `up/outside.bin`" + outside},
           {at("/etc/passwd"), "keeps its data in `/etc/passwd`" + outside},
           {at("sub"), "keeps its data in `sub`, which is no file"},
           {at(""), "keeps its data in another file, and does not say in which; give it a location"},
           {at("w.bin") + entry("offset", "8") + entry("length", "12"),
            "keeps its data in `w.bin` up to byte 20; the file ends at 16"},
           {at("w.bin") + entry("offset", "8"), "keeps its data in `w.bin` up to byte 20; the file ends at 16"},
           {at("w.bin") + entry("length", "8"), "takes 12 bytes, but keeps 8 in `w.bin`"},
           {at("w.bin") + entry("offset", "-4"),
            "keeps its data in another file, with the offset `-4`, which is no number of bytes"},
           {at("w.bin") + entry("offset", "0x10"),
            "keeps its data in another file, with the offset `0x10`, which is no number of bytes"},
           {at("w.bin") + entry("offset", "9223372036854775808"),
            "keeps its data in another file, with the offset `9223372036854775808`, which is no number of bytes"},
       }) {
    INFO(c.entries);
    SourceManager sources;
    Diagnostics diags(sources);
    CHECK(!importOnnx(folder.model(c.entries), registry(), diags));
    REQUIRE(diags.errorCount() == 1);
    CHECK(diags.all()[0].message == "the initializer `w` " + c.message);
  }
}

TEST_CASE("tensors in other files: one that is not there is said; a result never takes the place of one") {
  Folder folder;
  SourceManager sources;
  Diagnostics diags(sources);
  CHECK(importOnnx(folder.model(at("none.bin")), registry(), diags));
  REQUIRE(diags.all().size() == 1);
  CHECK(diags.all()[0].message == "tensors of this model are in `none.bin`, a file that is not there: no engine loads "
                                  "the model without; put it beside the model");
  Diagnostics others(sources);
  std::optional<OnnxModel> model = importOnnx(folder.model(at("w.bin")), registry(), others);
  REQUIRE(model);
  for (const char *name : {"w.bin", "near.bin", "sub/../w.bin"}) {
    CHECK(!exportOnnx(*model, (folder.inside / name).string(), others));
    CHECK(fs::file_size(folder.inside / "w.bin") == 16);
  }
  CHECK(others.errorCount() == 3);
  CHECK(others.all()[0].tag == "onnx-external");
}

TEST_CASE("tensors go to a file beside the model, and come back") {
  Folder folder;
  std::ofstream(folder.inside / "w.bin", std::ios::binary) << "0123456789abcdef";
  onnx::ModelProto m = modelOf(R"(initializer { name: "w" dims: 3 data_type: 1 data_location: EXTERNAL )" +
                               at("w.bin") + entry("offset", "4") + R"(}
    initializer { name: "large" dims: 300 data_type: 1 raw_data: ")" +
                               std::string(1200, 'L') + R"(" }
    initializer { name: "fields" dims: 2 data_type: 7 int64_data: 1 int64_data: 2 }
    initializer { name: "small" dims: 1 data_type: 1 raw_data: "abcd" }
    output { name: "w" } output { name: "large" } output { name: "fields" } output { name: "small" })");
  std::string path = (folder.inside / "m.onnx").string(), out = (folder.inside / "sub" / "out.onnx").string();
  std::ofstream(path, std::ios::binary) << m.SerializeAsString();
  SourceManager sources;
  Diagnostics diags(sources);
  std::optional<OnnxModel> model = importOnnx(path, registry(), diags);
  REQUIRE(model);
  model->externalData = {"all.data", 16};
  REQUIRE(exportOnnx(*model, out, diags));
  CHECK(diags.all().empty()); // nothing stays behind
  onnx::ModelProto light;
  REQUIRE(light.ParseFromString(readAll(out)));
  std::string data = readAll((folder.inside / "sub" / "all.data").string());
  REQUIRE(light.graph().initializer_size() == 4);
  std::map<std::string, std::string> held;
  for (const onnx::TensorProto &t : light.graph().initializer()) {
    if (t.data_location() != onnx::TensorProto::EXTERNAL)
      continue;
    CHECK(!t.has_raw_data());
    CHECK(t.external_data(0).value() == "all.data");
    uint64_t offset = std::stoull(t.external_data(1).value()), length = std::stoull(t.external_data(2).value());
    CHECK(offset % 64 == 0);
    held[t.name()] = data.substr(offset, length);
  }
  const std::string fields("\1\0\0\0\0\0\0\0\2\0\0\0\0\0\0\0", 16);
  CHECK(held == std::map<std::string, std::string>{
                    {"w", "456789abcdef"}, {"large", std::string(1200, 'L')}, {"fields", fields}});
  // And back into one file.
  std::optional<OnnxModel> again = importOnnx(out, registry(), diags);
  REQUIRE(again);
  again = readTensors(*again, registry(), diags);
  REQUIRE(again);
  std::string bytes;
  REQUIRE(exportOnnxBytes(*again, bytes, diags));
  onnx::ModelProto whole;
  REQUIRE(whole.ParseFromString(bytes));
  for (const onnx::TensorProto &t : whole.graph().initializer()) {
    CHECK(t.data_location() == onnx::TensorProto::DEFAULT);
    CHECK(t.external_data_size() == 0);
    if (t.name() == "w")
      CHECK(t.raw_data() == "456789abcdef");
  }
}

TEST_CASE("tensors are not written where they would be lost, or where no engine looks") {
  Folder folder;
  SourceManager sources;
  for (const auto &[file, message] : std::map<std::string, std::string>{
           {"w.bin", "cannot be written: this file holds tensors of the model that was read, which would be lost; "
                     "choose another name"},
           {"out.onnx", "cannot be written: this is the file of the model itself; choose another name for the tensors"},
           {"sub/x.bin", "tensors go to a file beside the model: a name without a folder"},
           {"..", "tensors go to a file beside the model: a name without a folder"}}) {
    Diagnostics diags(sources);
    std::optional<OnnxModel> model = importOnnx(folder.model(at("w.bin")), registry(), diags);
    REQUIRE(model);
    model->externalData = {file, 1};
    CHECK(!exportOnnx(*model, (folder.inside / "out.onnx").string(), diags));
    REQUIRE(diags.errorCount() == 1);
    CHECK(diags.all()[0].tag == "onnx-external");
    CHECK(diags.all()[0].message == message);
    CHECK(!fs::exists(folder.inside / "out.onnx"));
    CHECK(!fs::exists(folder.inside / "sub" / "x.bin"));
  }
  Diagnostics diags(sources);
  fs::create_symlink("m.onnx", folder.inside / "link.onnx"); // the model's own file by another name
  std::optional<OnnxModel> linked = importOnnx(folder.model(at("w.bin")), registry(), diags);
  REQUIRE(linked);
  linked->externalData = {"link.onnx", 1};
  CHECK(!exportOnnx(*linked, (folder.inside / "m.onnx").string(), diags));
  CHECK(diags.all().back().message.find("the file of the model itself") != std::string::npos);
  std::optional<OnnxModel> gone = importOnnx(folder.model(at("gone.bin")), registry(), diags);
  REQUIRE(gone);
  gone->externalData = {"new.bin", 1};
  CHECK(!exportOnnx(*gone, (folder.inside / "out.onnx").string(), diags));
  CHECK(diags.all().back().message ==
        "cannot be written: the tensor `w` is in `gone.bin`, which is not there or cannot be read");
  CHECK(!fs::exists(folder.inside / "new.bin"));
  std::optional<OnnxModel> missing = importOnnx(folder.model(at("gone.bin")), registry(), diags);
  REQUIRE(missing);
  CHECK(!readTensors(*missing, registry(), diags));
  CHECK(diags.all().back().message == "the tensor `w` is in `gone.bin`, which is not there or cannot be read");
}
