// Types that are proved to be the same where sizes are unknown are the same whatever the sizes are: random programs, in
// which each pair of values is asked for, and then the same programs of sizes that are known.
#include "../support/builtin_passes.h"
#include "rw/ir/nameless_dims.h"
#include "rw/ir/parser.h"
#include "rw/ir/verifier.h"
#include "rw/rewrite/type_proof.h"

#include <doctest/doctest.h>

#include <functional>
#include <random>

using namespace rw;

namespace {

/// A program as text, its parameters' types to be filled in: `inputs` of rank 3, then one op a line.
class TypeProofProgram {
public:
  explicit TypeProofProgram(uint64_t seed) : random_(seed) {
    for (int i = 0; i < kInputs; ++i)
      for (int d = 0; d < 3; ++d)
        sizes_.push_back(pick(4) == 0   ? std::to_string(1 + pick(3))
                         : pick(5) == 0 ? std::string("B")
                                        : std::string("?"));
    for (int i = 0; i < kInputs; ++i)
      values_.push_back("%x" + std::to_string(i));
    for (int i = 0; i < kOps; ++i)
      addOp();
  }
  /// With what stands for `?`, one after the other, and for B.
  std::string text(const std::function<std::string(const std::string &)> &size) const {
    std::string out = "func @main(";
    for (int i = 0; i < kInputs; ++i) {
      out += (i ? ", %x" : "%x") + std::to_string(i) + ": f32[";
      for (int d = 0; d < 3; ++d)
        out += (d ? ", " : "") + size(sizes_[size_t(i * 3 + d)]);
      out += "]";
    }
    return out + ") {\n" + ops_ + "  return\n}\n";
  }

private:
  static constexpr int kInputs = 3, kOps = 12;
  int pick(int n) { return int(random_() % unsigned(n)); }
  const std::string &any() { return values_[size_t(pick(int(values_.size())))]; }
  void addOp() {
    static const char *const kPerms[] = {"0, 1, 2", "1, 0, 2", "2, 1, 0", "0, 2, 1", "1, 2, 0", "2, 0, 1"};
    std::string op;
    switch (pick(7)) {
    case 0:
      op = "tensor.relu(" + any() + ")";
      break;
    case 1:
      op = "tensor.add(" + any() + ", " + any() + ")";
      break;
    case 2:
    case 3:
      op = "tensor.transpose(" + any() + ") {perm = [" + kPerms[pick(6)] + "]}";
      break;
    case 4:
      op = "tensor.reduce_sum(" + any() + ") {axes = [" + std::to_string(pick(3)) + "], keepdims = true}";
      break;
    case 5:
      op = "tensor.concat(" + any() + ", " + any() + ") {axis = " + std::to_string(pick(3)) + "}";
      break;
    default:
      op = "tensor.softmax(" + any() + ") {axis = " + std::to_string(pick(3)) + "}";
      break;
    }
    values_.push_back("%v" + std::to_string(values_.size()));
    ops_ += "  " + values_.back() + " = " + op + "\n";
  }

  std::mt19937_64 random_;
  std::vector<std::string> sizes_, values_;
  std::string ops_;
};

struct TypeProofParsed {
  SourceManager sources;
  Diagnostics diags{sources};
  std::unique_ptr<Program> program;
  std::vector<Value> values; // parameters, then results
  explicit TypeProofParsed(const std::string &text) {
    program = parseProgram(sources.addText("random.rwir", text), sources, diags, test::builtins().ops);
    if (!program || !verifyProgram(*program, diags))
      return;
    Function &fn = *program->function("main");
    for (ValueId v : fn.params(fn.body()))
      values.push_back(fn.value(v));
    for (Op op : fn.ops(fn.body()))
      for (unsigned i = 0; i < op.resultCount(); ++i)
        values.push_back(op.result(i));
  }
};

} // namespace

TEST_CASE("types that are proved to be the same are so for all sizes") {
  std::mt19937_64 random(7);
  unsigned proved = 0, compared = 0, refuted = 0;
  for (uint64_t seed = 0; seed < 300; ++seed) {
    TypeProofProgram program(seed);
    TypeProofParsed open(program.text([](const std::string &size) { return size; }));
    if (open.values.empty())
      continue; // known sizes that do not fit
    std::vector<std::pair<size_t, size_t>> same;
    for (size_t a = 0; a < open.values.size(); ++a)
      for (size_t b = 0; b < open.values.size(); ++b) {
        if (a == b || open.values[a].type().known)
          continue;
        std::vector<TypeId> before;
        for (Value v : open.values)
          before.push_back(v.typeId());
        if (provablySameType(open.values[a], open.values[b]))
          same.push_back({a, b});
        for (size_t i = 0; i < before.size(); ++i)
          REQUIRE(open.values[i].typeId() == before[i]);
      }
    proved += unsigned(same.size());
    for (int attempt = 0; attempt < 20; ++attempt) {
      std::string b = std::to_string(1 + random() % 3);
      std::string text = program.text([&](const std::string &size) {
        return size == "?" ? std::to_string(1 + random() % 3) : size == "B" ? b : size;
      });
      TypeProofParsed known(text);
      if (known.values.empty())
        continue; // sizes that do not fit
      REQUIRE(known.values.size() == open.values.size());
      CAPTURE(text);
      for (auto [x, y] : same)
        CHECK(known.values[x].typeId() == known.values[y].typeId());
      compared += unsigned(same.size());
      for (size_t x = 0; x < known.values.size(); ++x)
        for (size_t y = 0; y < known.values.size(); ++y)
          refuted += known.values[x].typeId() != known.values[y].typeId();
    }
  }
  CHECK(proved > 500);
  CHECK(compared > 500);
  CHECK(refuted > 500); // sizes do differ, so that a wrong proof would show
}

TEST_CASE("sizes without a name are their own, and stretch to the same in any order") {
  Program program(test::builtins().ops);
  DimTable &dims = program.context().dims();
  CHECK(NamelessDims::stretched(Dim(2), Dim(3)).isUnknown());
  NamelessDims unknown(dims);
  Dim a = unknown.next(), b = unknown.next(), c = unknown.next();
  CHECK(a != b);
  CHECK(NamelessDims::stretched(a, a) == a);
  Dim ab = NamelessDims::stretched(a, b);
  CHECK(ab == NamelessDims::stretched(b, a));
  CHECK(ab != a);
  CHECK(NamelessDims::stretched(ab, c) == NamelessDims::stretched(NamelessDims::stretched(c, b), a));
  CHECK(NamelessDims::stretched(ab, a) == ab);
  CHECK(NamelessDims::stretched(a, Dim::unknown()).isUnknown());
  CHECK(dims.toString(a) == "?");
  {
    NamelessDims inner(dims);
    Dim d = inner.next();
    CHECK(d != a);
    CHECK(d != b);
    CHECK(d != c);
    CHECK(d != ab);
  }
}
