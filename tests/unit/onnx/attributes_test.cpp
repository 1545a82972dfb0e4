// Attributes of every kind come back from a model as they went in: a pattern matches the same before and after.
#include "onnx_fixture.h"

#include "rw/ir/printer.h"
#include "rw/ir/verifier.h"

#include <cmath>
#include <limits>
#include <random>

using namespace onnxtest;
using rw::AttrId;
using rw::AttrType;
using rw::Dim;

namespace {
/// Every kind of attribute that can be declared, but for a function's name.
constexpr AttrType kKinds[] = {
    AttrType::Int,      AttrType::Float,  AttrType::Bool,   AttrType::String, AttrType::DType,   AttrType::Type,
    AttrType::Dim,      AttrType::Ints,   AttrType::Floats, AttrType::Bools,  AttrType::Strings, AttrType::Dims,
    AttrType::IntLists, AttrType::DTypes, AttrType::Types,  AttrType::Tensor, AttrType::Any};

/// An op with one attribute, declared to be of the kind.
struct Declared {
  rw::AttrSchema attr[1];
  rw::OpSchema schemas[1]; // which the registry does not copy
  rw::OpRegistry ops;
  explicit Declared(AttrType kind)
      : attr{{"a", kind, false}}, schemas{{.dialect = "engine",
                                           .name = "K",
                                           .operands = kX,
                                           .results = kY,
                                           .attrs = attr,
                                           .domain = "com.example.engine"}} {
    ops.add(schemas[0]);
  }
};

/// A model whose first op, of this domain, has the attributes of the text.
std::string modelWith(const std::string &attributes, const std::string &domain = "com.example.engine") {
  onnx::ModelProto m = modelOf("input { name: \"x\" } node { op_type: \"K\" domain: \"" + domain +
                               "\" input: \"x\" output: \"y\" " + attributes + " } output { name: \"y\" }");
  onnx::OperatorSetIdProto *opset = m.add_opset_import();
  opset->set_domain(domain);
  opset->set_version(1);
  return m.SerializeAsString();
}

struct Read {
  rw::SourceManager sources;
  rw::Diagnostics diags{sources};
  std::optional<rw::OnnxModel> model;
  Read(const std::string &bytes, const rw::OpRegistry &ops) : model(rw::importOnnxBytes(bytes, "m.onnx", ops, diags)) {
    INFO(diags.renderText());
    REQUIRE(model);
  }
  rw::Context &ctx() { return model->main().context(); }
  rw::Op op() {
    rw::Function &fn = model->main();
    return *fn.ops(fn.body()).begin();
  }
  AttrId attr() { return op().kind() == rw::kOpaqueKind ? op().extraAttr("a") : op().attr(0); }
  std::string text() {
    std::string out;
    rw::appendAttr(out, ctx(), attr());
    return out;
  }
  void set(AttrId a) {
    rw::Function &fn = model->main();
    bool opaque = op().kind() == rw::kOpaqueKind;
    fn.setAttrs(op().id,
                opaque ? ctx().withExtra(op().attrsId(), ctx().intern("a"), a) : ctx().withAttr(op().attrsId(), 0, a));
  }
  std::string written() {
    std::string bytes;
    bool ok = rw::exportOnnxBytes(*model, bytes, diags);
    INFO(diags.renderText());
    REQUIRE(ok);
    return bytes;
  }
};

/// Values of every kind, those that are easily mixed up or lost among them.
struct Values {
  rw::Context &ctx;
  std::mt19937 rng;

  unsigned upTo(unsigned n) { return unsigned(rng() % (n + 1)); }
  int64_t number() {
    constexpr int64_t some[] = {0, 1, 2, -1, 7, INT64_MAX, INT64_MIN};
    return some[upTo(6)];
  }
  double real() {
    const double some[] = {0.0, -0.0, 1.0, 0.1, -2.5, std::numeric_limits<double>::infinity(), std::nan("")};
    return some[upTo(6)];
  }
  std::string word() {
    const char *some[] = {"", "a", "f32", "true", "3", "B", "[1]", "@f", "rw: bool", "f32[2]"};
    return some[upTo(9)];
  }
  rw::DType dtype() { return rw::DType(upTo(rw::kDTypeCount - 1)); }
  Dim dim() {
    Dim b = ctx.dims().symbol(ctx.intern("B"));
    const Dim some[] = {Dim(0), Dim(3), b, ctx.dims().mul(b, Dim(2)), Dim::number(-3), Dim::unknown()};
    return some[upTo(5)];
  }
  rw::TypeId type(unsigned depth = 0) {
    unsigned way = upTo(depth < 2 ? 6 : 4);
    if (way == 0)
      return ctx.unknownType();
    if (way == 1)
      return ctx.unrankedType(dtype());
    if (way > 4) {
      rw::TypeId parts[] = {type(depth + 1), type(depth + 1)};
      return way == 5 ? ctx.tupleType(parts) : ctx.opaqueType("seq<f32[2]>");
    }
    rw::Dims dims;
    for (unsigned n = upTo(3); n; --n) {
      Dim d = dim();
      dims.push_back(d.isNegative() ? Dim::unknown() : d); // a size
    }
    return ctx.tensorType(dtype(), dims);
  }
  template <class One> AttrId list(One one) {
    std::vector<AttrId> elements;
    for (unsigned n = upTo(3); n; --n)
      elements.push_back(one());
    return ctx.listAttr(elements);
  }
  AttrId tensor() {
    int64_t n = upTo(3);
    Dim dims[] = {Dim(n)};
    if (upTo(1)) {
      std::vector<float> data;
      for (int64_t i = 0; i < n; ++i)
        data.push_back(float(real()));
      return ctx.denseAttr(ctx.tensorType(rw::DType::F32, dims), std::as_bytes(std::span(data)));
    }
    std::vector<rw::StringId> words;
    for (int64_t i = 0; i < n; ++i)
      words.push_back(ctx.intern(word()));
    return ctx.denseStringsAttr(ctx.tensorType(rw::DType::String, dims), words);
  }
  AttrId of(AttrType kind) {
    switch (kind) {
    case AttrType::Int:
      return ctx.intAttr(number());
    case AttrType::Float:
      return ctx.floatAttr(real());
    case AttrType::Bool:
      return ctx.boolAttr(upTo(1));
    case AttrType::String:
      return ctx.stringAttr(word());
    case AttrType::DType:
      return ctx.dtypeAttr(dtype());
    case AttrType::Type:
      return ctx.typeAttr(type());
    case AttrType::Dim:
      return ctx.dimAttr(dim());
    case AttrType::Ints: {
      std::vector<int64_t> some(upTo(3));
      std::ranges::generate(some, [&] { return number(); });
      return ctx.intsAttr(some);
    }
    case AttrType::Floats: {
      std::vector<double> some(upTo(3));
      std::ranges::generate(some, [&] { return real(); });
      return ctx.floatsAttr(some);
    }
    case AttrType::Dims: {
      rw::Dims some;
      for (unsigned n = upTo(3); n; --n)
        some.push_back(dim());
      return ctx.dimsAttr(some);
    }
    case AttrType::Bools:
      return list([&] { return of(AttrType::Bool); });
    case AttrType::Strings:
      return list([&] { return of(AttrType::String); });
    case AttrType::DTypes:
      return list([&] { return of(AttrType::DType); });
    case AttrType::Types:
      return list([&] { return of(AttrType::Type); });
    case AttrType::IntLists:
      return list([&] { return of(AttrType::Ints); });
    case AttrType::Tensor:
      return tensor();
    case AttrType::Symbol:
      return ctx.symbolAttr("f");
    case AttrType::Any:
      switch (upTo(19)) {
      case 0:
        return ctx.unitAttr();
      case 1:
        return list([&] { return of(AttrType::Any); });
      default:
        return of(kKinds[upTo(15)]);
      }
    }
    return {};
  }
};
} // namespace

TEST_CASE("An attribute of any kind is written and read as it is, and written again as it was") {
  for (AttrType kind : kKinds) {
    Declared declared(kind);
    for (unsigned seed = 0; seed < 150; ++seed) {
      for (const char *domain : {"com.example.engine", "com.example.unknown"}) {
        Read first(modelWith("", domain), declared.ops);
        bool known = domain == std::string("com.example.engine");
        REQUIRE((first.op().kind() != rw::kOpaqueKind) == known);
        AttrId value = Values{first.ctx(), std::mt19937(seed)}.of(kind);
        REQUIRE(rw::attrFits(first.ctx(), value, kind));
        first.set(value);
        std::string text = first.text(), bytes = first.written();
        CAPTURE(text);
        CAPTURE(domain);
        CAPTURE(int(kind));
        Read second(bytes, declared.ops);
        CHECK(second.text() == text);
        CHECK((second.op().kind() != rw::kOpaqueKind) == known);
        CHECK(second.diags.all().empty());
        CHECK(second.written() == bytes);
        // An edit beside it leaves it as it is.
        second.model->main().setOpName(second.op().id, second.ctx().intern("edited"));
        CHECK(Read(second.written(), declared.ops).text() == text);
      }
    }
  }
}

TEST_CASE("What other tools write is read as the op declares it") {
  struct Case {
    AttrType kind;
    const char *message, *text;
  };
  const Case cases[] = {
      {AttrType::Bool, "type: INT i: 1", "true"},
      {AttrType::Bool, "type: INT i: 0", "false"},
      {AttrType::Bools, "type: INTS ints: 1 ints: 0", "[true, false]"},
      {AttrType::DType, "type: INT i: 10", "f16"},
      {AttrType::DType, "type: STRING s: \"bf16\"", "bf16"},
      {AttrType::DType, "type: STRING s: \"FLOAT\"", "f32"},
      {AttrType::DTypes, "type: INTS ints: 1 ints: 7", "[f32, i64]"},
      {AttrType::DTypes, "type: STRINGS strings: \"f32\" strings: \"INT64\"", "[f32, i64]"},
      {AttrType::Dim, "type: INT i: 4", "dim<4>"},
      {AttrType::Dim, "type: STRING s: \"2*B + 1\"", "dim<B*2 + 1>"},
      {AttrType::Dims, "type: INTS ints: 4 ints: -1", "dims<4, -1>"},
      {AttrType::Dims, "type: INTS", "dims<>"},
      {AttrType::Type, "type: TYPE_PROTO tp { tensor_type { elem_type: 1 } }", "f32[*]"},
      {AttrType::Type, "type: STRING s: \"f32[B, 2]\"", "f32[B, 2]"},
      {AttrType::IntLists, "type: STRING s: \"[[1], []]\"", "[[1], []]"},
      {AttrType::Any, "type: INT i: 1", "1"},
      {AttrType::Any, "type: STRING s: \"f32\"", "\"f32\""},
      {AttrType::Any, "type: INT i: 1 doc_string: \"whether\"", "1"},
      {AttrType::String, "type: STRING s: \"f32\"", "\"f32\""},
  };
  for (const Case &c : cases) {
    CAPTURE(c.message);
    Declared declared(c.kind);
    std::string bytes = modelWith(std::string("attribute { name: \"a\" ") + c.message + " }");
    Read read(bytes, declared.ops);
    CHECK(read.op().kind() != rw::kOpaqueKind);
    CHECK(read.text() == c.text);
    CHECK(read.diags.all().empty());
    CHECK(read.written() == bytes);
  }
}

TEST_CASE("What is not of the declared kind leaves the op opaque, with a warning that says why") {
  struct Case {
    AttrType kind;
    const char *message, *text;
  };
  const Case cases[] = {
      {AttrType::Bool, "type: INT i: 7", "7"},
      {AttrType::DType, "type: INT i: 99", "99"},
      {AttrType::DType, "type: STRING s: \"half\"", "\"half\""},
      {AttrType::Dim, "type: STRING s: \"B +\"", "\"B +\""},
      {AttrType::Float, "type: INT i: 1", "1"},
      {AttrType::Bools, "type: INTS ints: 1 ints: 2", "[1, 2]"},
      {AttrType::Symbol, "type: STRING s: \"@f\"", "\"@f\""},
      {AttrType::Type, "type: STRING s: \"f32[\" doc_string: \"rw: type\"", "\"f32[\""},
  };
  for (const Case &c : cases) {
    CAPTURE(c.message);
    Declared declared(c.kind);
    std::string bytes = modelWith(std::string("attribute { name: \"a\" ") + c.message + " }");
    Read read(bytes, declared.ops);
    CHECK(read.op().kind() == rw::kOpaqueKind);
    CHECK(read.text() == c.text);
    REQUIRE(read.diags.all().size() == 1);
    CHECK(read.diags.all()[0].message ==
          "#0 (com.example.engine.K, output `y`) stays as it is, and nothing is known of it: its attribute `a` is `" +
              std::string(c.text) + "`, and not a " + std::string(rw::attrTypeName(c.kind)));
    CHECK(read.written() == bytes);
  }
}

TEST_CASE(
    "A function's name is no attribute of a model, and ONNX's own ops have no texts for what ONNX does not know") {
  Declared declared(AttrType::Symbol);
  Read called(modelWith(""), declared.ops);
  called.set(called.ctx().symbolAttr("f"));
  std::string bytes;
  CHECK(!rw::exportOnnxBytes(*called.model, bytes, called.diags));
  CHECK(called.diags.all()[0].message.find(" has an attribute `a` of a kind that ONNX does not have") !=
        std::string::npos);

  Read own(modelWith("", ""), declared.ops);
  own.set(own.ctx().dimAttr(own.ctx().dims().symbol(own.ctx().intern("B"))));
  CHECK(!rw::exportOnnxBytes(*own.model, bytes, own.diags));
}
