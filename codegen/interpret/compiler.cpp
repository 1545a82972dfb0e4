#include "codegen/interpret/compiler.h"

#include "codegen/interpret/pattern_compiler.h"
#include "codegen/plan/literals.h"
#include "codegen/plan/natives.h"
#include "codegen/plan/shared_tests.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

namespace rw::interpret {

using sema::Arity;
using sema::Expr;
using sema::ExprKind;
using sema::TypeKind;

namespace {

/// One clause of an op: first what brings the variables that it uses into registers, then its expression.
class ClauseCompiler : public ExpressionCompiler {
public:
  ClauseCompiler(UnitBuilder &builder, const sema::Op &op) : ExpressionCompiler(builder, op.body), op_(op) {}

  ClauseCode compile(const Expr &e) {
    return begin(e, [&] { return value(e); });
  }
  ClauseCode compileAttr(const Expr &e, sema::AttrType type) {
    return begin(e, [&] { return attribute(e, type); });
  }

private:
  template <class F> ClauseCode begin(const Expr &e, const F &evaluate) {
    std::fill(vars.begin(), vars.end(), VarState());
    ClauseCode code{.entry = place()};
    std::vector<bool> mentioned(body.vars.size());
    plan::collectVars(e, mentioned);
    for (const sema::Op::Dimension &d : op_.dimensions)
      if (mentioned[d.var.raw])
        plan::collectVars(d.value, mentioned);
    for (uint32_t i = 0; i < body.vars.size(); ++i)
      if (mentioned[i])
        bindVar(sema::VarId(i));
    code.result = evaluate();
    emit(Opcode::Pass);
    return code;
  }

  bool isGroup(size_t operand) const {
    for (size_t i = 0; i <= operand; ++i)
      if (op_.operands[i].arity == Arity::Variadic)
        return true;
    return false;
  }

  /// Evaluates into `to`, and into `flag` whether that has a value.
  template <class F> void attempt(Reg flag, const F &evaluate) {
    Label failed, end;
    conditionally([&] { withHandler(&failed, evaluate); });
    loadInt(flag, 1);
    jump(end);
    bind(failed);
    loadInt(flag, 0);
    bind(end);
  }

  void bindVar(sema::VarId id) {
    const sema::Var &v = body.var(id);
    Reg out = reg();
    auto maybe = [&](Reg flag) { vars[id.raw] = {.presence = VarState::Maybe, .reg = out, .flag = flag}; };
    if (v.kind == sema::VarKind::Operand && v.index >= op_.operands.size()) {
      size_t part = v.index - op_.operands.size();
      Reg flag = reg();
      attempt(flag, [&] {
        emit(part % 2 ? Opcode::RegionResults : Opcode::RegionParams, out, kNoReg, kNoReg, int32_t(part / 2));
      });
      return maybe(flag);
    }
    if (v.kind == sema::VarKind::Operand) {
      bool list = op_.operands[v.index].arity == Arity::Variadic;
      emit(list               ? Opcode::InputGroup
           : isGroup(v.index) ? Opcode::InputFirst
                              : Opcode::InputOperand,
           out, kNoReg, kNoReg, int32_t(v.index));
      return bindTo(id, out);
    }
    for (const sema::Op::Dimension &d : op_.dimensions)
      if (d.var == id) {
        Reg flag = reg();
        attempt(flag, [&] {
          Reg dim = value(d.value);
          emit(Opcode::Move, out, dim);
        });
        return maybe(flag);
      }
    if (v.kind != sema::VarKind::Attr)
      return;
    Reg attr = reg(), flag = reg();
    emit(Opcode::InputAttr, attr, kNoReg, kNoReg, int32_t(v.index));
    attempt(flag, [&] {
      if (v.type.is(TypeKind::Attr)) {
        emit(Opcode::FailIfNone, attr);
        emit(Opcode::Move, out, attr);
      } else {
        view(out, attr, v.type);
      }
    });
    maybe(flag);
  }

  const sema::Op &op_;
};

class Compiler {
public:
  Compiler(const sema::Module &module, const NextPlan &nextPlan, const SourceManager &sources,
           const CompileOptions &options, Diagnostics &diags)
      : nextPlan_(nextPlan), module_(module), sources_(sources), options_(options), diags_(diags),
        builder_(module_, sources, unit_) {}

  Unit compile() {
    std::string_view path = module_.files[0].path;
    unit_.file = path.substr(path.rfind('/') + 1);
    plan::NativeSet natives = leavesNatives() ? plan::NativeSet() : nativesAround();
    if (natives.empty()) // else nothing of it will run
      for (const sema::Op &op : module_.ops)
        if (wanted(op))
          this->op(op);
        else if (options_.besideCpp && !op.imported) // counted, be it that its clauses are C++
          this->clauses(op);
    while (const plan::MatchPlan *next = nextPlan_()) {
      const plan::MatchPlan &plan = *next;
      plan::NativeSet used = plan::nativesOf(module_.pattern(plan.pattern), module_);
      if (!leavesNatives())
        natives.merge(used);
      if ((leavesNatives() && !used.empty()) || !natives.empty())
        continue;
      const plan::SharedTests shared = plan::sharedTests(plan, module_);
      PatternCompiler compiler(builder_, plan);
      PatternCode code = compiler.compile(shared);
      if (!code.entry)
        diags_.error("too-complex", module_.pattern(plan.pattern).nameRange,
                     fmt::format("`{}` needs more than {} places for what it computes", plan.name, int(kNoReg) - 1));
      code.tests = tests(shared, compiler.describer());
      if (sema::OpIndex of = module_.pattern(plan.pattern).meaningOf) {
        code.isMeaning = true;
        if (auto it = opCodes_.find(of.raw); it != opCodes_.end())
          unit_.ops[it->second].means.push_back(uint32_t(unit_.patterns.size()));
      }
      unit_.patterns.push_back(std::move(code));
      fns();
    }
    if (!natives.empty()) {
      refuse(natives);
      return {};
    }
    for (const sema::Test &test : module_.tests)
      if (wanted(test))
        this->test(test);
    fns();
    passes();
    unit_.reasonOf.resize(unit_.code.size());
    return std::move(unit_);
  }

private:
  bool leavesNatives() const { return options_.besideCpp || options_.skipNatives; }
  bool wanted(const sema::Op &op) const {
    return !options_.besideCpp && (options_.wantsOp ? options_.wantsOp(op) : !op.imported);
  }
  bool wanted(const sema::Test &test) const {
    return !test.imported && (!leavesNatives() || plan::nativesOf(test, module_).empty());
  }
  /// Passes and pipelines.
  bool wanted(const sema::Decl &decl) const { return !options_.besideCpp && (!decl.imported || options_.wantsImports); }

  /// What the file declares, and what its ops and tests use.
  plan::NativeSet nativesAround() const {
    plan::NativeSet used;
    for (uint32_t i = 0; i < module_.natives.size(); ++i)
      if (!module_.natives[i].imported)
        used.insert(i);
    for (const sema::Op &op : module_.ops)
      if (wanted(op))
        used.merge(plan::nativesOf(op, module_));
    for (const sema::Test &test : module_.tests)
      if (wanted(test))
        used.merge(plan::nativesOf(test, module_));
    return used;
  }

  /// Native code is compiled into a library; what is loaded as text runs none.
  void refuse(const plan::NativeSet &natives) {
    for (uint32_t i : natives) {
      const sema::Native &native = module_.natives[i];
      diags_
          .error("native-not-loadable", native.nameRange,
                 fmt::format("`{}` is C++, and a file that runs from its source has none", native.name))
          .note("build it by `rw_add_patterns(my PLUGIN SOURCES ...)` in CMake and give `--plugin libmy.so` "
                "(examples/plugin)");
    }
  }

  std::vector<TestRow> tests(const plan::SharedTests &shared, plan::Describer &describe) {
    std::vector<TestRow> out;
    out.reserve(shared.rows.size());
    for (const plan::SharedTestRow &row : shared.rows) {
      using Kind = plan::SharedTestRow::Kind;
      TestRow &test = out.emplace_back();
      test.test = {.kind = SharedTest::Kind(row.kind),
                   .required = row.required,
                   .in = row.in,
                   .out = row.out,
                   .index = row.index,
                   .most = row.most,
                   .number = row.number,
                   .real = row.real};
      if (row.kind == Kind::AttrDType || row.kind == Kind::DTypeIs)
        test.test.number = int64_t(dtypeFromName(row.text).value_or(DType::Unknown));
      else
        test.text = row.text;
      if (row.step && !row.setsOnly()) {
        test.why = describe(*row.step);
        test.test.line = row.step->line;
      }
      if (row.kind != Kind::Def)
        continue;
      if (row.ops.ops.size() == 1 && !row.ops.byTrait())
        test.op = builder_.opName(row.ops.ops[0]);
      else
        test.kinds = builder_.kindSet(row.ops);
    }
    return out;
  }

  void op(const sema::Op &op) {
    OpCode out;
    out.dialect = op.dialect;
    out.name = op.name;
    out.doc = op.doc;
    out.domain = op.externalDialect;
    std::string_view path = sources_.name(op.file);
    out.file = path.substr(path.rfind('/') + 1);
    out.since = op.since;
    out.until = op.until;
    for (const sema::Operand &o : op.operands)
      out.operands.push_back({o.name, uint8_t(o.arity)});
    for (const sema::OpResultDecl &r : op.results)
      out.results.push_back({r.name, uint8_t(r.arity)});
    for (const sema::OpAttrDecl &a : op.standIns) {
      plan::StandInType type = plan::typeOfStandIn(op, a);
      out.standIns.push_back(
          {a.name, a.operand, uint8_t(a.type),
           uint8_t(type.dtype.empty() ? DType::Unknown : dtypeFromName(type.dtype).value_or(DType::Unknown)), type.rank,
           a.defaultValue.has_value(), a.defaultValue ? a.defaultValue->f : 0});
    }
    out.regions = op.regions;
    out.traits = op.traits | op.typeOnly << 16;
    out.moved = op.moved;
    compileClauses(op, out);
    opCodes_.emplace(uint32_t(&op - module_.ops.data()), uint32_t(unit_.ops.size()));
    unit_.ops.push_back(std::move(out));
  }

  /// What the op's schema in C++ has no code for.
  void clauses(const sema::Op &op) {
    OpCode out;
    if (plan::nativesOf(op, module_).empty())
      compileClauses(op, out);
    opCodes_.emplace(uint32_t(&op - module_.ops.data()), uint32_t(unit_.ops.size()));
    unit_.ops.push_back(std::move(out));
  }

  void compileClauses(const sema::Op &op, OpCode &out) {
    ClauseCompiler clauses(builder_, op);
    for (const sema::OpAttrDecl &a : op.attrs) {
      OpCode::Attribute &attr = out.attrs.emplace_back(OpCode::Attribute{a.name, uint8_t(a.type), a.required(), {}});
      if (a.defaultValue)
        attr.byDefault = clauses.compileAttr(*a.defaultValue, a.type);
    }
    for (size_t i = 0; i < op.types.size(); ++i)
      out.types.push_back(typeRule(clauses, op, i));
    for (const sema::Require &r : op.requires_) {
      OpCode::Requirement &requirement = out.requirements.emplace_back();
      requirement.condition = clauses.compile(r.condition);
      for (const sema::MessagePiece &piece : r.message) {
        OpCode::Requirement::Piece &shown =
            requirement.message.emplace_back(OpCode::Requirement::Piece{piece.text, {}, Elem::Int, false});
        if (!piece.value)
          continue;
        shown.value = clauses.compile(*piece.value);
        shown.isList = piece.value->type.isList();
        shown.elem = shown.isList ? elemOf(piece.value->type.element()) : elemOf(piece.value->type);
      }
      if (requirement.message.empty())
        requirement.message.push_back(
            {"this does not hold: " + sema::toString(r.condition, module_, op.body), {}, Elem::Int, false});
    }
    for (const sema::FoldRule &f : op.folds) {
      OpCode::Fold &fold = out.folds.emplace_back();
      if (f.condition)
        fold.condition = clauses.compile(*f.condition);
      fold.value = clauses.compile(f.value);
      fold.isTensor = f.value.type.is(TypeKind::Tensor);
    }
    out.registers = uint16_t(clauses.registers());
    if (clauses.tooLarge())
      diags_.error(
          "too-complex", op.nameRange,
          fmt::format("the clauses of `{}` need more than {} places for what they compute", op.name, int(kNoReg) - 1));
    fns();
  }

  OpCode::TypeRule typeRule(ClauseCompiler &clauses, const sema::Op &op, size_t i) {
    const Expr &type = op.types[i];
    if (op.results[i].arity == Arity::Variadic)
      return {.kind = OpCode::TypeRule::Group, .value = clauses.compile(type), .dims = {}};
    if (type.type.isList())
      return {.kind = OpCode::TypeRule::Tuple, .value = clauses.compile(type), .dims = {}};
    if (const Expr *like = plan::typeOfOne(type))
      return {.kind = OpCode::TypeRule::Like, .value = clauses.compile(*like), .dims = {}};
    if (type.kind == ExprKind::MakeType && type.args.size() == 2)
      return {.kind = OpCode::TypeRule::Parts,
              .value = clauses.compile(type.args[0]),
              .dims = clauses.compile(type.args[1])};
    return {.kind = OpCode::TypeRule::Whole, .value = clauses.compile(type), .dims = {}};
  }

  /// Functions that code written before calls, and those that they call.
  void fns() {
    for (auto todo = builder_.takeFns(); !todo.empty(); todo = builder_.takeFns())
      for (auto [index, number] : todo) {
        const sema::Fn &fn = module_.fn(index);
        ExpressionCompiler code(builder_, fn.body);
        Reg first = code.regs(fn.params.size());
        for (size_t i = 0; i < fn.params.size(); ++i)
          code.bindTo(fn.params[i], Reg(first + i));
        uint32_t entry = code.place();
        Reg result = code.value(fn.value);
        code.emit(Opcode::Pass);
        unit_.fns[number] = {entry, uint16_t(code.registers()), result};
        if (code.tooLarge())
          diags_.error("too-complex", fn.nameRange,
                       fmt::format("`{}` needs more than {} places for what it computes", fn.name, int(kNoReg) - 1));
      }
  }

  void test(const sema::Test &test) {
    sema::Pattern pattern; // as far as building looks at one
    pattern.name = test.name;
    pattern.file = test.file;
    pattern.nameRange = test.nameRange;
    pattern.body = test.body;
    plan::MatchPlan plan;
    plan.line = builder_.line(test.nameRange);
    TestCode &code = unit_.tests.emplace_back(PatternCompiler(builder_, pattern, plan).compileTest(test));
    const sema::Decl *tested = nullptr;
    if (test.pattern)
      tested = &module_.pattern(test.pattern);
    else if (test.pass)
      tested = &module_.passes[test.pass.raw];
    else if (test.pipeline)
      tested = &module_.pipelines[test.pipeline.raw];
    if (tested && tested->imported)
      code.target = nameOf(*tested);
  }

  DeclName nameOf(const sema::Decl &decl) const {
    if (!decl.imported)
      return {decl.name, "", 0};
    std::string_view path = sources_.name(decl.file);
    return {decl.name, std::string(path.substr(path.rfind('/') + 1)), builder_.line(decl.nameRange)};
  }

  void passes() {
    std::set<uint32_t> canonical;
    for (const sema::Op &op : module_.ops)
      if (wanted(op))
        for (sema::PatternIndex p : op.canonicalize)
          if (canonical.insert(p.raw).second)
            unit_.canonicalizations.push_back(nameOf(module_.pattern(p)));
    for (const sema::Pass &pass : module_.passes) {
      if (!wanted(pass))
        continue;
      PassCode &out = unit_.passes.emplace_back();
      out.name = pass.name;
      out.doc = pass.doc;
      out.maxIterations = unsigned(pass.maxIterations.value_or(0));
      out.line = builder_.line(pass.nameRange);
      for (const sema::Pass::Member &m : pass.members)
        if (m.pattern)
          out.patterns.push_back(nameOf(module_.pattern(m.pattern)));
        else
          out.labels.push_back(m.label);
      if (pass.conversion) {
        const sema::Conversion &c = *pass.conversion;
        PassCode::Conversion &code = out.conversion.emplace_back();
        code.from = c.from, code.to = c.to, code.legal = c.legal;
        code.version = unsigned(c.version.value_or(0));
        code.lastVersion = unsigned(c.last.value_or(c.version.value_or(0)));
        for (const sema::Conversion::Refused &r : c.refused)
          code.refused.emplace_back(r.type, r.reason);
        code.keepsFunctions = c.keepsFunctions;
      }
    }
    for (const sema::Pipeline &p : module_.pipelines) {
      if (!wanted(p))
        continue;
      PipelineCode &out =
          unit_.pipelines.emplace_back(PipelineCode{p.name, p.text, p.doc, builder_.line(p.nameRange), {}});
      for (const sema::Pipeline::Import &import : p.imports)
        out.imports.push_back(import.pass ? nameOf(module_.passes[import.pass.raw])
                                          : nameOf(module_.pipelines[import.pipeline.raw]));
    }
  }

  Unit unit_;
  std::map<uint32_t, uint32_t> opCodes_; // by op of the module: its place in the unit
  const NextPlan &nextPlan_;
  const sema::Module &module_;
  const SourceManager &sources_;
  const CompileOptions &options_;
  Diagnostics &diags_;
  UnitBuilder builder_;
};

} // namespace

Unit compile(const sema::Module &module, const NextPlan &nextPlan, const SourceManager &sources,
             const CompileOptions &options, Diagnostics &diags) {
  return Compiler(module, nextPlan, sources, options, diags).compile();
}

Unit compile(const plan::Module &plans, const SourceManager &sources, const CompileOptions &options,
             Diagnostics &diags) {
  size_t next = 0;
  NextPlan nextPlan = [&] { return next < plans.plans.size() ? &plans.plans[next++] : nullptr; };
  return compile(*plans.source, nextPlan, sources, options, diags);
}

} // namespace rw::interpret
