// A toy dialect and patterns over it, for tests of the rewriter and the driver.
//
// Out: `Toy`: schemas t.a, t.b, t.c (unary), t.link (unary, walked by chains), t.f (commutative), t.g (binary), t.k
//      (constant), t.eff (unary with effect), t.two (two results), t.hold (one region, pure), t.folds (unary, folds to
//      its operand if that is a constant); pattern sets; random functions.
#pragma once

#include "rw/rewrite/greedy_driver.h"
#include "rw/rewrite/match_helpers.h"

#include <random>
#include <string>

namespace toy {
using namespace rw;

inline FoldResult foldOfConstant(Op op) {
  Op def = op.operand(0).definingOp();
  if (def && def.hasTrait(Trait::Constant))
    return {FoldResult::ReplacedBy, op.operand(0).id, AttrId()};
  return {};
}
inline bool sameType(const OpInputs &in, std::span<TypeId> types) {
  for (TypeId &t : types)
    t = in.operand(0) ? in.operand(0).typeId() : TypeId();
  return true;
}

inline constexpr OperandSchema kOne[] = {{"x"}}, kTwo[] = {{"x"}, {"y"}};
inline constexpr ResultSchema kResult[] = {{"r"}}, kResults[] = {{"r"}, {"s"}};
inline constexpr AttrSchema kValue[] = {{"value", AttrType::Any, true}};
inline constexpr AttrSchema kTag[] = {{"tag", AttrType::Int, false}};
inline constexpr std::string_view kRegions[] = {"body"};
constexpr Traits kPure = Traits(Trait::Pure);

inline const OpSchema a{.dialect = "t",
                        .name = "a",
                        .operands = kOne,
                        .results = kResult,
                        .attrs = kTag,
                        .traits = kPure,
                        .inferTypes = sameType};
inline const OpSchema b{.dialect = "t",
                        .name = "b",
                        .operands = kOne,
                        .results = kResult,
                        .attrs = kTag,
                        .traits = kPure,
                        .inferTypes = sameType};
inline const OpSchema c{.dialect = "t",
                        .name = "c",
                        .operands = kOne,
                        .results = kResult,
                        .attrs = kTag,
                        .traits = kPure,
                        .inferTypes = sameType};
inline const OpSchema link{.dialect = "t",
                           .name = "link",
                           .operands = kOne,
                           .results = kResult,
                           .traits = Trait::Pure | Trait::Elementwise,
                           .inferTypes = sameType};
inline const OpSchema f{.dialect = "t",
                        .name = "f",
                        .operands = kTwo,
                        .results = kResult,
                        .traits = Trait::Pure | Trait::Commutative,
                        .inferTypes = sameType};
inline const OpSchema g{
    .dialect = "t", .name = "g", .operands = kTwo, .results = kResult, .traits = kPure, .inferTypes = sameType};
inline const OpSchema k{
    .dialect = "t", .name = "k", .results = kResult, .attrs = kValue, .traits = Trait::Pure | Trait::Constant};
inline const OpSchema eff{.dialect = "t",
                          .name = "eff",
                          .operands = kOne,
                          .results = kResult,
                          .traits = Traits(Trait::EffectState),
                          .inferTypes = sameType};
inline const OpSchema two{
    .dialect = "t", .name = "two", .operands = kOne, .results = kResults, .traits = kPure, .inferTypes = sameType};
inline const OpSchema hold{.dialect = "t",
                           .name = "hold",
                           .operands = kOne,
                           .results = kResult,
                           .regions = kRegions,
                           .traits = kPure,
                           .inferTypes = sameType};
inline const OpSchema folds{.dialect = "t",
                            .name = "folds",
                            .operands = kOne,
                            .results = kResult,
                            .traits = kPure,
                            .inferTypes = sameType,
                            .fold = foldOfConstant};

inline const OpSchema *const kAll[] = {&a, &b, &c, &link, &f, &g, &k, &eff, &two, &hold, &folds};

inline void registerToy(OpRegistry &ops) {
  for (const OpSchema *schema : kAll)
    ops.add(*schema);
}

/// A pattern from a function.
struct Lambda final : MultiOpPattern {
  using Body = std::function<bool(Op, PatternRewriter &)>;
  Lambda(const OpRegistry &ops, PatternInfo info, const OpSchema &root, Body body)
      : MultiOpPattern(info, {ops.kindOf(root)}), body_(std::move(body)) {}
  Lambda &chains(const OpRegistry &ops, const OpSchema &kind) {
    chainKinds_.push_back(ops.kindOf(kind));
    return *this;
  }
  bool matchAndRewrite(Op op, PatternRewriter &rw) const override { return body_(op, rw); }
  Body body_;
};

inline Op def(Value v, const OpSchema &s) {
  Op op = v ? v.definingOp() : Op{};
  return op && op.is(s) ? op : Op{};
}

/// The patterns by number; every set of them terminates.
constexpr unsigned kPatternCount = 19;
inline void addPattern(PatternSet &set, unsigned number) {
  const OpRegistry &ops = set.ops();
  auto add = [&](PatternInfo info, const OpSchema &root, Lambda::Body body) -> Lambda & {
    auto made = std::make_unique<Lambda>(ops, info, root, std::move(body));
    Lambda &pattern = *made;
    set.add(std::move(made));
    return pattern;
  };
  switch (number) {
  case 0: // a(a(x)) => x
    add({.name = "AA", .benefit = 2, .depth = 2, .looksAtLeaves = false}, a, [](Op op, PatternRewriter &rw) {
      Op in = def(op.operand(0), a);
      return in ? rw.replaceOp(op, in.operand(0)) : rw.noMatch(op, "no a below");
    });
    break;
  case 1: // b(a(x)) => a(b(x))
    add({.name = "BA", .depth = 2, .looksAtLeaves = false}, b, [](Op op, PatternRewriter &rw) {
      Op in = def(op.operand(0), a);
      if (!in)
        return false;
      Op inner = rw.create(b, {in.operand(0)});
      return rw.replaceOpWithNew(op, a, {inner.result()});
    });
    break;
  case 2: // c(b(a(x))) => c(x), depth 3
    add({.name = "CBA", .depth = 3, .looksAtLeaves = false}, c, [](Op op, PatternRewriter &rw) {
      Op in = def(op.operand(0), b);
      Op inin = in ? def(in.operand(0), a) : Op{};
      return inin ? rw.replaceOpWithNew(op, c, {inin.operand(0)}) : false;
    });
    break;
  case 3: // f(k, x) => a(x) in either order
    add({.name = "FK", .depth = 2, .looksAtLeaves = false}, f, [](Op op, PatternRewriter &rw) {
      for (unsigned i = 0; i < 2; ++i)
        if (def(op.operand(i), k))
          return rw.replaceOpWithNew(op, a, {op.operand(1 - i)});
      return false;
    });
    break;
  case 4: // f(x, x) => x: the same value
    add({.name = "FXX"}, f, [](Op op, PatternRewriter &rw) {
      return op.operand(0) == op.operand(1) ? rw.replaceOp(op, op.operand(0)) : false;
    });
    break;
  case 5: // c(single b(x)) => b(x)
    add({.name = "CSingleB", .depth = 2, .looksAtLeaves = false, .looksAtUses = true}, c,
        [](Op op, PatternRewriter &rw) {
          Op in = def(op.operand(0), b);
          return in && in.result().hasOneUse() ? rw.replaceOp(op, in.result()) : false;
        });
    break;
  case 6: // c(single link*(c(x))) => link*(x)
    add({.name = "Chain", .benefit = 3, .depth = 2, .looksAtLeaves = false, .looksAtUses = true}, c,
        [](Op op, PatternRewriter &rw) {
          unsigned links = 0;
          Op in = op.operand(0).definingOp();
          while (in && in.is(link) && in.result().hasOneUse()) {
            ++links;
            in = in.operand(0).definingOp();
          }
          if (!in || !in.is(c) || !in.result().hasOneUse())
            return false;
          Value x = in.operand(0);
          while (links--)
            x = rw.create(link, {x}).result();
          return rw.replaceOp(op, x);
        })
        .chains(ops, link);
    break;
  case 7: // g(a(x), a(y)) => a(g(x, y))
    add({.name = "GAA", .depth = 2, .looksAtLeaves = false}, g, [](Op op, PatternRewriter &rw) {
      Op l = def(op.operand(0), a), r = def(op.operand(1), a);
      if (!l || !r)
        return false;
      Op inner = rw.create(g, {l.operand(0), r.operand(0)});
      return rw.replaceOp(op, rw.create(a, {inner.result()}));
    });
    break;
  case 8: // g(x, b(b(b(x)))) => x: depth 4, the same value at two depths
    add({.name = "GBBB", .depth = 4}, g, [](Op op, PatternRewriter &rw) {
      Op p = def(op.operand(1), b), q = p ? def(p.operand(0), b) : Op{}, r = q ? def(q.operand(0), b) : Op{};
      return r && r.operand(0) == op.operand(0) ? rw.replaceOp(op, op.operand(0)) : false;
    });
    break;
  case 9: // a(x), a(x) => one of them: several roots
    add({.name = "Siblings", .depth = 1, .looksAtUsers = true}, a, [](Op op, PatternRewriter &rw) {
      for (Use use : op.operand(0).uses())
        if (use.owner.is(a) && use.owner.id != op.id && use.owner.attrsId() == op.attrsId() &&
            use.owner.region() == op.region() && use.owner.isBefore(op))
          return rw.replaceOp(op, use.owner.result());
      return false;
    });
    break;
  case 14: // c(x) takes the place of a later c(x), and stays
    add({.name = "Absorb", .depth = 1, .looksAtUsers = true}, c, [](Op op, PatternRewriter &rw) {
      for (Use use : op.operand(0).uses())
        if (use.owner.is(c) && use.owner.region() == op.region() && op.isBefore(use.owner))
          return rw.replaceOp(use.owner, op.result());
      return false;
    });
    break;
  case 15: // b(x) with exactly three uses of x => x
    add({.name = "ThreeUses", .countsUses = true}, b, [](Op op, PatternRewriter &rw) {
      unsigned uses = 0;
      for ([[maybe_unused]] Use use : op.operand(0).uses())
        ++uses;
      return uses == 3 ? rw.replaceOp(op, op.operand(0)) : false;
    });
    break;
  case 16: // c(a(x)), the inner op with exactly two uses => c(x)
    add({.name = "TwoUsesInside", .depth = 2, .looksAtLeaves = false, .countsUses = true}, c,
        [](Op op, PatternRewriter &rw) {
          Op in = def(op.operand(0), a);
          unsigned uses = 0;
          if (in)
            for ([[maybe_unused]] Use use : in.result().uses())
              ++uses;
          return uses == 2 ? rw.setOperand(op, 0, in.operand(0)) : false;
        });
    break;
  case 17: // two(x) whose second result is unused => a(x); c of the first result of such a two => c(x)
    add({.name = "UnusedResult", .benefit = 2, .looksAtUses = true}, two, [](Op op, PatternRewriter &rw) {
      return op.result(0).hasUses() && !op.result(1).hasUses() &&
             rw.replaceAllUses(op.result(0), rw.create(a, {op.operand(0)}).result());
    });
    add({.name = "UnusedResultInside", .depth = 2, .looksAtUses = true}, c, [](Op op, PatternRewriter &rw) {
      Op in = def(op.operand(0), two);
      return in && in.result(0) == op.operand(0) && !in.result(1).hasUses() ? rw.setOperand(op, 0, in.operand(0))
                                                                            : false;
    });
    break;
  case 10: // b[tag = n > 0](x) loses one of its tag, in place; a pattern of a user looks at the tag
    add({.name = "Tag", .looksAtLeaves = false}, b, [](Op op, PatternRewriter &rw) {
      auto tag = attrAs<int64_t>(rw.context(), op.attr(0));
      return tag && *tag > 0 ? rw.setAttr(op, 0, rw.context().intAttr(*tag - 1)) : false;
    });
    add({.name = "LooksAtTag", .depth = 3, .looksAtLeaves = false}, folds, [](Op op, PatternRewriter &rw) {
      Op p = def(op.operand(0), link), q = p ? def(p.operand(0), b) : Op{};
      auto tag = q ? attrAs<int64_t>(rw.context(), q.attr(0)) : std::nullopt;
      return tag && *tag == 0 ? rw.setOperand(op, 0, q.operand(0)) : false;
    });
    break;
  case 11: // link(single x) where x : f32[?] known => x; depth 1 with the operand's uses
    add({.name = "LinkSingle", .looksAtUses = true}, link, [](Op op, PatternRewriter &rw) {
      Value x = op.operand(0);
      return x.hasOneUse() && op.result().hasOneUse() ? rw.replaceOp(op, x) : false;
    });
    break;
  case 18: // g(t, t) where t is a(x) and g alone uses it => a(g(x, x))
    add({.name = "OneUser", .depth = 2, .looksAtUses = true}, g, [](Op op, PatternRewriter &rw) {
      Op in = def(op.operand(0), a);
      if (!in || op.operand(1) != op.operand(0) || !hasOneUser(in.result()))
        return false;
      Op inner = rw.create(g, {in.operand(0), in.operand(0)});
      return rw.replaceOp(op, rw.create(a, {inner.result()}));
    });
    break;
  case 12: // b(b(x)) => c(x): what chains end at comes about late
    add({.name = "BB", .depth = 2, .looksAtLeaves = false}, b, [](Op op, PatternRewriter &rw) {
      Op in = def(op.operand(0), b);
      return in ? rw.replaceOp(op, rw.create(c, {in.operand(0)})) : false;
    });
    break;
  case 13: // folds(link*(c(x))) => link*(folds(x)): a chain whose links may have other users
    add({.name = "ForkingChain", .depth = 2, .looksAtLeaves = false}, folds, [](Op op, PatternRewriter &rw) {
      unsigned links = 0;
      Op in = op.operand(0).definingOp();
      for (; in && in.is(link); in = in.operand(0).definingOp())
        ++links;
      if (!in || !in.is(c))
        return false;
      Value x = rw.create(folds, {in.operand(0)}).result();
      while (links--)
        x = rw.create(link, {x}).result();
      return rw.replaceOp(op, x);
    }).chains(ops, link);
    break;
  }
}

inline FrozenPatternSet makeSet(const OpRegistry &ops, uint32_t mask) {
  PatternSet set(ops);
  for (unsigned i = 0; i < kPatternCount; ++i)
    if (mask >> i & 1)
      addPattern(set, i);
  return std::move(set).freeze();
}

/// Fills a function with `size` random ops; some nested, some dead, one to three results.
inline void fillRandom(Function &fn, unsigned size, std::mt19937 &rng) {
  Context &ctx = fn.context();
  TypeId type = ctx.tensorType(DType::F32, {Dim(2)});
  std::vector<Value> values{fn.addParam(type), fn.addParam(type)};
  auto pick = [&](size_t n) { return size_t(rng() % n); };
  size_t window = 1 + pick(4); // 1: mostly chains
  std::function<void(RegionId, unsigned, unsigned, std::vector<Value> &)> fill =
      [&](RegionId region, unsigned count, unsigned depth, std::vector<Value> &seen) {
        OpBuilder build(fn, region);
        auto value = [&] { // mostly recent ones, so that chains come about
          return rng() % 5 ? seen[seen.size() - 1 - pick(std::min(seen.size(), window))] : seen[pick(seen.size())];
        };
        for (unsigned i = 0; i < count; ++i) {
          switch (pick(16)) {
          case 0:
          case 1:
          case 2:
            seen.push_back(build.create(a, {value()}).result());
            break;
          case 3:
          case 4:
            seen.push_back(build.create(b, {value()}).result());
            break;
          case 5:
            seen.push_back(build.create(b, {value()}, {ctx.intAttr(int64_t(pick(3)))}).result());
            break;
          case 6:
          case 7:
            seen.push_back(build.create(c, {value()}).result());
            break;
          case 8:
          case 9:
            seen.push_back(build.create(link, {value()}).result());
            break;
          case 10:
            seen.push_back(build.create(f, {value(), value()}).result());
            break;
          case 11:
            seen.push_back(build.create(g, {value(), value()}).result());
            break;
          case 12:
            seen.push_back(build.createConstant("t", ctx.intAttr(int64_t(pick(3))), type));
            break;
          case 13: {
            Op op = build.create(two, {value()});
            seen.push_back(op.result(0));
            seen.push_back(op.result(1));
            break;
          }
          case 14:
            seen.push_back(build.create(pick(3) ? folds : eff, {value()}).result());
            break;
          case 15:
            if (depth < 3) {
              Op op = build.create(hold, {value()});
              RegionId inner = fn.addRegion(op.id);
              std::vector<Value> visible = seen;
              visible.push_back(fn.addRegionParam(inner, type));
              fill(inner, unsigned(1 + pick(6)), depth + 1, visible);
              OpBuilder(fn, inner).createReturn({&visible.back().id, 1});
              seen.push_back(op.result());
            }
            break;
          }
        }
      };
  fill(fn.body(), size, 0, values);
  std::vector<ValueId> results;
  for (size_t i = 0, n = 1 + pick(3); i < n; ++i)
    results.push_back(values[values.size() - 1 - pick(std::min<size_t>(values.size(), 8))].id);
  OpBuilder(fn, fn.body()).createReturn(results);
}

/// The function as text, ids left out: equal exactly if structure, attributes and types are.
inline std::string dump(Function &fn) {
  std::vector<unsigned> number(fn.valueCapacity(), 0);
  unsigned next = 0;
  for (ValueId p : fn.params(fn.body()))
    number[p.raw] = ++next;
  std::string text;
  std::function<void(RegionId, std::string)> print = [&](RegionId region, std::string indent) {
    for (Op op : fn.ops(region)) {
      text += indent;
      for (unsigned i = 0; i < op.resultCount(); ++i) {
        number[op.result(i).id.raw] = ++next;
        text += "%" + std::to_string(next) + ":" + std::to_string(op.result(i).typeId().raw) + " ";
      }
      text += std::string(op.fullName()) + "{" + std::to_string(op.attrsId().raw) + "}(";
      for (unsigned i = 0; i < op.operandCount(); ++i)
        text += "%" + (op.operand(i) ? std::to_string(number[op.operand(i).id.raw]) : "_") + " ";
      text += ")\n";
      for (RegionId inner : op.regions()) {
        for (ValueId p : fn.params(inner))
          number[p.raw] = ++next;
        print(inner, indent + "  ");
      }
    }
  };
  print(fn.body(), "");
  return text;
}

} // namespace toy
