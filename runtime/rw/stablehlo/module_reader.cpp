// Modules and functions, and the entry points.
#include "rw/stablehlo/reader.h"

#include "rw/ir/verifier.h"

#include <algorithm>

namespace rw::stablehlo {

bool Reader::run() {
  size_t before = program_.functions().size();
  for (const Function &fn : program_.functions())
    functionNames_.insert(fn.name());
  if (checkOneProgram() && readTop()) {
    tellProcesses(before);
    bool any = program_.functions().size() != before;
    if (!refuseDeclared(!any))
      ;
    else if (!any)
      error("empty-program", begin_, endOfToken(begin_), "this text holds no function");
    else if (!options_.verify || verifyProgram(program_, diags_))
      return true;
  }
  while (program_.functions().size() > before)
    program_.functions().pop_back();
  return false;
}

/// What is declared without a body says nothing unless it is called, or nothing else is there.
bool Reader::refuseDeclared(bool any) {
  for (const Declared &d : declared_)
    if (any || named_.contains(ctx_.symbolAttr(d.name)))
      return unsupported(d.from, d.to, "`@" + d.name + "` is declared without a body",
                         "put the function itself into the text");
  return true;
}

/// Bytecode, and several programs in one text, are refused.
bool Reader::checkOneProgram() {
  std::string_view text(begin_, size_t(end_ - begin_));
  if (text.starts_with("ML\xefR"))
    return unsupported(begin_, begin_ + 2, "this is MLIR bytecode, which is not read",
                       "stablehlo-translate --deserialize makes text of it");
  constexpr std::string_view kBreak = "// -----";
  bool above = false; // whether anything but comments stands above
  for (size_t at = 0; at < text.size();) {
    size_t newline = std::min(text.find('\n', at), text.size());
    std::string_view line = text.substr(at, newline - at);
    size_t first = line.find_first_not_of(" \t\r");
    if (above && line.starts_with(kBreak)) {
      const char *breakAt = begin_ + at;
      p_ = breakAt;
      if (!atEnd())
        return unsupported(breakAt, breakAt + kBreak.size(),
                           "this text holds several programs, which `// -----` divides",
                           "write the one that is meant into a file of its own");
      p_ = begin_;
    }
    above = above || (first != line.npos && !line.substr(first).starts_with("//"));
    at = newline + 1;
  }
  return true;
}

bool Reader::readTop() {
  bool module = false;
  while (!atEnd()) {
    const char *from = p_;
    if (*p_ == '#') {
      if (!readAttributeAlias())
        return false;
      continue;
    }
    if (*p_ == '!') {
      if (!readTypeAlias())
        return false;
      continue;
    }
    if (eatText("{-#")) { // what dense_resource speaks of, or notes of a debugger
      size_t close = std::string_view(p_, size_t(end_ - p_)).find("#-}");
      if (close == std::string_view::npos)
        return error("unterminated", from, from + 3, "nothing closes this: `#-}` is expected");
      p_ += close + 3;
      continue;
    }
    std::string_view word = peekIdentifier();
    bool isModule = word == "module" || word == "builtin.module" ||
                    std::string_view(p_, size_t(end_ - p_)).starts_with("\"builtin.module\"");
    if (isModule && module)
      return unsupported(from, endOfToken(from), "this text holds several programs: here begins a second module",
                         "write the one that is meant into a file of its own");
    module |= isModule;
    if (!readModuleItem(true))
      return false;
  }
  return true;
}

/// A module, or a function.
bool Reader::readModuleItem(bool top) {
  skipSpace();
  const char *from = p_;
  bool generic = *p_ == '"';
  std::string_view word;
  if (generic) {
    if (!readString(word))
      return false;
  } else {
    word = readIdentifier();
  }
  if (word == "module" || word == "builtin.module")
    return readModule(top, generic);
  if (word == "func.func" || word == "func")
    return generic ? readGenericFunction() : readFunction();
  if (word.empty())
    return errorHere("syntax", "expected a function, found " + found());
  if (word.find('.') == word.npos)
    return error("syntax", from, p_, "expected a function, found `" + std::string(word) + "`");
  OpName known;
  return unknownOp(word, from, p_) && resolveName(word, from, p_, known) &&
         error("syntax", from, p_,
               "ops stand in functions, `func.func @main(…) { … }`, and `" + std::string(word) + "` stands outside");
}

/// After the word.
bool Reader::readModule(bool top, bool generic) {
  Nested nested(*this);
  if (!nested)
    return false;
  std::string_view name;
  std::vector<NamedValue> attributes;
  auto readDictionary = [&] { return expect('{', "before attributes") && readAttributes('}', attributes); };
  auto findName = [&] {
    for (const NamedValue &a : attributes)
      if (a.name == "sym_name" && ctx_.attr(a.value).kind == AttrKind::String)
        name = ctx_.attr(a.value).text;
  };
  if (!generic) {
    if (peek() == '@' && !readSymbol(name))
      return false;
    if (eatIdentifier("attributes") && !readDictionary())
      return false;
    noteProcesses(attributes);
    return expect('{', "before the module's functions") && readModuleBody(top, name) && skipLocation();
  }
  if (!expect('(', "after the op's name") || !expect(')', "as a module has no operands"))
    return false;
  if (eatText("<{") && (!readAttributes('}', attributes) || !expect('>', "after properties")))
    return false;
  findName();
  if (!expect('(', "before the module's region") || !expect('{', "before the module's functions"))
    return false;
  if (peek() == '^') { // an empty block label
    while (p_ != end_ && *p_ != ':' && *p_ != '\n')
      ++p_;
    if (!expect(':', "after the block's name"))
      return false;
  }
  TypeList operands, results;
  if (!readModuleBody(top, name) || !expect(')', "after the module's region") || (peek() == '{' && !readDictionary()))
    return false;
  noteProcesses(attributes);
  return expect(':', "and the module's type") && readFunctionType(operands, results) && skipLocation();
}

/// Of a module, which a nested one may say as well.
void Reader::noteProcesses(std::span<const NamedValue> attributes) {
  for (const NamedValue &a : attributes)
    for (size_t i = 0; i < std::size(kProcessCounts); ++i)
      if (a.name == kProcessCounts[i].ofModule && ctx_.attr(a.value).kind == AttrKind::Int)
        processes_[i] = std::max(processes_[i], ctx_.attr(a.value).i);
}

/// The functions from this one on: what an op does that speaks to other processes depends on how many there are. In the
/// generic form that is known when all ops are read.
void Reader::tellProcesses(size_t firstFunction) {
  if (std::ranges::all_of(processes_, [](int64_t n) { return n == 1; }))
    return;
  for (size_t f = firstFunction; f < program_.functions().size(); ++f) {
    Function &fn = program_.functions()[f];
    for (uint32_t i = 0; i < fn.opCapacity(); ++i) {
      Op op = fn.op(OpId(i));
      for (size_t c = 0; c < std::size(kProcessCounts) && !op.isErased() && op.kind() != kOpaqueKind; ++c)
        if (int index = op.schema().attrIndex(kProcessCounts[c].ofOp); index >= 0 && processes_[c] != 1)
          fn.setAttrs(op.id, ctx_.withAttr(op.attrsId(), unsigned(index), ctx_.intAttr(processes_[c])));
    }
  }
}

/// After `{`.
bool Reader::readModuleBody(bool top, std::string_view name) {
  size_t length = modulePath_.size();
  if (!top && !name.empty())
    modulePath_ += std::string(name) + "::";
  while (!eat('}')) {
    if (atEnd())
      return errorHere("unterminated", "expected `}` after the module's functions, found the end of the text");
    if (!readModuleItem(false))
      return false;
  }
  modulePath_.resize(length);
  return true;
}

/// After `func.func`.
bool Reader::readFunction() {
  skipSpace();
  for (std::string_view visibility : {"public", "private", "nested"})
    if (eatIdentifier(visibility))
      break;
  skipSpace();
  const char *from = p_;
  std::string_view name;
  if (!readSymbol(name))
    return false;
  const char *to = p_;
  fn_ = &program_.addFunction(std::string());
  scope_.release(0);
  groups_.clear();
  if (!expect('(', "after the function's name") || !readList(')', [&] { return readParameter(); }))
    return false;
  TypeList results;
  std::vector<AttrId> resultAttributes;
  if (eatText("->") && !readFunctionResults(results, resultAttributes))
    return false;
  if (eatIdentifier("attributes")) {
    std::vector<NamedValue> ignored;
    if (!expect('{', "before attributes") || !readAttributes('}', ignored))
      return false;
  }
  if (peek() != '{') {
    declared_.push_back({modulePath_ + std::string(name), from, to});
    program_.functions().pop_back();
    return skipLocation();
  }
  ++p_;
  return readBlock(fn_->body()) && skipLocation() && finishFunction(from, to, name, results, resultAttributes);
}

bool Reader::readParameter() {
  skipSpace();
  text::ValueName name;
  TypeId type;
  bool named = *p_ == '%'; // a function that is declared alone has types
  if ((named && (!readValueName(name) || !expect(':', "after the parameter's name"))) || !readType(type))
    return false;
  if (eat('{')) {
    std::vector<NamedValue> ignored;
    if (!readAttributes('}', ignored))
      return false;
  }
  return skipLocation() && (!named || define(name, fn_->addParam(type).id));
}

/// After `->`.
bool Reader::readFunctionResults(TypeList &types, std::vector<AttrId> &attributes) {
  bool list = eat('('); // only in one do results have attributes: else a `{` begins the body
  auto item = [&] {
    TypeId type;
    AttrId dictionary;
    if (!readType(type) || (list && peek() == '{' && !readValue(dictionary)))
      return false;
    types.push_back(type);
    attributes.push_back(dictionary);
    return true;
  };
  return list ? readList(')', item) : item();
}

/// After `"func.func"`.
bool Reader::readGenericFunction() {
  std::vector<NamedValue> attributes;
  skipSpace();
  const char *from = p_;
  fn_ = &program_.addFunction(std::string());
  scope_.release(0);
  groups_.clear();
  if (!expect('(', "after the op's name") || !expect(')', "as a function has no operands"))
    return false;
  TypeList stated;
  if (eatText("<{") && (!readAttributes('}', attributes) || !expect('>', "after properties")))
    return false;
  stated = functionResults();
  if (!expect('(', "before the function's region") || !expect('{', "before the function's ops"))
    return false;
  const char *region = p_;
  bool declared = eat('}');
  if ((!declared && !readBlock(fn_->body())) || !expect(')', "after the function's region"))
    return false;
  if (eat('{')) {
    size_t before = attributes.size();
    if (!readAttributes('}', attributes))
      return false;
    for (const NamedValue &a : std::span(attributes).subspan(before))
      if (a.name == "function_type" || a.name == "type") // the older name
        stated = functionResults();
  }
  TypeList operands, results;
  if (!expect(':', "and the op's type") || !readFunctionType(operands, results) || !skipLocation())
    return false;
  std::string_view name;
  std::vector<AttrId> resultAttributes(stated.size());
  bool typed = false;
  for (const NamedValue &a : attributes) {
    const AttrData &value = ctx_.attr(a.value);
    typed |= a.name == "function_type" || a.name == "type";
    if (a.name == "sym_name" && value.kind == AttrKind::String)
      name = value.text;
    if (a.name == "res_attrs" && value.kind == AttrKind::List)
      for (size_t i = 0; i < value.elements.size() && i < resultAttributes.size(); ++i)
        resultAttributes[i] = value.elements[i];
  }
  if (declared) {
    declared_.push_back({modulePath_ + std::string(name), region, region + 1});
    program_.functions().pop_back();
    return true;
  }
  if (name.empty() || !typed)
    return error("missing-attribute", from, endOfToken(from),
                 "a function needs the attributes `sym_name` and `function_type`");
  return finishFunction(from, endOfToken(from), name, stated, resultAttributes);
}

bool Reader::finishFunction(const char *from, const char *to, std::string_view name, std::span<const TypeId> results,
                            std::span<const AttrId> resultAttributes) {
  std::string full = modulePath_ + std::string(name);
  if (!functionNames_.insert(full).second)
    return error("duplicate-function", from, to, "a function named `" + full + "` is there already");
  fn_->setName(std::move(full));
  Op ret = fn_->terminator(fn_->body());
  if (results.size() != ret.operandCount())
    return error("wrong-result-count", from, to,
                 "`@" + std::string(name) + "` states " + std::to_string(results.size()) + " results, and returns " +
                     std::to_string(ret.operandCount()));
  for (unsigned i = 0; i < results.size(); ++i)
    if (results[i] != ret.operand(i).typeId())
      return error("type-mismatch", from, to,
                   "result " + std::to_string(i) + " of `@" + std::string(name) + "` is stated as " +
                       ctx_.typeToString(results[i]) + ", but " + ctx_.typeToString(ret.operand(i).typeId()) +
                       " is returned");
  if (name == "main") {
    spreadTuples();
    spreadTupleParameters();
  }
  nameResults(resultAttributes);
  return true;
}

/// What a program gives as a tuple, or one in another, are its results: models have no others.
void Reader::spreadTuples() {
  Op ret = fn_->terminator(fn_->body());
  Operands results, pending;
  for (unsigned i = ret.operandCount(); i-- > 0;)
    pending.push_back(ret.operand(i).id);
  KindId tuple = ctx_.ops().lookup("stablehlo.tuple");
  bool any = false;
  while (!pending.empty()) {
    Value v = fn_->value(pending.back());
    pending.pop_back();
    Op made = v.isParam() ? Op() : v.definingOp();
    if (!made || made.kind() != tuple) {
      results.push_back(v.id);
      continue;
    }
    any = true;
    if (results.size() + pending.size() + made.operandCount() > kMaxOperands)
      return; // more than an op can have: it is told as what it is
    for (unsigned k = made.operandCount(); k-- > 0;)
      pending.push_back(made.operand(k).id);
  }
  if (!any)
    return;
  Loc loc = ret.loc();
  fn_->erase(ret.id);
  fn_->appendOp(fn_->body(), kReturnKind, results, ctx_.noAttrs(), {}, loc);
}

/// What a program takes as a tuple, or one in another, are parameters of its own: models have no others. Inside they
/// are put together.
void Reader::spreadTupleParameters() {
  std::vector<ValueId> old(fn_->params(fn_->body()).begin(), fn_->params(fn_->body()).end());
  auto isTuple = [&](TypeId t) { return ctx_.type(t).kind == TypeKind::Tuple; };
  if (std::ranges::none_of(old, [&](ValueId v) { return isTuple(fn_->value(v).typeId()); }))
    return;
  OpId first = (*fn_->ops(fn_->body()).begin()).id;
  KindId tuple = ctx_.ops().lookup("stablehlo.tuple");
  size_t added = 0;
  auto whole = [&](auto &self, TypeId type) -> ValueId {
    if (!isTuple(type) || ctx_.type(type).elements.empty()) {
      ++added;
      return fn_->addParam(type).id;
    }
    Operands parts;
    std::vector<TypeId> elements(ctx_.type(type).elements.begin(), ctx_.type(type).elements.end());
    for (TypeId element : elements)
      parts.push_back(self(self, element));
    return fn_->insertOp(first, tuple, parts, ctx_.noAttrs(), {&type, 1}).result().id;
  };
  for (ValueId v : old) {
    ValueId now = whole(whole, fn_->value(v).typeId());
    if (!isTuple(fn_->value(v).typeId()))
      fn_->setValueName(now, fn_->valueName(v));
    fn_->replaceAllUses(v, now);
  }
  for (size_t i = 0; i < old.size(); ++i)
    fn_->removeParam(0);
}

/// JAX says what the parts of a result are called, `jax.result_info = "result.x"`: where all of them have names, these
/// are kept.
void Reader::nameResults(std::span<const AttrId> resultAttributes) {
  std::vector<StringId> names;
  for (AttrId dictionary : resultAttributes) {
    StringId name;
    if (!dictionary)
      return;
    for (AttrId entry : ctx_.attr(dictionary).elements) {
      std::span<const AttrId> pair = ctx_.attr(entry).elements;
      if (pair.size() == 2 && ctx_.attr(pair[0]).text == "jax.result_info" &&
          ctx_.attr(pair[1]).kind == AttrKind::String && !ctx_.attr(pair[1]).text.empty())
        name = ctx_.intern(ctx_.attr(pair[1]).text);
    }
    if (!name || std::ranges::find(names, name) != names.end())
      return;
    names.push_back(name);
  }
  fn_->setResultNames(std::move(names));
}

// Entry points --------------------------------------------------------------------------------------------------------

bool looksLikeMlir(std::string_view text) {
  if (text.starts_with("ML\xefR"))
    return true;
  for (;;) {
    size_t first = text.find_first_not_of(" \t\r\n");
    if (first == text.npos)
      return false;
    text.remove_prefix(first);
    if (!text.starts_with("//"))
      break;
    size_t newline = text.find('\n');
    if (newline == text.npos)
      return false;
    text.remove_prefix(newline);
  }
  for (std::string_view start :
       {"module", "builtin.module", "\"builtin.module\"", "func.func", "\"func.func\"", "#", "!", "vhlo.", "sdy."})
    if (text.starts_with(start))
      return true;
  return false;
}

bool parseProgram(FileId file, const SourceManager &sources, Diagnostics &diags, Program &program,
                  const ParseOptions &options) {
  return Reader(file, sources, diags, program, options).run();
}

std::unique_ptr<Program> parseProgram(FileId file, const SourceManager &sources, Diagnostics &diags,
                                      const OpRegistry &ops, const ParseOptions &options) {
  auto program = std::make_unique<Program>(ops);
  return parseProgram(file, sources, diags, *program, options) ? std::move(program) : nullptr;
}

} // namespace rw::stablehlo
