// What a model records of values that its ops compute: it counts where nothing else is known, and where it cannot be it
// is no reason to refuse the model.
#include "pipeline.h"

#include "rw/ir/verifier.h"

#include <algorithm>

using namespace rw;
using namespace whole;

namespace {

constexpr int kFloat = 1, kInt = 7, kBool = 9, kHalf = 10;

/// "x [N, 2, ?]" as a message in text: sizes, symbols, unknown sizes; of unknown rank without brackets.
std::string info(std::string_view text, int elements = kFloat) {
  size_t open = text.find(" [");
  std::string out =
      "name: \"" + std::string(text.substr(0, open)) + "\" type { tensor_type { elem_type: " + std::to_string(elements);
  if (open == text.npos)
    return out + " } }";
  out += " shape {";
  std::string dim;
  for (char c : text.substr(open + 2)) {
    if (c != ',' && c != ']') {
      dim += c == ' ' ? "" : std::string(1, c);
      continue;
    }
    if (!dim.empty())
      out += dim == "?"        ? " dim {}"
             : isdigit(dim[0]) ? " dim { dim_value: " + dim + " }"
                               : " dim { dim_param: \"" + dim + "\" }";
    dim.clear();
  }
  return out + " } } }";
}
std::string input(std::string_view text, int elements = kFloat) { return "input { " + info(text, elements) + " } "; }
std::string output(std::string_view text, int elements = kFloat) { return "output { " + info(text, elements) + " } "; }
std::string recorded(std::string_view text, int elements = kFloat) {
  return "value_info { " + info(text, elements) + " } ";
}

/// "y = Add a b" as a node, `more` its attributes.
std::string node(std::string_view text, const std::string &more = "") {
  std::string out = "node { ", word;
  std::vector<std::string> words;
  for (char c : std::string(text) + " ")
    c == ' ' ? words.push_back(std::exchange(word, "")) : void(word += c);
  size_t is = size_t(std::ranges::find(words, "=") - words.begin());
  for (size_t i = 0; i < is; ++i)
    out += "output: \"" + words[i] + "\" ";
  size_t dot = words[is + 1].rfind('.');
  out += "op_type: \"" + words[is + 1].substr(dot + 1) + "\" ";
  if (dot != std::string::npos)
    out += "domain: \"" + words[is + 1].substr(0, dot) + "\" ";
  for (size_t i = is + 2; i < words.size(); ++i)
    out += "input: \"" + words[i] + "\" ";
  return out + more + " } ";
}
std::string graphAttribute(const char *name, const std::string &graph) {
  return std::string("attribute { name: \"") + name + "\" type: GRAPH g { name: \"" + name + "\" " + graph + " } } ";
}
std::string ints(const char *name, std::initializer_list<int> list) {
  std::string out = std::string("attribute { name: \"") + name + "\" type: INTS ";
  for (int i : list)
    out += "ints: " + std::to_string(i) + " ";
  return out + "} ";
}
std::string constant(const char *name, std::initializer_list<int> list) {
  std::string out =
      std::string("initializer { name: \"") + name + "\" data_type: 7 dims: " + std::to_string(list.size()) + " ";
  for (int i : list)
    out += "int64_data: " + std::to_string(i) + " ";
  return out + "} ";
}

struct Recorded {
  std::string bytes;
  SourceManager sources;
  Diagnostics diags{sources};
  std::optional<OnnxModel> model;

  explicit Recorded(const std::string &graph, const std::string &more = "")
      : bytes(modelBytes("ir_version: 8 opset_import { version: 15 } opset_import { domain: \"other\" version: 1 } "
                         "graph { name: \"g\" " +
                         graph + " } " + more)),
        model(importOnnxBytes(bytes, "m.onnx", builtins().ops, diags)) {}

  std::string said() { return diags.renderText(); }
  /// What has the name in the model, as text.
  std::string type(std::string_view name) {
    REQUIRE_MESSAGE(model, said());
    std::string found;
    for (Function &fn : model->program.functions())
      for (uint32_t v = 0; v < fn.valueCapacity(); ++v)
        if (fn.context().text(fn.valueName(ValueId(v))) == name)
          found += (found.empty() ? "" : " ") + fn.context().typeToString(fn.data(ValueId(v)).type);
    return found;
  }
  std::string written() {
    std::string out;
    REQUIRE_MESSAGE(model, said());
    REQUIRE(verifyProgram(model->program, diags));
    REQUIRE(exportOnnxBytes(*model, out, diags));
    return out;
  }
  bool comesOutAsItWas() { return written() == bytes; }
  onnx::ModelProto optimised(const std::string &pipeline = "onnx_safe") {
    runPipeline(*model, pipeline);
    onnx::ModelProto out;
    REQUIRE(out.ParseFromString(written()));
    return out;
  }
};

std::string untrue(const std::string &text) {
  return "m.onnx: warning: " + text +
         "; what is recorded stays in the file, and nothing relies on it: clear it and infer the shapes anew to be rid "
         "of it [onnx-type]\n";
}

} // namespace

TEST_CASE("A record that contradicts what is inferred is not believed, and stays in the file") {
  std::string ops = input("x [2,3]") + node("y = Neg x", "name: \"n\"") + node("z = Relu y");
  struct Case {
    std::string record, first;
  } cases[] = {
      {recorded("y [7,3]") + output("z [2,3]"), "`y` is recorded as f32[7, 3], but its Neg `n` makes f32[2, 3]"},
      {recorded("y [2,3,1]") + output("z [2,3]"), "`y` is recorded as f32[2, 3, 1], but its Neg `n` makes f32[2, 3]"},
      {recorded("y []") + output("z [2,3]"), "`y` is recorded as f32[], but its Neg `n` makes f32[2, 3]"},
      {output("z [5,3]"), "`z` is recorded as f32[5, 3], but its Relu makes f32[2, 3]"},
      {output("z [2]"), "`z` is recorded as f32[2], but its Relu makes f32[2, 3]"},
      {output("z []"), "`z` is recorded as f32[], but its Relu makes f32[2, 3]"},
      {recorded("y [7,3]") + output("z [5,3]"),
       "`y` is recorded as f32[7, 3], but its Neg `n` makes f32[2, 3], and of 1 more the record is wrong"},
  };
  for (const Case &c : cases) {
    Recorded in(ops + c.record);
    CHECK(in.said() == untrue(c.first));
    CHECK(in.type("y") + in.type("z") == "f32[2, 3]f32[2, 3]");
    CHECK(in.comesOutAsItWas());
    onnx::ModelProto after = in.optimised();
    CHECK(after.graph().output(0).SerializeAsString() == [&] {
      onnx::ModelProto before;
      REQUIRE(before.ParseFromString(in.bytes));
      return before.graph().output(0).SerializeAsString();
    }());
  }
}

TEST_CASE("Elements that are recorded wrong are an error, as they are to engines; of ops that ONNX does not know the "
          "record counts") {
  Recorded wrong(input("x [2]") + node("y = Neg x", "name: \"n\"") + node("z = Relu y") + recorded("y [2]", kHalf) +
                 output("z [2]"));
  CHECK(!wrong.model);
  CHECK(wrong.said() == "m.onnx: error: `y` is recorded as f16[2], but `n` (Neg) makes f32[2]: no engine takes a model "
                        "that errs in a value's elements [onnx-type]\n");
  Recorded unknown(input("x [2]") + node("y = other.Odd x") + node("z = Relu y") + recorded("y [2]", kHalf) +
                   output("z [2]", kHalf));
  CHECK(unknown.said().empty());
  CHECK(unknown.type("z") == "f16[2]");
}

TEST_CASE("A recorded symbol is a label: it makes no two sizes equal") {
  auto difference = [](const std::string &graph) {
    return graph + node("s = Shape y") + node("q = Shape x") + node("r = Sub s q") + output("r", kInt);
  };
  std::string kernel =
      "initializer { name: \"w\" data_type: 1 dims: [1, 1, 3, 3] float_data: [1, 1, 1, 1, 1, 1, 1, 1, 1] } ";
  Recorded conv(difference(input("x [1,1,H,W]") + kernel + node("y = Conv x w")) + output("y [1,1,H,W]"));
  CHECK(conv.type("y") == "f32[1, 1, H - 2, W - 2]");
  for (const std::string &record : {recorded("y [N]"), output("y [N]")}) {
    Recorded compress(difference(input("x [N]") + input("k [N]", kBool) + node("y = Compress x k")) + record);
    CHECK(compress.type("y") == "f32[?]");
    CHECK(compress.comesOutAsItWas());
    onnx::ModelProto after = compress.optimised();
    CHECK(countOf(*compress.model, "Shape") == 2);
    CHECK(countOf(*compress.model, "Sub") == 1);
    CHECK(compress.said().empty());
  }
  Recorded opaque(input("x [N]") + node("y = other.Odd x") + node("z = other.Odd y") + node("r = Add y z") +
                  recorded("y [M,2]") + recorded("z [M,2]") + output("r [M,2]"));
  CHECK(opaque.type("y") == "f32[?, 2]");
  CHECK(opaque.type("r") == "f32[?, 2]");
  CHECK(opaque.comesOutAsItWas());
}

TEST_CASE("Inputs of the model that share a symbol are of one size") {
  Recorded in(input("x [N]") + input("y [N]") + node("r = Add x y") + output("r [M]"));
  CHECK(in.type("r") == "f32[N]");
}

TEST_CASE("A recorded number does not count where inference knows the size") {
  Recorded reshape(input("x [N,6]") + constant("m", {-1, 2, 3}) + node("y = Reshape x m") +
                   node("t = Transpose y", ints("perm", {1, 0, 2})) + recorded("y [1,2,3]") + output("t"));
  CHECK(reshape.type("y") == "f32[N, 2, 3]");
  CHECK(reshape.type("t") == "f32[2, N, 3]");
  CHECK(reshape.comesOutAsItWas());
  reshape.optimised();
  CHECK(countOf(*reshape.model, "Transpose") == 1);
  Recorded computed(input("x [N,6]") + node("s = Shape x") + node("y = Expand one s") +
                    "initializer { name: \"one\" data_type: 1 float_data: 1 } " + recorded("y [1,6]") +
                    output("y [1,6]"));
  CHECK(computed.type("y") == "f32[N, 6]");
  CHECK(computed.said().empty());
}

TEST_CASE("Where inference knows nothing, recorded numbers, ranks and elements count") {
  Recorded in(input("x [?,6]") + input("k [?]", kBool) +
              node("y = Compress x k", "attribute { name: \"axis\" type: INT i: 0 }") + node("z = other.Odd y") +
              node("r = Relu z") + recorded("y [4,6]") + recorded("z [B,4]") + output("r"));
  CHECK(in.type("y") == "f32[4, 6]");
  CHECK(in.type("z") == "f32[?, 4]");
  CHECK(in.type("r") == "f32[?, 4]");
  CHECK(in.comesOutAsItWas());
}

TEST_CASE("A record stays when a pass learns no more; where it does, labels of what is still unknown stay") {
  // Which branch is taken is known once the condition is folded: then the size is, too.
  std::string graph =
      input("x [3]") + node("a = other.Odd x") + node("c = Identity yes") +
      "initializer { name: \"yes\" data_type: 9 int32_data: 1 } " +
      node("y = If c",
           graphAttribute("then_branch",
                          node("p = Concat a a", "attribute { name: \"axis\" type: INT i: 1 }") + output("p")) +
               graphAttribute("else_branch",
                              node("p = Concat a x", "attribute { name: \"axis\" type: INT i: 1 }") + output("p"))) +
      node("q = Neg y") + node("z = other.Odd q") + recorded("a [M,4]") + recorded("q [K,L]") + output("z [P]");
  Recorded in(graph);
  CHECK(in.type("q") == "f32[?, ?]");
  CHECK(in.comesOutAsItWas());
  onnx::ModelProto after = in.optimised();
  CHECK(countOf(*in.model, "If") == 0);
  int looked = 0;
  for (const onnx::ValueInfoProto &v : after.graph().value_info()) {
    const onnx::TensorShapeProto &shape = v.type().tensor_type().shape();
    if (v.name() != "a" && v.name() != "q")
      continue;
    ++looked;
    CHECK(shape.dim(0).dim_param() == (v.name() == "a" ? "M" : "K"));
    CHECK(shape.dim(1).dim_value() == (v.name() == "a" ? 4 : 8));
  }
  CHECK(looked == 2);
}

TEST_CASE("Records in the branches of an If") {
  auto branch = [](const char *name, const char *op, const char *record) {
    return graphAttribute(name, node(std::string("r = ") + op + " x") + output(record));
  };
  Recorded wrong(input("x [2]") + input("c []", kBool) +
                 node("y = If c", branch("then_branch", "Neg", "r [5]") + branch("else_branch", "Abs", "r [7]")) +
                 output("y [5]"));
  CHECK(wrong.type("r") == "f32[2] f32[2]");
  CHECK(wrong.type("y") == "f32[2]");
  CHECK(wrong.said().find("and of 2 more the record is wrong") != std::string::npos);
  CHECK(wrong.comesOutAsItWas());
  Recorded label(input("x [N]") + input("k [N]", kBool) + input("c []", kBool) +
                 node("y = If c", graphAttribute("then_branch", node("r = Compress x k") + output("r [N]")) +
                                      branch("else_branch", "Abs", "r [N]")) +
                 output("y [N]"));
  CHECK(label.type("r") == "f32[N] f32[?]"); // the else branch comes first
  CHECK(label.type("y") == "f32[?]");
}

namespace {
/// A loop that carries `s`, which begins as `x`.
std::string loop(const std::string &body, const std::string &carried, const std::string &result) {
  return node("last = Loop n  x",
              graphAttribute("body", node("co = Identity ci") + body + input("i []", kInt) + input("ci []", kBool) +
                                         input(carried) + output("co []", kBool) + output(result))) +
         "initializer { name: \"n\" data_type: 7 int64_data: 3 } ";
}
const std::string kGrow = node("so = Concat s x", "attribute { name: \"axis\" type: INT i: 0 }");
} // namespace

TEST_CASE("What a loop carries is of the recorded sizes only if each round keeps them") {
  Recorded lie(input("x [2]") + loop(kGrow, "s [2]", "so [2]") + output("last [2]"));
  CHECK(lie.type("s") == "f32[?]");
  CHECK(lie.type("so") == "f32[?]");
  CHECK(lie.comesOutAsItWas());
  CHECK(lie.said().find("`so` is recorded as f32[2], but its Concat makes f32[4]") != std::string::npos);
  Recorded label(input("x [N]") + loop(kGrow, "s [N]", "so [N]") + output("last [N]"));
  CHECK(label.type("s") == "f32[?]");
  CHECK(label.type("last") == "f32[?]");
  CHECK(label.comesOutAsItWas());
  Recorded stale(input("x [N]") + loop(node("so = Neg s"), "s [1]", "so [1]") + output("last [1]"));
  CHECK(stale.type("s") == "f32[?]"); // N in the first round
  Recorded truth(input("x [2]") + loop(node("so = Neg s"), "s [2]", "so [2]") + output("last"));
  CHECK(truth.type("s") == "f32[2]");
  CHECK(truth.type("last") == "f32[2]");
  CHECK(truth.said().empty());
  std::string inner =
      loop(kGrow, "s [2]", "so [2]") + node("t2 = Concat t x", "attribute { name: \"axis\" type: INT i: 0 }");
  Recorded nested(input("x [2]") + loop(inner, "t [2]", "t2 [2]") + output("last [2]"));
  for (const char *name : {"s", "so", "t", "t2"})
    CHECK(nested.type(name) == "f32[?]");
  CHECK(nested.comesOutAsItWas());
}

TEST_CASE("What a Scan's body gets follows from the operands") {
  Recorded in(
      input("x [T,N]") + input("h [N]") +
      node("last all = Scan h x", graphAttribute("body", node("so = Add s e") + node("o = Neg so") + input("s [M]") +
                                                             input("e [7]") + output("so [M]") + output("o [7]")) +
                                      "attribute { name: \"num_scan_inputs\" type: INT i: 1 } ") +
      output("last") + output("all"));
  CHECK(in.type("s") == "f32[N]");
  CHECK(in.type("e") == "f32[N]");
  CHECK(in.type("last") == "f32[N]");
  CHECK(in.comesOutAsItWas());
}

TEST_CASE("Calls make what the function returns, whatever is recorded of them") {
  std::string function =
      R"(functions { name: "F" domain: "other" input: "a" output: "b" opset_import { version: 15 } )" +
      node("b = Neg a") + "}";
  Recorded in(input("x [N,3]") + node("y = other.F x") + node("z = Relu y") + recorded("y [1,3]") + output("z [M,3]"),
              function);
  CHECK(in.type("y") == "f32[N, 3]");
  CHECK(in.type("z") == "f32[N, 3]");
  CHECK(in.type("b") == "f32[N, 3]");
  CHECK(in.comesOutAsItWas());
  Recorded wrong(input("x [2,3]") + node("y = other.F x") + node("z = Relu y") + recorded("y [1,3]") +
                     output("z [M,3]"),
                 function);
  CHECK(wrong.said() == untrue("`y` is recorded as f32[1, 3], but its other.F makes f32[2, 3]"));
  CHECK(wrong.type("z") == "f32[2, 3]");
}
