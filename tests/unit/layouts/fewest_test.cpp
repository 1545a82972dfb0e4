// Random graphs with transposes through the passes that move them, against every assignment of layouts there is: the
// fewest transposes are left, the bound that the pass tells never lies, and a second run changes nothing.
//
// RW_LAYOUT_GRAPHS=N: so many graphs (400).
#include "../support/builtin_passes.h"
#include "../support/random_program.h"
#include "rw/interp/compare.h"
#include "rw/ir/builder.h"
#include "rw/ir/printer.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <doctest/doctest.h>
#include <map>
#include <numeric>
#include <set>

using namespace rw;
using test::runPipeline;

namespace {
using Perm = std::vector<int64_t>;

Perm composed(const Perm &inner, const Perm &outer) {
  Perm out;
  for (int64_t i : outer)
    out.push_back(inner[size_t(i)]);
  return out;
}
Perm inverted(const Perm &p) {
  Perm out(p.size());
  for (size_t i = 0; i < p.size(); ++i)
    out[size_t(p[i])] = int64_t(i);
  return out;
}
Perm plain(size_t rank) {
  Perm p(rank);
  std::iota(p.begin(), p.end(), 0);
  return p;
}

/// Cubes and their transposes, ops that work on each element, on rows, beside constants, on channels, which stay where
/// they are, and products that nothing can be carried past.
class CubePrograms {
public:
  CubePrograms(Program &program, uint64_t seed)
      : random_(seed), ctx_(program.context()), fn_(program.addFunction("main")), b_(fn_, fn_.body()) {
    rank_ = 2 + random_.below(3);
    type_ = ctx_.tensorType(DType::F32, std::vector<Dim>(rank_, Dim(3)));
    for (size_t i = 0, n = 1 + random_.below(3); i < n; ++i)
      values_.push_back(fn_.addParam(type_));
    size_t movers = 2 + random_.below(11),
           crossed = 2 + random_.below(rank_ == 2   ? 8
                                       : rank_ == 3 ? 4
                                                    : 2),
           barriers = random_.below(4);
    while (movers + crossed + barriers > 0) {
      size_t kind = random_.below(movers + crossed + barriers);
      if (kind < movers)
        --movers, transpose();
      else if (kind < movers + crossed)
        --crossed, cross();
      else
        --barriers, add("onnx.MatMul", {any(), any()});
    }
    std::vector<ValueId> results{values_.back().id};
    for (size_t i = random_.below(3); i > 0; --i)
      results.push_back(any().id);
    b_.createReturn(results);
  }

private:
  const OpSchema &op(std::string_view name) { return test::builtins().ops.schema(test::builtins().ops.lookup(name)); }
  Value any() { return random_.chance(50) ? values_.back() : values_[random_.below(values_.size())]; }
  void add(std::string_view name, std::initializer_list<Value> operands) {
    values_.push_back(b_.create(op(name), operands).result());
  }
  void transpose() {
    Perm perm = plain(rank_);
    for (size_t i = rank_; i > 1; --i)
      std::swap(perm[i - 1], perm[random_.below(i)]);
    values_.push_back(b_.create(op("onnx.Transpose"), {any()}, {ctx_.intsAttr(perm)}).result());
  }
  void cross() {
    auto constant = [&] {
      float elements[] = {1, 2, float(random_.below(9))};
      TypeId type = ctx_.tensorType(DType::F32, {Dim(3)});
      return b_.createConstant("onnx", ctx_.denseAttr(type, std::as_bytes(std::span(elements))), type);
    };
    switch (random_.below(6)) {
    case 0:
      return add("onnx.Relu", {any()});
    case 1:
      return add("onnx.Tanh", {any()});
    case 2:
      return add("onnx.Mul", {any(), constant()});
    case 3:
      return add("onnx.BatchNormalization", {any(), constant(), constant(), constant(), constant()});
    default:
      return add(random_.chance(50) ? "onnx.Add" : "onnx.Sub", {any(), any()});
    }
  }

  test::RandomPrograms random_;
  Context &ctx_;
  Function &fn_;
  OpBuilder b_;
  size_t rank_;
  TypeId type_;
  std::vector<Value> values_;
};

/// The fewest transposes by trying every layout of every op. Knows nothing of the pass: values without their
/// transposes, forms wanted.
class BruteForce {
public:
  explicit BruteForce(Function &fn) : fn_(fn) {
    for (ValueId v : fn.params(fn.body()))
      rank_ = fn.value(v).type().dims.size();
    Perm p = plain(rank_);
    do
      perms_.push_back(p);
    while (std::ranges::next_permutation(p).found);
    for (Op op : fn.ops(fn.body()))
      if (op.fullName() == "onnx.Transpose" || op.resultCount() == 0 || op.result().constant())
        continue;
      else if (op.fullName() != "onnx.MatMul")
        place_[op.id.raw] = free_++, layouts_.push_back(layoutsOf(op));
    // What users want of each root: by an op that is free, or as it stands.
    for (Op op : fn.ops(fn.body()))
      if (op.fullName() != "onnx.Transpose")
        for (unsigned i = 0; i < op.operandCount(); ++i)
          if (!op.operand(i).constant())
            want(op.operand(i), place_.contains(op.id.raw) ? int(place_[op.id.raw]) : -1);
  }
  /// How many assignments there are.
  double size() const {
    return std::accumulate(layouts_.begin(), layouts_.end(), 1.0,
                           [](double product, const std::vector<Perm> &all) { return product * double(all.size()); });
  }
  uint64_t fewest() {
    std::vector<size_t> chosen(free_);
    uint64_t best = UINT64_MAX;
    while (true) {
      best = std::min(best, cost(chosen));
      size_t i = 0;
      while (i < free_ && ++chosen[i] == layouts_[i].size())
        chosen[i++] = 0;
      if (i == free_)
        return best;
    }
  }

private:
  /// Those in which the op can be computed, the one that it has first.
  std::vector<Perm> layoutsOf(Op op) const {
    std::vector<Perm> out = perms_;
    if (op.fullName() == "onnx.BatchNormalization") // channels are dimension 1
      std::erase_if(out, [](const Perm &p) { return p[1] != 1; });
    return out;
  }
  struct Want {
    Perm form; // that gives the root back
    int by;    // the op that is free, or none
  };
  void want(Value v, int by) {
    Perm form = plain(rank_);
    while (v.definingOp() && v.definingOp().fullName() == "onnx.Transpose") {
      AttrId attr = v.definingOp().attrOrDefault(0);
      std::span<const int64_t> p = fn_.context().attr(attr).ints;
      form = composed(form, inverted(Perm(p.begin(), p.end()))); // first what is nearer to the root
      v = v.definingOp().operand(0);
    }
    // form: root = T_form(v), collected from v towards the root.
    wants_[v.id.raw].push_back({form, by});
  }
  uint64_t cost(const std::vector<size_t> &chosen) {
    uint64_t movers = 0;
    for (auto &[root, wants] : wants_) {
      Op def = fn_.value(ValueId(root)).definingOp();
      Perm made =
          def && place_.contains(def.id.raw) ? layouts_[place_[def.id.raw]][chosen[place_[def.id.raw]]] : perms_[0];
      std::set<Perm> forms;
      for (const Want &want : wants)
        forms.insert(want.by < 0 ? want.form : composed(layouts_[size_t(want.by)][chosen[size_t(want.by)]], want.form));
      forms.erase(made);
      movers += forms.size();
    }
    return movers;
  }

  Function &fn_;
  size_t rank_ = 0, free_ = 0;
  std::vector<Perm> perms_;
  std::vector<std::vector<Perm>> layouts_; // of each op that is free
  std::map<uint32_t, size_t> place_;       // of ops that can be crossed
  std::map<uint32_t, std::vector<Want>> wants_;
};

uint64_t transposesOf(Program &program) {
  uint64_t n = 0;
  Function &fn = *program.function("main");
  for (Op op : fn.ops(fn.body()))
    n += op.fullName() == "onnx.Transpose";
  return n;
}

/// What the last run of the pass says: of transposes of this dialect, where there are any.
uint64_t boundOf(const PassManagerResult &result) {
  std::vector<uint64_t> said;
  for (const PassRecord &record : result.records)
    if (record.pass == "move_regions") {
      size_t at = record.message.find("lower bound ");
      said.push_back(at == std::string::npos ? 0 : std::strtoul(record.message.c_str() + at + 12, nullptr, 10));
    }
  return said.size() < 2 ? 0 : std::max(said[said.size() - 1], said[said.size() - 2]);
}

constexpr const char *kPipeline = "cse, dce, repeat(16) { layout, transpose_dags, cse, dce }";

size_t graphs() {
  const char *n = std::getenv("RW_LAYOUT_GRAPHS");
  return n ? size_t(std::strtoul(n, nullptr, 10)) : 400;
}
} // namespace

TEST_CASE("of all layouts of random graphs those with the fewest transposes are found") {
  size_t compared = 0, removed = 0;
  for (uint64_t seed = 0; compared < graphs(); ++seed) {
    Program program(test::builtins().ops);
    CubePrograms(program, seed);
    runPipeline(program, "cse, dce", false);
    BruteForce before(*program.function("main"));
    if (before.size() > 20'000)
      continue;
    ++compared;
    CAPTURE(seed);
    std::string text = printProgram(program);
    CAPTURE(text);
    uint64_t possible = before.fewest(), there = transposesOf(program);
    Program original = program.clone();
    PassManagerResult result = runPipeline(program, kPipeline, false);
    std::string once = printProgram(program);
    CAPTURE(once);
    uint64_t left = transposesOf(program), bound = boundOf(result);
    removed += there - left;
    CHECK(left <= possible);
    // ops that became one may have left fewer than there were to begin with
    CHECK(left == BruteForce(*program.function("main")).fewest());
    CHECK(bound == left);
    if (compared % 8 == 0) {
      Comparison c = compareFunctions(*original.function("main"), *program.function("main"), 1, 1e-4, seed);
      INFO(c.text);
      CHECK(c.outcome == Comparison::Agree);
    }
    CHECK_FALSE(runPipeline(program, kPipeline, false).changed);
    CHECK(printProgram(program) == once);
  }
  CHECK(removed > graphs());
}
