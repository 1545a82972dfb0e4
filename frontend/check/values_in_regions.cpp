// A value of a matched region (a parameter, what an op inside makes) is not there outside of it. Where the region is
// built anew, `body = (a) => f(y)`, y stands for what is built again of it. A value that no parameter has gone into may
// have been captured from around the region: that is seen when the pattern is about to fire, as whatever is not seen
// here (rewrite/several_roots.cpp).
#include "frontend/check/values_in_regions.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace rw::sema {
namespace {

/// In which matched region a value is, for sure or perhaps; of none: outside of all.
struct Place {
  VarId region;
  bool sure = false;
};

class Insides {
public:
  Insides(CheckContext &c, Pattern &pattern)
      : c_(c), pattern_(pattern), body_(pattern.body), places_(body_.vars.size()), known_(body_.vars.size()) {}

  void run() {
    for (const Match &root : pattern_.roots)
      match(root, {});
    conditions(pattern_.conditions);
    for (const Action &action : pattern_.actions) {
      for (const Expr &value : action.values)
        walk(value);
      for (const BuildAttr &attr : action.attrs)
        walk(attr.value);
      if (action.kind == ActionKind::Let) {
        for (size_t i = 0; i < action.vars.size(); ++i)
          places_[action.vars[i].raw] = flow(action.values[action.values.size() == action.vars.size() ? i : 0]);
        continue;
      }
      if (action.kind != ActionKind::Replace)
        continue;
      if (action.op && places_[action.op.raw].region)
        replacesInside(action, places_[action.op.raw]);
      for (const Expr &value : action.values)
        reaches(value);
    }
  }

private:
  void replacesInside(const Action &action, Place at) {
    const std::string &name = body_.var(action.op).name;
    auto say = [&](Report report) {
      report.note(body_.var(at.region).range, "this region");
      report.note("build the op that has the region again, and in it a region with the same parameters: "
                  "`d(x, body = (a) => …)`");
    };
    if (at.sure)
      say(c_.error("inside-region", action.range,
                   fmt::format("`{}` stands inside a region, and what replaces it would stand outside", name)));
    else
      say(c_.warning("inside-region", action.range,
                     fmt::format("`{}` is replaced only where it stands around the region, not inside", name)));
  }
  void know(const VarUse &use, Place place) {
    if (!use || known_[use.var.raw])
      return;
    known_[use.var.raw] = true;
    places_[use.var.raw] = place;
  }
  /// Whether a region is `inner`, or holds it.
  bool isAround(VarId outer, VarId inner) const {
    while (inner && inner != outer) {
      auto it = around_.find(inner.raw);
      inner = it == around_.end() ? VarId() : it->second;
    }
    return inner == outer;
  }
  /// A value of a region is looked for where it is not.
  void neverThere(const VarUse &use, Place at) {
    const Var &var = body_.var(use.var);
    c_.error("inside-region", use.range,
             fmt::format("`{}` is inside a region, and what is matched here stands outside of that: it never is the "
                         "same",
                         var.name))
        .note(var.range, var.paramOf ? "it is a parameter of the region" : "it is bound here")
        .note(body_.var(at.region).range, "this region")
        .note("what is asked of a value inside stands in its region: `body = (a) => relu(neg(a))`");
  }
  /// Where the values are, one by one.
  std::vector<Place> values(const OperandMatch &list, VarId region) {
    std::vector<Place> out;
    for (const Match &element : list.elements)
      out.push_back(match(element, region));
    know(list.rest, {region, false});
    return out;
  }
  /// Where the value is that a match looks at.
  Place match(const Match &m, VarId region) {
    Place here{region, false};
    if (m.value && known_[m.value.var.raw]) {
      here = places_[m.value.var.raw];
      if (m.value.use == Use::Compare && here.sure && !isAround(here.region, region))
        neverThere(m.value, here);
    }
    for (const OperandMatch &operand : m.operands) {
      std::vector<Place> read = values(operand, region);
      if (!region || m.optional || operand.kind == OperandMatchKind::Maybe)
        continue;
      for (Place place : read) // an op stands where what it reads is there
        if (place.sure && !(here.sure && here.region == region))
          here = place;
    }
    size_t sure = 0;
    Place common;
    for (const Match &child : m.children) {
      Place place = match(child, region);
      sure += place.sure && (!common.region || common.region == place.region);
      common = place.sure ? place : common;
    }
    bool through = m.kind == MatchKind::Alternatives || m.kind == MatchKind::Chain;
    if (region && through && sure == m.children.size()) // it is one of them, or made of one
      here = common;
    for (const Match &side : m.side)
      match(side, region);
    know(m.value, here);
    know(m.op, here);
    for (const RegionMatch &inner : m.regions) {
      around_[inner.var.var.raw] = region;
      for (const Match &param : inner.params.elements)
        know(param.value, {inner.var.var, true});
      know(inner.params.rest, {inner.var.var, true});
      values(inner.results, inner.var.var);
    }
    conditions(m.after);
    return here;
  }
  void conditions(const std::vector<Condition> &list) {
    for (const Condition &condition : list) {
      if (condition.kind == ConditionKind::Is)
        match(*condition.match, flow(condition.expr).region);
      if (condition.kind == ConditionKind::Let)
        places_[condition.var.raw] = flow(condition.expr);
    }
  }

  /// Where the value of an expression is.
  Place flow(const Expr &e) {
    Place out;
    auto join = [&](const Expr &part) {
      if (Place at = flow(part); at.region && (!out.region || at.sure))
        out = at;
    };
    switch (e.kind) {
    case ExprKind::Var:
      return places_[e.id];
    case ExprKind::OpOperand:
      out = flow(e.args[0]);
      out.sure = false;
      return out;
    case ExprKind::If:
      join(e.args[1]);
      join(e.args[2]);
      return out;
    case ExprKind::Let:
      places_[e.id] = flow(e.args[0]);
      return flow(e.args[1]);
    case ExprKind::Comprehension:
      loops(e);
      return flow(e.args[0]);
    case ExprKind::List:
    case ExprKind::Binary:
    case ExprKind::Call:
      for (const Expr &part : e.args)
        join(part);
      return out;
    case ExprKind::Index:
    case ExprKind::Slice:
    case ExprKind::OpResult:
    case ExprKind::Convert:
      return flow(e.args[0]);
    default:
      return out;
    }
  }
  void loops(const Expr &e) {
    size_t first = 0;
    for (size_t source = 0; source < e.sourceCount(); first += e.groupSize(source++)) {
      const Expr &list = e.args[1 + source];
      bool beside = list.kind == ExprKind::Builtin; // zip, enumerate
      for (size_t i = 0; i < e.groupSize(source); ++i) {
        size_t part = beside && list.args.size() == e.groupSize(source) ? i : 0;
        places_[e.loopVars[first + i].raw] = flow(beside ? list.args[part] : list);
      }
    }
  }

  /// A value is used where the regions stand that are open.
  void reaches(const Expr &e) {
    if (e.type.kind != TypeKind::Value && e.type.kind != TypeKind::Op)
      return;
    if (e.kind == ExprKind::If) {
      reaches(e.args[1]);
      return reaches(e.args[2]);
    }
    if (e.kind == ExprKind::List || (e.kind == ExprKind::Binary && e.binary == BinaryOp::Concat)) {
      for (const Expr &part : e.args)
        reaches(part);
      return;
    }
    Place at = flow(e);
    if (!at.region || std::ranges::any_of(open_, [&](const RegionBuild *b) { return b->source == at.region; }))
      return;
    RegionBuild *unsettled = openWithoutSource();
    if (unsettled && body_.var(at.region).type.isList()) {
      c_.error("inside-region", e.range,
               "this is inside regions of several ops that `each` names, and a new region is built anew of one")
          .note(body_.var(at.region).range, "the regions are matched here")
          .note("a region may be handed on as it is, `body = b`; what is in it is built again by a pattern for one op "
                "at a time");
      return;
    }
    if (unsettled) {
      unsettled->source = at.region;
      return;
    }
    if (!at.sure)
      return;
    const Var *named = e.kind == ExprKind::Var ? &body_.var(e.var()) : nullptr;
    Report report = c_.error("inside-region", e.range,
                             fmt::format("{} inside a region, and is not there where it is used here",
                                         named ? fmt::format("`{}` is", named->name) : "this value is"));
    if (named)
      report.note(named->range, named->paramOf ? "it is a parameter of the region" : "it is bound here");
    report.note("build the region again with the same parameters, `body = (a) => …`: in there the names stand for what "
                "is built again of them");
  }
  RegionBuild *openWithoutSource() {
    for (size_t i = open_.size(); i-- > 0;)
      if (!open_[i]->source)
        return open_[i];
    return nullptr;
  }

  void walk(const Expr &e) {
    if (e.kind == ExprKind::Let)
      places_[e.id] = flow(e.args[0]);
    if (e.kind == ExprKind::Comprehension)
      loops(e);
    for (const Expr &part : e.args)
      walk(part);
    if (e.kind != ExprKind::Build)
      return;
    Build &build = body_.builds[e.build().raw];
    for (const Expr &operand : build.operands) {
      walk(operand);
      reaches(operand);
    }
    if (build.sideValue) {
      walk(*build.sideValue);
      reaches(*build.sideValue);
    }
    for (const BuildAttr &attr : build.attrs)
      walk(attr.value);
    for (const Expr &type : build.types)
      walk(type);
    for (RegionBuild &region : build.regions) {
      open_.push_back(&region);
      for (const auto &[var, value] : region.lets) {
        walk(value);
        places_[var.raw] = flow(value);
      }
      for (const Expr &result : region.results) {
        walk(result);
        reaches(result);
      }
      open_.pop_back();
    }
  }

  CheckContext &c_;
  Pattern &pattern_;
  Body &body_;
  std::vector<Place> places_; // by variable
  std::vector<bool> known_;
  std::map<uint32_t, VarId> around_; // by region: the matched region that its op stands in
  std::vector<RegionBuild *> open_;  // regions that are built around
};

} // namespace

void placeInsides(CheckContext &c, Pattern &pattern) {
  bool any = std::ranges::any_of(pattern.body.vars, [](const Var &v) { return v.kind == VarKind::Region; });
  if (any)
    Insides(c, pattern).run();
}

} // namespace rw::sema
