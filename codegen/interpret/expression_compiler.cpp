#include "codegen/interpret/expression_compiler.h"

#include <algorithm>
#include <bit>

namespace rw::interpret {

using sema::BinaryOp;
using sema::Builtin;
using sema::Expr;
using sema::ExprKind;
using sema::Property;
using sema::TypeKind;
using sema::VarId;

Elem elemOf(TypeKind kind) {
  switch (kind) {
  case TypeKind::Float:
    return Elem::Float;
  case TypeKind::Bool:
    return Elem::Bool;
  case TypeKind::String:
    return Elem::String;
  case TypeKind::DType:
    return Elem::DType;
  case TypeKind::Dim:
    return Elem::Dim;
  case TypeKind::Type:
    return Elem::Type;
  case TypeKind::Attr:
  case TypeKind::Tensor:
    return Elem::Attr;
  case TypeKind::Value:
  case TypeKind::None:
    return Elem::Value;
  case TypeKind::Region: // ids, as ops are
  case TypeKind::Op:
    return Elem::Op;
  default:
    return Elem::Int;
  }
}

View viewOf(sema::Type t) {
  if (t.lists > 1)
    return View::IntLists;
  switch (t.kind) {
  case TypeKind::Float:
    return t.isList() ? View::Floats : View::Float;
  case TypeKind::Bool:
    return t.isList() ? View::Bools : View::Bool;
  case TypeKind::String:
    return t.isList() ? View::Strings : View::String;
  case TypeKind::DType:
    return t.isList() ? View::DTypes : View::DType;
  case TypeKind::Dim:
    return t.isList() ? View::Dims : View::Dim;
  case TypeKind::Type:
    return t.isList() ? View::Types : View::Type;
  case TypeKind::Attr:
    return View::Attr;
  default:
    return t.isList() ? View::Ints : View::Int;
  }
}

/// The elements of the lists in a list of lists.
static Elem innerOf(sema::Type t) { return elemOf(t.kind); }

Reg ExpressionCompiler::unsupported() {
  emit(Opcode::Fail);
  return reg();
}

void ExpressionCompiler::loadInt(Reg to, int64_t n) {
  if (n == int32_t(n))
    emit(Opcode::LoadInt, to, kNoReg, kNoReg, int32_t(n));
  else
    emit(Opcode::LoadLong, to, kNoReg, kNoReg, builder.number(n));
}

Reg ExpressionCompiler::loadInt(int64_t n) {
  Reg r = reg();
  loadInt(r, n);
  return r;
}

void ExpressionCompiler::view(Reg to, Reg attr, sema::Type type) {
  if (type.is(TypeKind::Tensor))
    emit(Opcode::TensorAttr, to, attr);
  else if (viewOf(type) == View::Ints)
    emit(Opcode::ViewInts, to, attr);
  else
    emit(Opcode::View, to, attr, kNoReg, int32_t(viewOf(type)));
}

Reg ExpressionCompiler::isBound(const VarState &v) { return v.flag != kNoReg ? v.flag : op1(Opcode::IsThere, v.reg); }

Reg ExpressionCompiler::variable(VarId id) {
  VarState &v = vars[id.raw];
  if (v.presence == VarState::Unbound) { // no way the match went binds it
    emit(Opcode::Fail);
    return reg();
  }
  if (v.presence == VarState::Maybe) {
    if (v.flag == kNoReg)
      emit(Opcode::FailIfNone, v.reg);
    else
      emit(Opcode::FailUnless, v.flag);
  }
  if (v.lazy) {
    view(v.reg, v.attr, body.var(id).type);
    v.lazy = false;
  }
  return v.reg;
}

void ExpressionCompiler::require(const Expr &e) {
  bool negated = e.kind == ExprKind::Not;
  Reg holds = value(negated ? e.args[0] : e);
  emit(negated ? Opcode::FailIf : Opcode::FailUnless, holds);
}

ExpressionCompiler::Because::Because(ExpressionCompiler &c, const Expr &e) : c_(c) {
  if (!c_.ofWhole_ || plan::builds(e))
    return;
  uint32_t why = c_.failure(e);
  if (why == 0)
    return;
  outer_ = c_.reason();
  c_.setReason(why);
  c_.ofWhole_ = false;
}

ExpressionCompiler::Because::~Because() {
  if (!outer_)
    return;
  c_.setReason(*outer_);
  c_.ofWhole_ = true;
}

Reg ExpressionCompiler::value(const Expr &e) {
  Because because(*this, e);
  return valueOf(e);
}

Reg ExpressionCompiler::valueOf(const Expr &e) {
  switch (e.kind) {
  case ExprKind::Int:
  case ExprKind::Bool:
    return loadInt(e.i); // a dimension that is a number is its own bits
  case ExprKind::Float: {
    Reg r = reg();
    emit(Opcode::LoadLong, r, kNoReg, kNoReg, builder.number(std::bit_cast<int64_t>(e.f)));
    return r;
  }
  case ExprKind::String: {
    Reg r = reg();
    emit(Opcode::LoadString, r, kNoReg, kNoReg, builder.string(e.text));
    return r;
  }
  case ExprKind::DType:
    return loadInt(int64_t(dtypeFromName(e.text).value_or(DType::Unknown)));
  case ExprKind::None: {
    if (e.type.is(TypeKind::Dim))
      return loadInt(Dim::unknown().bits());
    Reg r = reg();
    emit(Opcode::LoadNone, r);
    return r;
  }
  case ExprKind::List:
    return list(e);
  case ExprKind::Var:
    return variable(e.var());
  case ExprKind::Not:
    return op1(Opcode::Not, value(e.args[0]));
  case ExprKind::Neg:
    if (e.args[0].kind == ExprKind::Int)
      return loadInt(int64_t(0 - uint64_t(e.args[0].i)));
    return op1(e.type.is(TypeKind::Int) ? Opcode::NegInt : Opcode::NegFloat, value(e.args[0]));
  case ExprKind::Binary:
    return binary(e);
  case ExprKind::If:
    return ifElse(e, &ExpressionCompiler::value);
  case ExprKind::Let: {
    Reg v = value(e.args[0]);
    bindTo(e.var(), v);
    return value(e.args[1]);
  }
  case ExprKind::Range: {
    Reg begin = value(e.args[0]), end = value(e.args[1]);
    return op2(Opcode::Range, begin, end);
  }
  case ExprKind::Comprehension:
    return comprehension(e);
  case ExprKind::Index: {
    Reg from = value(e.args[0]), i = value(e.args[1]);
    return op2(Opcode::Index, from, i, elemOf(e.args[0].type.element()));
  }
  case ExprKind::Slice:
    return slice(e);
  case ExprKind::Call:
    return call(e);
  case ExprKind::Builtin:
    return builtin(e);
  case ExprKind::Native:
    return unsupported(); // files with natives are refused
  case ExprKind::Property:
    return property(e);
  case ExprKind::OpOperand:
  case ExprKind::OpAttr:
  case ExprKind::OpResult:
    return opMember(e);
  case ExprKind::OpRegion: {
    Reg op = value(e.args[0]), out = reg();
    emit(Opcode::Region, out, op, kNoReg, int32_t(e.i));
    return out;
  }
  case ExprKind::Convert:
    return convert(e);
  case ExprKind::MakeType: {
    Reg dtype = value(e.args[0]);
    if (e.args.size() == 1)
      return op1(Opcode::UnrankedType, dtype);
    Reg dims = value(e.args[1]);
    return op2(Opcode::TensorType, dtype, dims);
  }
  case ExprKind::Is:
    return isExpr(e);
  case ExprKind::Build:
    return build(e);
  }
  return unsupported();
}

/// A number known as it stands; as what `value` of the expression loads.
static std::optional<int64_t> constantOf(const Expr &e) {
  switch (e.kind) {
  case ExprKind::Int:
    return e.type.is(TypeKind::Int) || e.type.is(TypeKind::Dim) ? std::optional(e.i) : std::nullopt;
  case ExprKind::Neg:
    return e.args[0].kind == ExprKind::Int ? std::optional(int64_t(0 - uint64_t(e.args[0].i))) : std::nullopt;
  case ExprKind::Convert:
    if (e.type.is(TypeKind::Dim) && e.args[0].kind == ExprKind::Int && e.args[0].i >= 0)
      return e.args[0].i;
    return std::nullopt;
  default:
    return std::nullopt;
  }
}

Reg ExpressionCompiler::list(const Expr &e) {
  std::vector<int64_t> numbers;
  for (const Expr &a : e.args)
    if (std::optional<int64_t> n = constantOf(a))
      numbers.push_back(*n);
  if (numbers.size() == e.args.size() && !numbers.empty() && numbers.size() < kNoReg) {
    Reg out = reg();
    emit(Opcode::LoadNumbers, out, kNoReg, Reg(numbers.size()), builder.numbers(numbers));
    return out;
  }
  std::vector<Reg> elements;
  for (const Expr &a : e.args)
    elements.push_back(value(a));
  Reg out = reg();
  emit(Opcode::NewList, out);
  for (Reg element : elements)
    emit(Opcode::Push, out, element, kNoReg, 0, elemOf(e.type.element()));
  return out;
}

// Opcodes of one family stand in the order of the operators.
static_assert(unsigned(Opcode::ShiftRight) - unsigned(Opcode::AddInt) ==
              unsigned(BinaryOp::ShiftRight) - unsigned(BinaryOp::Add));
static_assert(unsigned(Opcode::ModDim) - unsigned(Opcode::AddDim) == unsigned(BinaryOp::Mod) - unsigned(BinaryOp::Add));
static_assert(unsigned(Opcode::GeInt) - unsigned(Opcode::EqInt) == unsigned(BinaryOp::Ge) - unsigned(BinaryOp::Eq));

// Operators -------------------------------------------------------------------------------------------------------

Reg ExpressionCompiler::binary(const Expr &e) {
  switch (e.binary) {
  case BinaryOp::And:
  case BinaryOp::Or:
    return lazy(e);
  case BinaryOp::Eq:
  case BinaryOp::Ne:
  case BinaryOp::Lt:
  case BinaryOp::Le:
  case BinaryOp::Gt:
  case BinaryOp::Ge:
    return comparison(e);
  case BinaryOp::Concat: {
    Reg a = value(e.args[0]), b = value(e.args[1]);
    bool limited = std::ranges::none_of(e.args, [](const Expr &side) { return side.kind == ExprKind::List; });
    // A string is a list of bytes, which bools are as long as.
    static_assert(sizeof(bool) == 1);
    return op2(limited ? Opcode::Concat : Opcode::ConcatShort, a, b,
               e.type.isList() ? elemOf(e.type.element()) : Elem::Bool);
  }
  default:
    return arithmetic(e);
  }
}

/// Of two floats or lists of them that are compared: the one that was rounded to 32 bits as the other where it is that.
void ExpressionCompiler::readRounded(const Expr &e, Reg &first, Reg &second) {
  if (e.rounded == sema::Rounded::None)
    return;
  bool isFirst = e.rounded == sema::Rounded::First;
  Reg &out = isFirst ? first : second;
  const sema::Type &type = e.args[isFirst ? 0 : 1].type, &other = e.args[isFirst ? 1 : 0].type;
  out = op2(Opcode::Unrounded, out, isFirst ? second : first, Elem::Float,
            int32_t(type.isList()) | int32_t(other.isList()) << 1);
}

Reg ExpressionCompiler::comparison(const Expr &e) {
  sema::Type type = e.args[0].type;
  BinaryOp op = e.binary;
  bool equality = op == BinaryOp::Eq || op == BinaryOp::Ne;
  Reg a = value(e.args[0]), b = value(e.args[1]);
  readRounded(e, a, b);
  auto negatedIf = [&](Reg same) { return op == BinaryOp::Ne ? op1(Opcode::Not, same) : same; };
  if (equality && type.isList()) {
    sema::Type element = type.element();
    return negatedIf(op2(Opcode::EqList, a, b, elemOf(element), int32_t(innerOf(element))));
  }
  if (equality && (type.is(TypeKind::Dim) || type.is(TypeKind::Type)))
    return negatedIf(op2(type.is(TypeKind::Dim) ? Opcode::EqDim : Opcode::EqType, a, b));
  if (type.is(TypeKind::Dim)) {
    if (op == BinaryOp::Gt || op == BinaryOp::Ge)
      std::swap(a, b);
    return op2(op == BinaryOp::Lt || op == BinaryOp::Gt ? Opcode::LtDim : Opcode::LeDim, a, b);
  }
  unsigned which = unsigned(op) - unsigned(BinaryOp::Eq);
  switch (type.kind) {
  case TypeKind::Float:
    return op2(Opcode(unsigned(Opcode::EqFloat) + which), a, b);
  case TypeKind::String:
    return op2(Opcode::CompareString, a, b, Elem::Int, int32_t(which));
  case TypeKind::Attr:
  case TypeKind::Tensor:
  case TypeKind::Value:
  case TypeKind::Op:
    return op2(op == BinaryOp::Eq ? Opcode::EqId : Opcode::NeId, a, b);
  default:
    return op2(Opcode(unsigned(Opcode::EqInt) + which), a, b);
  }
}

Reg ExpressionCompiler::arithmetic(const Expr &e) {
  Reg a = value(e.args[0]), b = value(e.args[1]);
  unsigned which = unsigned(e.binary) - unsigned(BinaryOp::Add);
  Opcode first = e.type.is(TypeKind::Int)   ? Opcode::AddInt
                 : e.type.is(TypeKind::Dim) ? Opcode::AddDim
                                            : Opcode::AddFloat;
  return op2(Opcode(unsigned(first) + which), a, b);
}

/// Whether evaluating may fail, as far as that is seen at a glance.
bool ExpressionCompiler::mayFail(const Expr &e) const {
  switch (e.kind) {
  case ExprKind::Int:
  case ExprKind::Float:
  case ExprKind::Bool:
  case ExprKind::String:
  case ExprKind::DType:
  case ExprKind::None:
    return false;
  case ExprKind::Var:
    return vars[e.id].presence != VarState::Bound || vars[e.id].lazy;
  case ExprKind::Not:
  case ExprKind::If:
    break;
  case ExprKind::Binary: {
    sema::Type type = e.args[0].type;
    bool safe = e.binary == BinaryOp::And || e.binary == BinaryOp::Or ||
                (e.binary >= BinaryOp::Eq && e.binary <= BinaryOp::Ge && !type.isList() && !type.is(TypeKind::Dim) &&
                 !type.is(TypeKind::Type));
    if (!safe)
      return true;
    break;
  }
  case ExprKind::Builtin:
    switch (e.builtin) {
    case Builtin::Has:
    case Builtin::OrUnknown:
    case Builtin::Holds:
      return false;
    case Builtin::Len:
    case Builtin::IsSorted:
    case Builtin::IsUnique:
    case Builtin::IsPermutation:
    case Builtin::IsNumber:
    case Builtin::IsKnown:
    case Builtin::SingleElement:
    case Builtin::IsConst:
    case Builtin::OneUser:
    case Builtin::IsFloat:
    case Builtin::IsInteger:
    case Builtin::IsSigned:
    case Builtin::IsComplex:
      break;
    default:
      return true;
    }
    break;
  default:
    return true;
  }
  return std::ranges::any_of(e.args, [&](const Expr &a) { return mayFail(a); });
}

/// `or` holds if either side does, and `and` fails to hold if either side does not, even where the other cannot be
/// evaluated.
Reg ExpressionCompiler::lazy(const Expr &e) {
  bool isAnd = e.binary == BinaryOp::And, open = mayFail(e.args[0]);
  Reg out = reg(), known = kNoReg;
  Label end;
  if (open) {
    known = reg();
    Label failed, decided;
    conditionally([&] {
      withHandler(&failed, [&] {
        Reg left = value(e.args[0]);
        emit(Opcode::Move, out, left);
      });
    });
    loadInt(known, 1);
    jump(decided);
    bind(failed);
    loadInt(known, 0);
    loadInt(out, isAnd);
    bind(decided);
  } else {
    Reg left = value(e.args[0]);
    emit(Opcode::Move, out, left);
  }
  jump(isAnd ? Opcode::JumpUnless : Opcode::JumpIf, out, end);
  conditionally([&] {
    Reg right = value(e.args[1]);
    emit(Opcode::Move, out, right);
  });
  if (open) { // what this side leaves to the other is not known
    jump(Opcode::JumpIf, known, end);
    jump(isAnd ? Opcode::JumpUnless : Opcode::JumpIf, out, end);
    emit(Opcode::Fail);
  }
  bind(end);
  return out;
}

/// The value, or what `otherwise` puts in its place where it cannot be evaluated.
template <class Otherwise> Reg ExpressionCompiler::orElse(const Expr &e, Otherwise otherwise) {
  if (!mayFail(e))
    return value(e);
  Reg out = reg();
  Label failed, end;
  conditionally([&] {
    withHandler(&failed, [&] {
      Reg there = value(e);
      emit(Opcode::Move, out, there);
    });
  });
  jump(end);
  bind(failed);
  otherwise(out);
  bind(end);
  return out;
}

Reg ExpressionCompiler::ifElse(const Expr &e, Reg (ExpressionCompiler::*branch)(const Expr &)) {
  Reg condition = value(e.args[0]), out = reg();
  Label otherwise, end;
  jump(Opcode::JumpUnless, condition, otherwise);
  conditionally([&] {
    Reg yes = (this->*branch)(e.args[1]);
    emit(Opcode::Move, out, yes);
  });
  jump(end);
  bind(otherwise);
  conditionally([&] {
    Reg no = (this->*branch)(e.args[2]);
    emit(Opcode::Move, out, no);
  });
  bind(end);
  return out;
}

// Loops -----------------------------------------------------------------------------------------------------------

/// The loop of a source that is taken apart into the variables from `first` on, up to its body. Gives where a round
/// starts.
uint32_t ExpressionCompiler::apartLoop(const Expr &e, const Expr &source, size_t first, size_t count, Label &end) {
  bool zip = source.kind == ExprKind::Builtin && source.builtin == Builtin::Zip;
  bool enumerated = source.kind == ExprKind::Builtin && source.builtin == Builtin::Enumerate;
  Reg index = reg();
  if (!zip && !enumerated) { // a list of lists
    Reg lists = value(source), element = reg();
    Elem inner = elemOf(source.type.element().element());
    loadInt(index, -1);
    uint32_t begin = place();
    emitTo(end, Opcode::Next, element, index, lists, Elem::List);
    emit(Opcode::SizeIs, element, kNoReg, kNoReg, int32_t(count));
    for (size_t i = 0; i < count; ++i) {
      Reg part = reg();
      emit(Opcode::ElementAt, part, element, kNoReg, int32_t(i), inner);
      bindTo(e.loopVars[first + i], part);
    }
    return begin;
  }
  std::vector<Reg> lists;
  for (const Expr &from : source.args)
    lists.push_back(value(from));
  for (size_t i = 1; i < lists.size(); ++i)
    emit(Opcode::SameSize, lists[i], lists[0]);
  Reg size = op1(Opcode::Len, lists[0]);
  loadInt(index, -1);
  uint32_t begin = place();
  emitTo(end, Opcode::NextInt, index, size);
  if (enumerated)
    bindTo(e.loopVars[first], index);
  for (size_t i = 0; i < lists.size(); ++i)
    bindTo(e.loopVars[first + i + enumerated],
           op2(Opcode::Index, lists[i], index, elemOf(source.args[i].type.element())));
  return begin;
}

/// One loop per source of a comprehension from `at` on, and the filter; `inner` fills the innermost, and may go to the
/// label it is given to come to the next round.
void ExpressionCompiler::loops(const Expr &e, size_t at, Reg steps, Label &outer,
                               const std::function<void(Label &)> &inner) {
  if (at == 0 && e.sourceCount() > 1)
    steps = loadInt(0);
  if (at == e.sourceCount()) {
    if (at > 1)
      emit(Opcode::Step, steps);
    if (e.hasFilter) {
      Reg filter = value(e.filter());
      jump(Opcode::JumpUnless, filter, outer);
    }
    return inner(outer);
  }
  const Expr &source = e.args[1 + at];
  size_t first = 0;
  for (size_t i = 0; i < at; ++i)
    first += e.groupSize(i);
  Label end;
  uint32_t begin = 0; // where the next round starts
  if (e.groupSize(at) > 1) {
    begin = apartLoop(e, source, first, e.groupSize(at), end);
  } else if (source.kind == ExprKind::Range) {
    Reg from = value(source.args[0]), to = value(source.args[1]);
    if (!plan::isShortRange(source.args[0], source.args[1]))
      emit(Opcode::RangeFits, from, to);
    Reg i = op1(Opcode::Before, from);
    begin = place();
    emitTo(end, Opcode::NextInt, i, to);
    bindTo(e.loopVars[first], i);
  } else {
    Reg from = value(source), index = loadInt(-1), element = reg();
    begin = place();
    emitTo(end, Opcode::Next, element, index, from, elemOf(source.type.element()));
    bindTo(e.loopVars[first], element);
  }
  Label again;
  loops(e, at + 1, steps, again, inner);
  for (uint32_t from : again.jumps)
    builder.unit.code[from].d = int32_t(begin);
  emit(Opcode::Jump, kNoReg, kNoReg, kNoReg, int32_t(begin));
  bind(end);
}

Reg ExpressionCompiler::comprehension(const Expr &e) {
  Reg out = reg();
  emit(Opcode::NewList, out);
  Label none;
  conditionally([&] {
    loops(e, 0, kNoReg, none, [&](Label &) {
      Reg element = value(e.args[0]);
      emit(Opcode::Push, out, element, kNoReg, 0, elemOf(e.type.element()));
    });
  });
  return out;
}

Reg ExpressionCompiler::quantifier(const Expr &e, bool all) {
  const Expr &list = e.args[0];
  Reg out = loadInt(all), unknown = kNoReg;
  Label done, none;
  conditionally([&] {
    for (VarId var : list.loopVars) // bound before each element is looked at
      bindTo(var, 0);
    bool open = mayFail(list.args[0]);
    if (open)
      unknown = loadInt(0);
    loops(list, 0, kNoReg, none, [&](Label &next) {
      Label failed;
      Reg holds = kNoReg;
      conditionally([&] { withHandler(open ? &failed : handler(), [&] { holds = value(list.args[0]); }); });
      jump(all ? Opcode::JumpIf : Opcode::JumpUnless, holds, next);
      loadInt(out, !all);
      jump(done);
      if (open) {
        bind(failed);
        loadInt(unknown, 1);
      }
    });
    bind(done);
    if (open) {
      Label known;
      jump(Opcode::JumpUnless, unknown, known);
      emit(all ? Opcode::FailIf : Opcode::FailUnless, out);
      bind(known);
    }
  });
  return out;
}

// Lists and functions ---------------------------------------------------------------------------------------------

Reg ExpressionCompiler::slice(const Expr &e) {
  Reg from = value(e.args[0]);
  Reg begin = e.args[1].kind == ExprKind::None ? loadInt(0) : value(e.args[1]);
  Reg end = e.args[2].kind == ExprKind::None ? op1(Opcode::Len, from) : value(e.args[2]);
  return op2(Opcode::Slice, from, begin, elemOf(e.type.element()), end);
}

Reg ExpressionCompiler::call(const Expr &e) {
  std::vector<Reg> args;
  for (const Expr &a : e.args)
    args.push_back(value(a));
  Reg first = regs(args.size());
  for (size_t i = 0; i < args.size(); ++i)
    emit(Opcode::Move, Reg(first + i), args[i]);
  return op2(Opcode::CallFn, first, Reg(args.size()), Elem::Int, builder.fn(e.fn()));
}

Reg ExpressionCompiler::has(const Expr &e) {
  const Expr &what = e.args[0];
  if (what.kind == ExprKind::Var) {
    const VarState &v = vars[what.id];
    if (v.presence == VarState::Unbound)
      return loadInt(0);
    if (v.presence == VarState::Maybe)
      return isBound(v);
    if (!body.var(what.var()).optional) // bound by the alternative that matched
      return loadInt(1);
    return op1(Opcode::IsThere, v.reg);
  }
  Reg out = reg();
  Label failed, end;
  conditionally([&] { withHandler(&failed, [&] { value(what); }); });
  loadInt(out, 1);
  jump(end);
  bind(failed);
  loadInt(out, 0);
  bind(end);
  return out;
}

Reg ExpressionCompiler::builtin(const Expr &e) {
  auto arg = [&](size_t i) { return value(e.args[i]); };
  auto element = [&] { return elemOf(e.args[0].type.element()); };
  auto both = [&](Opcode op, Elem elem, int32_t d = 0) {
    Reg a = arg(0), b = arg(1);
    readRounded(e, a, b);
    return op2(op, a, b, elem, d);
  };
  auto inner = [&] { return int32_t(innerOf(e.args[0].type.element())); };
  switch (e.builtin) {
  case Builtin::Len:
    return op1(Opcode::Len, arg(0));
  case Builtin::All:
  case Builtin::Any:
    if (e.args[0].kind == ExprKind::Comprehension)
      return quantifier(e, e.builtin == Builtin::All);
    return op1(e.builtin == Builtin::All ? Opcode::AllOf : Opcode::AnyOf, arg(0));
  case Builtin::Sum:
    return op1(Opcode::Sum, arg(0), element());
  case Builtin::Product:
    return op1(Opcode::Product, arg(0), element());
  case Builtin::MinOf:
    return op1(Opcode::LeastOf, arg(0), element());
  case Builtin::MaxOf:
    return op1(Opcode::GreatestOf, arg(0), element());
  case Builtin::Min:
    return both(Opcode::MinOf, elemOf(e.type));
  case Builtin::Max:
    return both(Opcode::MaxOf, elemOf(e.type));
  case Builtin::Abs: {
    Reg a = arg(0);
    return e.type.is(TypeKind::Dim) ? a : op1(e.type.is(TypeKind::Int) ? Opcode::AbsInt : Opcode::AbsFloat, a);
  }
  case Builtin::Reversed:
    return op1(Opcode::Reversed, arg(0), element());
  case Builtin::Sorted:
    return op1(Opcode::Sorted, arg(0));
  case Builtin::Argsort:
    return op1(Opcode::Argsort, arg(0));
  case Builtin::IsSorted:
    return op1(Opcode::IsSorted, arg(0));
  case Builtin::IsUnique:
    return op1(Opcode::IsUnique, arg(0));
  case Builtin::IsPermutation:
    return both(Opcode::IsPermutation, Elem::Int);
  case Builtin::Contains:
    return both(Opcode::Contains, element(), inner());
  case Builtin::IndexOf:
    return both(Opcode::IndexOf, element(), inner());
  case Builtin::Count:
    return both(Opcode::CountOf, element(), inner());
  case Builtin::Broadcast:
    return both(Opcode::Broadcast, Elem::Dim);
  case Builtin::BroadcastAll:
    return op1(Opcode::Broadcast, arg(0));
  case Builtin::OrUnknown:
    return orElse(e.args[0], [&](Reg out) { loadInt(out, -1); }); // the bits of an unknown dim
  case Builtin::OrUnknowns: {
    Reg n = arg(1);
    return orElse(e.args[0], [&](Reg out) { emit(Opcode::UnknownSizes, out, n); });
  }
  case Builtin::Holds:
    return orElse(e.args[0], [&](Reg out) { loadInt(out, 0); });
  case Builtin::IsNumber:
    return op1(Opcode::IsNumber, arg(0));
  case Builtin::IsKnown:
    return op2(Opcode::IsNumber, arg(0), kNoReg, Elem::Int, 1);
  case Builtin::SingleElement: {
    Reg type = op1(Opcode::TypeOf, arg(0));
    return op1(Opcode::SingleElement, type);
  }
  case Builtin::IsConst: {
    Reg constant = op1(Opcode::ConstantOf, arg(0));
    return op1(Opcode::IsThere, constant);
  }
  case Builtin::OneUser:
    return op1(Opcode::OneUser, arg(0));
  case Builtin::Has:
    return has(e);
  case Builtin::IsFloat:
    return op1(Opcode::IsFloat, arg(0));
  case Builtin::IsInteger:
    return op1(Opcode::IsInteger, arg(0));
  case Builtin::IsSigned:
    return op1(Opcode::IsSigned, arg(0));
  case Builtin::IsComplex:
    return op1(Opcode::IsComplex, arg(0));
  case Builtin::BitLength:
    return op1(Opcode::BitLength, arg(0));
  case Builtin::IsPowerOfTwo:
    return op1(Opcode::IsPowerOfTwo, arg(0));
  case Builtin::Bits:
    return op1(Opcode::Bits, arg(0));
  case Builtin::Splat: {
    Reg repeated;
    if (e.args[0].type.is(TypeKind::Attr)) {
      repeated = attribute(e.args[0], sema::AttrType::Any);
    } else {
      Reg v = arg(0);
      repeated = reg();
      if (e.args[0].type.is(TypeKind::Float))
        emit(Opcode::MakeElement, repeated, v);
      else
        emit(Opcode::MakeAttr, repeated, v, kNoReg, 0, elemOf(e.args[0].type));
    }
    Reg type = arg(1);
    return op2(Opcode::SplatOf, repeated, type);
  }
  case Builtin::Constant:
    return both(Opcode::TensorOf, element());
  case Builtin::Exactly: {
    Reg list = arg(0), n = arg(1);
    emit(Opcode::SizeEquals, list, n);
    return list;
  }
  case Builtin::Zip:
  case Builtin::Enumerate:
    break; // by apartLoop
  }
  return unsupported();
}

// Types, ops, conversions -----------------------------------------------------------------------------------------

/// The type of a value, type, tensor or op.
Reg ExpressionCompiler::typeReg(const Expr &e) {
  Reg v = value(e);
  switch (e.type.kind) {
  case TypeKind::Type:
    return v;
  case TypeKind::Tensor:
  case TypeKind::Attr:
    return op1(Opcode::TypeOfTensor, v);
  case TypeKind::Op:
    return op1(Opcode::TypeOfOp, v);
  default:
    return op1(Opcode::TypeOf, v);
  }
}

Reg ExpressionCompiler::property(const Expr &e) {
  const Expr &of = e.args[0];
  auto constant = [&] {
    Reg v = value(of);
    return of.type.is(TypeKind::Value) ? op1(Opcode::ConstantOf, v) : v;
  };
  auto there = [&](Reg r) {
    emit(Opcode::FailIfNone, r);
    return r;
  };
  switch (e.property) {
  case Property::Shape:
    return op1(Opcode::ShapeOf, typeReg(of));
  case Property::Rank:
    return op1(Opcode::RankOf, typeReg(of));
  case Property::DType:
    return op1(Opcode::DTypeOf, typeReg(of));
  case Property::Size:
    return op1(Opcode::SizeOf, typeReg(of));
  case Property::Type: {
    Reg type = typeReg(of);
    if (e.type.isList())
      return op1(Opcode::TupleElements, type);
    return of.type.is(TypeKind::Type) ? type : there(type);
  }
  case Property::Ints:
    return op1(Opcode::IntsOf, constant());
  case Property::Floats:
    return op1(Opcode::FloatsOf, constant());
  case Property::Contents:
  case Property::Sizes: {
    Reg out = reg();
    emit(Opcode::ContentsOf, out, value(of), kNoReg, e.property == Property::Sizes);
    return out;
  }
  case Property::Value:
    return there(constant());
  case Property::Uses:
    return op1(Opcode::UsesOf, value(of));
  case Property::Name:
  case Property::Dialect: {
    Reg out = reg();
    emit(Opcode::NameOf, out, value(of), kNoReg, e.property == Property::Dialect);
    return out;
  }
  case Property::Operands: {
    Reg out = reg();
    emit(Opcode::OperandList, out, value(of), 0, 0);
    return out;
  }
  case Property::Results:
    return op1(Opcode::ResultsOf, value(of));
  case Property::AttributeNames:
  case Property::Attributes: {
    Reg out = reg();
    emit(Opcode::AttrsOf, out, value(of), kNoReg, e.property == Property::AttributeNames);
    return out;
  }
  }
  return unsupported();
}

Reg ExpressionCompiler::opMember(const Expr &e) {
  Reg op = value(e.args[0]), out = reg();
  switch (e.kind) {
  case ExprKind::OpOperand:
    if (e.behindVariadic && !e.type.isList()) {
      emit(Opcode::OperandOfGroup, out, op, kNoReg, int32_t(e.i));
      emit(Opcode::FailIfNone, out);
      return out;
    }
    emit(e.type.isList() ? Opcode::OperandGroup : Opcode::OperandThere, out, op, kNoReg, int32_t(e.i));
    return out;
  case ExprKind::OpResult:
    emit(e.type.isList() ? Opcode::ResultGroup : Opcode::ResultAny, out, op, kNoReg, int32_t(e.i));
    if (e.mayLack)
      emit(Opcode::FailIfNone, out);
    return out;
  default:
    break;
  }
  Reg attr = reg();
  emit(Opcode::AttrOrNone, attr, op, kNoReg, int32_t(e.i));
  view(out, attr, e.type);
  return out;
}

Reg ExpressionCompiler::orAbsent(const Expr &e) {
  if (!plan::mayBeAbsent(e, body))
    return value(e);
  if (e.kind == ExprKind::If)
    return ifElse(e, &ExpressionCompiler::orAbsent);
  if (e.kind == ExprKind::Var && vars[e.id].presence == VarState::Bound)
    return vars[e.id].reg;
  if (e.kind == ExprKind::None || e.kind == ExprKind::Var) {
    Reg out = reg();
    emit(Opcode::LoadNone, out);
    if (e.kind == ExprKind::None || vars[e.id].presence == VarState::Unbound)
      return out;
    Label absent;
    Reg there = isBound(vars[e.id]);
    jump(Opcode::JumpUnless, there, absent);
    emit(Opcode::Move, out, vars[e.id].reg);
    bind(absent);
    return out;
  }
  Reg op = value(e.args[0]), out = reg();
  emit(e.kind != ExprKind::OpOperand ? Opcode::AttrOrNone
       : e.behindVariadic            ? Opcode::OperandOfGroup
                                     : Opcode::Operand,
       out, op, kNoReg, int32_t(e.i));
  return out;
}

Reg ExpressionCompiler::convert(const Expr &e) {
  const Expr &from = e.args[0];
  sema::Type to = e.type;
  if (from.type == to)
    return value(from);
  if (from.type.kind == TypeKind::Never) { // `[]`
    Reg out = reg();
    if (to.isList())
      emit(Opcode::NewList, out);
    else
      emit(Opcode::LoadNone, out);
    return out;
  }
  if (to.is(TypeKind::Dim) && from.kind == ExprKind::Int && from.i >= 0)
    return loadInt(from.i);
  if (to.is(TypeKind::Attr) && from.type.is(TypeKind::Float) &&
      (from.kind != ExprKind::Var || vars[from.id].attr == kNoReg))
    return op1(Opcode::MakeElement, value(from)); // rounded only where an op gets it
  if (to.is(TypeKind::Attr))
    return attribute(from, sema::AttrType::Any);
  if (from.type.is(TypeKind::Attr)) {
    Reg attr = value(from), out = reg();
    view(out, attr, to);
    return out;
  }
  if (to.is(TypeKind::Value) && from.type.is(TypeKind::Tensor))
    return constantOp(e);
  if (to.is(TypeKind::Tensor)) {
    Reg constant = op1(Opcode::ConstantOf, value(from));
    emit(Opcode::FailIfNone, constant);
    return constant;
  }
  Reg v = value(from);
  if (to.is(TypeKind::Type)) // of a tuple
    return op1(Opcode::TupleType, v);
  if (to.lists == 1)
    return op1(to.kind == TypeKind::Dim   ? Opcode::DimsFromInts
               : to.kind == TypeKind::Int ? Opcode::IntsFromDims
                                          : Opcode::FloatsFromInts,
               v);
  if (to.is(TypeKind::Dim))
    return op1(Opcode::DimFromInt, v);
  if (to.is(TypeKind::Float))
    return op1(Opcode::FloatFromInt, v);
  if (to.is(TypeKind::Int))
    return op1(Opcode::IntFromDim, v);
  return v;
}

Reg ExpressionCompiler::attribute(const Expr &e, sema::AttrType type) {
  Reg out = reg();
  if (e.kind == ExprKind::None) {
    emit(Opcode::LoadNone, out);
    return out;
  }
  auto make = [&] {
    Reg v = value(e);
    if (e.type.is(TypeKind::Attr) || e.type.is(TypeKind::Tensor)) {
      emit(Opcode::Move, out, v);
    } else if (type == sema::AttrType::Symbol) {
      emit(Opcode::MakeSymbol, out, v);
    } else {
      Elem elem = e.type.isList() ? elemOf(e.type.element()) : elemOf(e.type);
      emit(Opcode::MakeAttr, out, v, kNoReg, e.type.isList(), elem);
    }
  };
  if (e.kind == ExprKind::Convert && e.type.is(TypeKind::Attr))
    return attribute(e.args[0], type);
  if (e.kind == ExprKind::Var && vars[e.id].attr != kNoReg && vars[e.id].attrPresence != VarState::Unbound) {
    const VarState v = vars[e.id];
    if (v.presence == VarState::Maybe) {
      if (v.flag == kNoReg)
        emit(Opcode::FailIfNone, v.reg);
      else
        emit(Opcode::FailUnless, v.flag);
    }
    if (v.attrPresence == VarState::Bound)
      return v.attr;
    Label other, end;
    Reg there = op1(Opcode::IsThere, v.attr);
    jump(Opcode::JumpUnless, there, other);
    emit(Opcode::Move, out, v.attr);
    jump(end);
    bind(other);
    conditionally(make);
    bind(end);
    return out;
  }
  make();
  return out;
}

} // namespace rw::interpret
