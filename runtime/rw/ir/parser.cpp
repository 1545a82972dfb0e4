// Functions of the text form, and the entry points.
#include "rw/ir/parser_impl.h"

#include <algorithm>

namespace rw::text {

bool ProgramParser::run() {
  size_t before = program_.functions().size();
  for (const Function &fn : program_.functions())
    functionNames_.insert(fn.name());
  while (!atEnd() && !stopped()) {
    if (!readFunction())
      skipToFunction();
  }
  if (errorCount() == 0)
    return true;
  while (program_.functions().size() > before)
    program_.functions().pop_back();
  return false;
}

bool ProgramParser::expectEnd() {
  return atEnd() || errorHere("syntax", "expected the end of the text, found " + found());
}
bool ProgramParser::runType(TypeId &out) { return readType(out) && expectEnd(); }
bool ProgramParser::runAttr(AttrType declared, AttrId &out) {
  if (!readAttr(declared, out) || !expectEnd())
    return false;
  return attrFits(ctx_, out, declared) ||
         error("bad-attribute", begin_, end_, "this is not a " + std::string(attrTypeName(declared)));
}

/// After an error outside of any function: on to the next line that starts one.
void ProgramParser::skipToFunction() {
  while (!atEnd()) {
    const char *newline = static_cast<const char *>(std::memchr(p_, '\n', size_t(end_ - p_)));
    p_ = newline ? newline + 1 : end_;
    if (peekWord(true) == "func")
      return;
  }
}

bool ProgramParser::readFunction() {
  if (peekWord(true) != "func")
    return errorHere("syntax", "expected `func`, found " + found());
  p_ += 4;
  if (!expect('@', "before the function's name"))
    return false;
  const char *at = p_;
  std::string_view name;
  if (!readName(name, "the function's name"))
    return false;
  if (!functionNames_.insert(name).second)
    error("duplicate-function", at, p_, "a function named `" + std::string(name) + "` is there already");
  fn_ = &program_.addFunction(std::string(name));
  missingBrace_ = false;
  scope_.release(0);
  undefined_.clear();
  std::vector<FunctionResult> results;
  if (!expect('(', "after the function's name") || !readParams())
    return false;
  bool hasList = false;
  if (peek() == '-' && p_[1] == '>') {
    p_ += 2;
    hasList = true;
    if (!readResultList(results))
      return false;
  }
  if (peek() != '{')
    return expect('{', "before the function's body");
  // Room for what follows, as far as can be seen: a line is an op. Bounded by the text that is there.
  if (fn_->opCapacity() == 0 && program_.functions().size() == 1) {
    size_t lines = 0;
    for (const char *q = p_; (q = static_cast<const char *>(std::memchr(q, '\n', size_t(end_ - q)))); ++q)
      ++lines;
    fn_->reserve(lines, lines + fn_->valueCapacity(), lines + lines / 2);
  }
  size_t errorsBefore = errorCount();
  bool ok = readRegion(fn_->body(), p_);
  reportUndefined();
  if (errorCount() == errorsBefore)
    checkResults(results, hasList);
  return ok;
}

bool ProgramParser::readParams() {
  return readList(')', [&] { return readParam(); });
}

bool ProgramParser::readParam() {
  ValueName name;
  if (!readValueName(name) || !expect(':', "after the parameter's name"))
    return false;
  ParamInfo info;
  if (eatWord("param")) {
    info.role = ParamRole::Param;
    if (*p_ == '(') { // at once: after a space it is a tuple type
      ++p_;
      skipSpace();
      const char *from = p_;
      Number n;
      if (!readNumber(n))
        return false;
      if (!n.isInt || n.negative || n.overflow || n.magnitude == 0)
        return error("bad-parameter", from, p_, "a parameter's id is a whole number from 1 to 2^64 - 1");
      info.stableId = n.magnitude;
      if (!expect(')', "after the parameter's id"))
        return false;
    }
  }
  TypeId type;
  if (!readType(type))
    return false;
  if (eat('=') && !readAttr(AttrType::Any, info.defaultValue))
    return false;
  define(name, fn_->addParam(type, info).id);
  return true;
}

/// `-> T` or `-> (name: T, T)`, after the arrow.
bool ProgramParser::readResultList(std::vector<FunctionResult> &out) {
  auto item = [&](bool mayBeNamed) {
    FunctionResult r;
    skipSpace();
    r.from = p_;
    std::string_view name;
    // A name is followed by `:`, which no type is.
    if (mayBeNamed && *p_ == '"') {
      if (!readQuoted(name) || !expect(':', "after the result's name"))
        return false;
    } else if (mayBeNamed && !peekWord().empty()) {
      name = readWord();
      if (!eat(':')) {
        p_ = r.from;
        name = {};
      }
    }
    bool named = name.data() != nullptr;
    if (named)
      r.name = ctx_.intern(name);
    skipSpace();
    r.from = p_;
    if (!readType(r.type))
      return false;
    r.to = p_;
    out.push_back(r);
    return true;
  };
  if (!eat('('))
    return item(false);
  return readList(')', [&] { return item(true); });
}

void ProgramParser::checkResults(const std::vector<FunctionResult> &stated, bool hasList) {
  Op ret = fn_->terminator(fn_->body());
  if (!hasList || !ret)
    return;
  if (stated.size() != ret.operandCount()) {
    const char *at = begin_ + (ret.loc().raw - locAt(begin_).raw);
    error("wrong-result-count", at, endOfToken(at),
          "the function states " + counted(stated.size(), "result") + ", `return` has " +
              std::to_string(ret.operandCount()));
    return;
  }
  std::vector<StringId> names;
  bool anyName = false;
  for (size_t i = 0; i < stated.size(); ++i) {
    Value v = ret.operand(unsigned(i));
    TypeId actual = v ? v.typeId() : ctx_.noneType();
    if (!ctx_.compatible(stated[i].type, actual)) {
      if (errorCount() == 0 && !verifyFunction(*fn_, diags_, {.types = false})) { // what is wrong inside says why
        errorReported();
        return;
      }
      error("type-mismatch", stated[i].from, stated[i].to,
            "result " + std::to_string(i) + " is stated as " + ctx_.typeToString(stated[i].type) + ", but " +
                ctx_.typeToString(actual) + " is returned",
            SourceRange{ret.loc(), ret.loc()}, "returned here");
    }
    names.push_back(stated[i].name);
    anyName |= bool(stated[i].name);
  }
  if (anyName)
    fn_->setResultNames(std::move(names));
}

/// Uses of names that were not in scope: told once for each name, at the end, when it is known whether they come later.
void ProgramParser::reportUndefined() {
  for (const Undefined &u : undefined_) {
    std::string spelled(u.name.from, u.name.to);
    if (u.definedAt)
      error("undefined-value", u.name.from, u.name.to, "`" + spelled + "` is used before its definition",
            range(u.definedAt, u.definedEnd), "defined here");
    else
      error("undefined-value", u.name.from, u.name.to, "no value named `" + spelled + "` is in scope");
  }
  undefined_.clear();
}

} // namespace rw::text

namespace rw {

bool parseProgram(FileId file, const SourceManager &sources, Diagnostics &diags, Program &program,
                  const ParseOptions &options) {
  return text::ProgramParser(file, sources, diags, program, options).run();
}

std::unique_ptr<Program> parseProgram(FileId file, const SourceManager &sources, Diagnostics &diags,
                                      const OpRegistry &ops, const ParseOptions &options) {
  auto program = std::make_unique<Program>(ops);
  if (!parseProgram(file, sources, diags, *program, options))
    return nullptr;
  return program;
}

namespace {
/// A program that borrows a context, for readers that need nothing else of a program.
Program borrowing(Context &ctx) { return Program(std::shared_ptr<Context>(std::shared_ptr<void>(), &ctx)); }
} // namespace

TypeId parseType(FileId file, const SourceManager &sources, Diagnostics &diags, Context &ctx) {
  Program program = borrowing(ctx);
  TypeId type;
  return text::ProgramParser(file, sources, diags, program, {}).runType(type) ? type : TypeId();
}

AttrId parseAttr(FileId file, const SourceManager &sources, Diagnostics &diags, Context &ctx, AttrType expected) {
  Program program = borrowing(ctx);
  AttrId attr;
  return text::ProgramParser(file, sources, diags, program, {}).runAttr(expected, attr) ? attr : AttrId();
}

} // namespace rw
