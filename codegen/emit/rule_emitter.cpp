// Patterns of files that have many, as tables (rw/rewrite/compiled.h): the lead always, the right side where it only builds ops
// and replaces the root; expressions stay a function. Members of PatternEmitter.
#include "codegen/emit/expr_text.h"
#include "codegen/emit/pattern_emitter.h"

#include <algorithm>

namespace rw::emit {

using plan::Slot;
using plan::SlotKind;
using plan::Step;
using plan::StepKind;

/// Stands in generated text for the op that a row of the table builds; code that has it cannot be compiled.
static constexpr char kMade = '\x01';

// The lead --------------------------------------------------------------------------------------------------------

/// "{.ops = kAlgebraDef1Ops}", and the arrays it names.
std::string PatternEmitter::kindSet(const sema::OpSet &set, const std::string &name) {
  std::string ops, traits;
  for (sema::OpIndex i : set.byTrait() ? set.otherOps : set.ops)
    ops += fmt::format("{}&{}", ops.empty() ? "" : ", ", refs_.schema(i));
  if (set.byTrait()) {
    traits = std::to_string(set.traits);
    for (uint32_t more : set.otherTraits)
      traits += fmt::format(", {}", more);
  }
  std::string text;
  if (!ops.empty()) {
    w_.line("constexpr const OpSchema *{}Ops[] = {{{}}};", name, ops);
    text = fmt::format(".ops = {}Ops", name);
  }
  if (!traits.empty()) {
    w_.line("constexpr Traits {}Traits[] = {{{}}};", name, traits);
    text += fmt::format("{}.traits = {}Traits", text.empty() ? "" : ", ", name);
  }
  return "{" + text + "}";
}

/// What tells an attribute that equals a literal, or a value of a dtype.
static std::string literalFields(const Step &s) {
  if (s.kind == StepKind::Type) {
    const sema::TypeMatch &t = *s.type;
    if (t.dtypeClass == sema::DTypeClass::Exactly)
      return fmt::format("DTypeIs, .in = {}, .number = int64_t({})", s.in, cppDType(t.dtype->text));
    return fmt::format("{}, .in = {}", t.dtypeClass == sema::DTypeClass::Float ? "FloatType" : "IntegerType", s.in);
  }
  if (std::optional<int64_t> i = plan::literalInt(s))
    return fmt::format("AttrInt, .in = {}, .number = {}", s.in, *i == INT64_MIN ? "INT64_MIN" : std::to_string(*i));
  switch (s.expr->kind) {
  case sema::ExprKind::Bool: return fmt::format("AttrBool, .in = {}, .number = {}", s.in, s.expr->i ? 1 : 0);
  case sema::ExprKind::DType: return fmt::format("AttrDType, .in = {}, .number = int64_t({})", s.in, cppDType(s.expr->text));
  default:
    return fmt::format("AttrString, .in = {}, .number = {}, .text = {}", s.in, s.expr->text.size(), cppString(s.expr->text));
  }
}

/// A row of the lead's table; empty for a step that tests nothing. `kinds` names the set of ops of a Def that has several.
std::string PatternEmitter::leadRow(const Step &s, std::map<uint32_t, Slot> &vars, const std::string &kinds) {
  std::string fields;
  switch (s.kind) {
  case StepKind::Operand:
    fields = fmt::format("{}, {}.in = {}, .out = {}, .index = {}", s.fromEnd ? "OperandAtEnd" : "Operand",
                         defines_.contains(s.out) ? "" : ".required = true, ", s.in, s.out, s.index);
    break;
  case StepKind::Def:
    fields = fmt::format("Def, .in = {}, .out = {}, .index = {}", s.in, s.out, s.index);
    break;
  case StepKind::Attr: fields = fmt::format("{}, .in = {}, .out = {}, .index = {}", hasDefault(s) ? "AttrOrDefault" : "Attr", s.in, s.out, s.index); break;
  case StepKind::AttrDefault: fields = fmt::format("AttrDefault, .in = {}, .index = {}", s.in, s.index); break;
  case StepKind::AttrAbsent: fields = fmt::format("AttrAbsent, .in = {}, .index = {}", s.in, s.index); break;
  case StepKind::AttrEquals:
  case StepKind::Type: fields = literalFields(s); break;
  case StepKind::Count: break; // below: the order of fields
  case StepKind::Absent: fields = fmt::format("Absent, .in = {}, .index = {}", s.in, s.index); break;
  case StepKind::NoExtras: fields = fmt::format("NoExtras, .in = {}", s.in); break;
  case StepKind::Single: fields = fmt::format("OneUse, .in = {}", s.in); break;
  case StepKind::Const: fields = fmt::format("Constant, .in = {}", s.in); break;
  case StepKind::Same: fields = fmt::format("Same, .in = {}, .out = {}", s.in, vars.at(s.var.raw)); break;
  case StepKind::Commute: return fmt::format("{{.kind = LeadStep::Commute, .in = {}, .out = {}}},", s.in, s.out);
  case StepKind::Bind: vars[s.var.raw] = s.in; return "";
  default: return ""; // the root, and what the rest asks for
  }
  std::string tail;
  size_t number = fields.find(", .number");
  if (number != std::string::npos) {
    tail = fields.substr(number);
    fields.resize(number);
  }
  if (s.kind == StepKind::Count)
    fields = fmt::format("Count, .in = {}", s.in), tail = fmt::format(", .most = {}, .number = {}", s.most, s.least);
  if (s.kind == StepKind::Def)
    tail = kinds.empty() ? fmt::format(", .op = &{}", refs_.schema(s.ops.ops[0])) : fmt::format(", .kinds = &{}", kinds);
  return row(fmt::format("{}, .line = {}{}", fields, s.line, tail), plan::describe(s, plan_, refs_.module()));
}

std::string PatternEmitter::row(std::string_view fields, const std::string &why) const {
  return fmt::format("{{.kind = LeadStep::{}, .why = {}}},", fields, cppString(why));
}

/// Leaves the test that an attribute of the lead is of a type to the lead's table, if there is a row for it.
bool PatternEmitter::hoistAttr(Slot slot, std::string_view view) {
  static constexpr std::pair<std::string_view, std::string_view> all[] = {
      {"int64_t", "Int"}, {"double", "Float"}, {"bool", "Bool"}, {"std::string_view", "String"}, {"DType", "DType"}, {"Dim", "Dim"},
      {"TypeId", "Type"}, {"std::span<const int64_t>", "Ints"}, {"std::span<const double>", "Floats"}, {"std::span<const Dim>", "Dims"},
      {"InlineList<bool>", "Bools"}, {"InlineList<std::string_view>", "Strings"}};
  auto known = std::ranges::find(all, view, &std::pair<std::string_view, std::string_view>::first);
  if (known == std::end(all) || slot >= hoist_.size() || !hoist_[slot] || !at_)
    return false;
  rows_.push_back(row(fmt::format("AttrIs, .in = {}, .line = {}, .number = int64_t(AttrView::{})", slot, at_->line, known->second),
                      plan::describe(*at_, plan_, refs_.module())));
  return true;
}

/// Likewise the test of a constant against a literal.
bool PatternEmitter::hoistSplat(const Step &s) {
  if (s.in >= hoist_.size() || !hoist_[s.in])
    return false;
  bool isFloat = s.expr->type.is(sema::TypeKind::Float), isBool = s.expr->type.is(sema::TypeKind::Bool);
  if (s.expr->kind != sema::ExprKind::Int && s.expr->kind != sema::ExprKind::Float && s.expr->kind != sema::ExprKind::Bool)
    return false;
  std::string value = e_.value(*s.expr);
  rows_.push_back(row(fmt::format("Splat{}, .in = {}, .line = {}, .{} = {}", isFloat ? "Float" : isBool ? "Bool" : "Int", s.in, s.line,
                                  isFloat ? "real" : "number", value),
                      plan::describe(s, plan_, refs_.module())));
  return true;
}

/// The value of the lead whose `property` the expression is.
std::optional<Slot> PatternEmitter::leadValue(const sema::Expr &e, sema::Property property) const {
  if (e.kind != sema::ExprKind::Property || e.property != property || e.args[0].kind != sema::ExprKind::Var ||
      !e.args[0].type.is(sema::TypeKind::Value))
    return std::nullopt;
  const VarText &var = e_.var(e.args[0].var());
  for (Slot slot = 1; slot < hoist_.size(); ++slot)
    if (hoist_[slot] && !var.maybe && !var.text.empty() && slots_[slot] == var.text)
      return slot;
  return std::nullopt;
}

/// Likewise conditions that many patterns have: `x.rank == 2`, `x.type == y.type`, `x.dtype == y.dtype`.
bool PatternEmitter::hoistTest(const Step &s) {
  const sema::Expr &e = *s.expr;
  if (hoist_.empty() || e.kind != sema::ExprKind::Binary || e.binary != sema::BinaryOp::Eq)
    return false;
  std::string fields;
  std::optional<Slot> rank = leadValue(e.args[0], sema::Property::Rank);
  if (rank && e.args[1].kind == sema::ExprKind::Int)
    fields = fmt::format("RankIs, .in = {}, .line = {}, .number = {}", *rank, s.line, e.args[1].i);
  for (auto [property, kind] : {std::pair(sema::Property::Type, "SameType"), {sema::Property::DType, "SameDType"}})
    if (std::optional<Slot> a = leadValue(e.args[0], property), b = leadValue(e.args[1], property); a && b)
      fields = fmt::format("{}, .in = {}, .out = {}, .line = {}", kind, *a, *b, s.line);
  if (fields.empty())
    return false;
  rows_.push_back(row(fields, plan::describe(s, plan_, refs_.module())));
  return true;
}

// The right side --------------------------------------------------------------------------------------------------

/// How the table refers to a value that code would call `text`; without a way the table does not fit.
std::string PatternEmitter::tableValue(const std::string &text) {
  if (text.size() > 1 && text[0] == kMade)
    return fmt::format("made({})", text.substr(1, text.find('.') - 1));
  auto slot = table_->slots.find(text);
  table_->fits &= slot != table_->slots.end();
  return slot == table_->slots.end() ? "0" : std::to_string(slot->second);
}

/// buildOp as a row of the table.
std::string PatternEmitter::buildRow(const sema::Build &b) {
  const sema::Op &op = refs_.module().op(b.op);
  auto single = [](const auto &part) { return part.arity == sema::Arity::Single; };
  table_->fits &= b.versions.empty() && b.types.empty() && std::ranges::all_of(op.operands, single) && op.results.size() == 1 &&
                  single(op.results[0]) && b.operands.size() <= 4;
  std::vector<std::string> operands, attrs;
  for (const sema::BuildAttr &a : b.attrs) {
    if (attrs.size() <= a.index)
      attrs.resize(a.index + 1, "kNoAttr");
    std::string text = e_.attribute(a.value, op.attrs[a.index].type);
    if (auto slot = table_->slots.find(text); slot != table_->slots.end() && !op.attrs[a.index].defaultValue) {
      attrs[a.index] = std::to_string(slot->second);
      continue;
    }
    attrs[a.index] = fmt::format("given({})", table_->given.size());
    table_->given.push_back(attrVariable(a, b, text));
  }
  table_->fits &= attrs.size() <= 4;
  if (!table_->fits)
    return std::string(1, kMade) + "0";
  for (const sema::Expr &o : b.operands)
    operands.push_back(tableValue(e_.value(o)));
  table_->builds.push_back(fmt::format("{{&{}, {}, {{{}}}{}}}", refs_.schema(b.op), operands.size(), fmt::join(operands, ", "),
                                       attrs.empty() ? "" : fmt::format(", {}, {{{}}}", attrs.size(), fmt::join(attrs, ", "))));
  return fmt::format("{}{}", kMade, table_->builds.size() - 1);
}

// The rule --------------------------------------------------------------------------------------------------------

/// What comes behind the lead as statements; with a table, what is to be computed before it.
PatternEmitter::Rest PatternEmitter::restText(const plan::Lead &split, RewriteTable *table) {
  PatternEmitter behind(refs_, pattern_, plan_, sources_, w_);
  behind.isRule_ = true;
  behind.table_ = table;
  behind.hoist_ = split.slots;
  for (const char *name : {"m", "op", "rw", "ctx"})
    behind.names_.unique(name);
  Writer rest;
  rest.setDepth(1);
  behind.e_.setOut(rest);
  behind.slots_[0] = "op";
  std::vector<std::string> slots = nameSlots(split, behind.names_);
  for (Slot slot = 1; slot < slots.size(); ++slot)
    if (!slots[slot].empty()) {
      behind.slots_[slot] = slots[slot];
      if (table)
        table->slots[slots[slot]] = slot;
    }
  behind.steps(split.rest, 0, [&] { behind.rewrite(); });
  std::string text = rest.take(), declared;
  if (table)
    table->fits &= text.find(kMade) == std::string::npos && !table->value.empty();
  for (auto it = behind.lateAttrs_.rbegin(); it != behind.lateAttrs_.rend(); ++it)
    if (mentions(namesOnly(text), it->first))
      text = fmt::format("  {}\n{}", it->second, text);
  const std::string code = namesOnly(text);
  for (auto [name, value] : {std::pair("Context &ctx", "m.context()"), {"PatternRewriter &rw", "m.rewriter"}, {"Op op", "m.root"}})
    if (mentions(code, std::string_view(name).substr(std::string_view(name).find_last_of(" &") + 1)))
      declared += fmt::format("  [[maybe_unused]] {} = {};\n", name, value);
  for (Slot slot = 1; slot < slots.size(); ++slot)
    if (!slots[slot].empty() && mentions(code, slots[slot])) {
      SlotKind kind = plan_.slots[slot].kind;
      auto [type, get] = kind == SlotKind::Attr ? std::pair("AttrId", "attr") : kind == SlotKind::Op ? std::pair("Op", "op") : std::pair("Value", "value");
      declared += fmt::format("  [[maybe_unused]] {} {} = m.{}({});\n", type, slots[slot], get, slot);
    }
  return {declared + text, behind.rows_};
}

/// What ends the function of a rule with a table.
std::string PatternEmitter::tableReturn() const {
  return fmt::format("return rewrite(m, k{}Rewrite{});", table_->name,
                     table_->given.empty() ? "" : fmt::format(", {{{}}}", fmt::join(table_->given, ", ")));
}

/// Whether a function does more than rewrite as its table says.
static bool computes(const std::string &text) {
  std::string code = namesOnly(text);
  size_t last = code.rfind("return rewrite(m,");
  return std::ranges::any_of(code.substr(0, last), [](char c) { return !std::isspace(static_cast<unsigned char>(c)); });
}

void PatternEmitter::emitRule(const std::string &name) {
  plan::Lead split = plan::splitPlan(plan_);
  emitInfo(name);
  std::string roots, chains;
  if (plan_.roots.byTrait() || plan_.roots.ops.size() != 1)
    roots = kindSet(plan_.roots, fmt::format("k{}Roots", name));
  for (size_t i = 0; i < plan_.chains.size(); ++i)
    chains += (chains.empty() ? "" : ", ") + kindSet(plan_.chains[i], fmt::format("k{}Chain{}", name, i));
  if (!chains.empty())
    w_.line("constexpr KindSet k{}Chains[] = {{{}}};", name, chains);
  std::map<uint32_t, Slot> vars;
  std::vector<std::string> rows;
  for (const Step &s : split.lead) {
    std::string kinds;
    if (s.kind == StepKind::Def && (s.ops.byTrait() || s.ops.ops.size() != 1)) {
      kinds = fmt::format("k{}Kinds{}", name, rows.size());
      std::string set = kindSet(s.ops, kinds);
      w_.line("constexpr KindSet {}{};", kinds, set);
    }
    if (std::string row = leadRow(s, vars, kinds); !row.empty())
      rows.push_back(row);
  }
  const sema::Op *root = plan_.roots.byTrait() || plan_.roots.ops.size() != 1 ? nullptr : &refs_.module().op(plan_.roots.ops[0]);
  RewriteTable table{.name = name};
  Rest behind;
  if ((table.fits = root && root->results.size() == 1 && root->results[0].arity == sema::Arity::Single))
    behind = restText(split, &table);
  if (!table.fits)
    behind = restText(split, nullptr);
  std::string &rest = behind.text;
  rows.insert(rows.end(), behind.rows.begin(), behind.rows.end());
  if (!rows.empty()) {
    w_.open(fmt::format("constexpr LeadStep k{}Lead[] = {{", name));
    for (const std::string &row : rows)
      w_.text(row);
    w_.close("};");
  }
  if (table.fits) {
    if (!table.builds.empty())
      w_.line("constexpr BuildStep k{}Builds[] = {{{}}};", name, fmt::join(table.builds, ", "));
    w_.line("constexpr RuleRewrite k{}Rewrite{{.builds = {}, .value = {}, .line = {}}};", name,
            table.builds.empty() ? "{}" : fmt::format("k{}Builds", name), table.value, table.line);
    if (!computes(rest))
      rest.clear();
  }
  if (!rest.empty()) {
    w_.line("/// Behind the lead of {}.", plan_.name);
    w_.line("bool restOf{}([[maybe_unused]] const Matched &m) {{", name);
    w_.raw(rest);
    w_.text("}");
  }
  w_.line("// {}:{}", shortFile(), plan_.line);
  w_.open(fmt::format("constexpr CompiledRule k{}Rule{{", name));
  w_.line(".info = k{}Info,", name);
  if (root)
    w_.line(".root = &{},", refs_.schema(plan_.roots.ops[0]));
  else
    w_.line(".roots = {},", roots);
  if (!chains.empty())
    w_.line(".chains = k{}Chains,", name);
  w_.line(".slots = {},", plan_.slots.size() + 1);
  if (!rows.empty())
    w_.line(".lead = k{}Lead,", name);
  if (!rest.empty())
    w_.line(".rest = restOf{},", name);
  if (table.fits)
    w_.line(".rewrite = k{}Rewrite,", name);
  w_.close("};");
  w_.blank();
}

} // namespace rw::emit
