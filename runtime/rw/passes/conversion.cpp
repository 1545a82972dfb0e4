#include "rw/passes/conversion.h"

#include "rw/passes/inline_calls.h"
#include "rw/passes/lowering.h"
#include "rw/passes/refine_types.h"
#include "rw/support/failure.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <deque>
#include <map>
#include <ranges>
#include <set>

namespace rw {
namespace {

constexpr size_t kMostKindsTold = 20, kMostReasonsTold = 3;
/// What is larger stays computed: the passes behind a conversion know what of it is worth its bytes.
constexpr size_t kMostFoldedBytes = size_t(1) << 16;

/// Why patterns do not match, in words.
class Reasons final : public RewriteListener {
public:
  bool wantsReasons() const override { return true; }
  void noMatch(Op, const char *condition, unsigned line) override {
    if (std::ranges::find(all, std::pair(std::string(condition), line)) == all.end())
      all.emplace_back(condition, line);
  }
  std::vector<std::pair<std::string, unsigned>> all;
};

/// A name as part of the name of a size.
bool isPlainName(std::string_view name) {
  auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  return !name.empty() && letter(name[0]) &&
         std::ranges::all_of(name, [&](char c) { return letter(c) || (c >= '0' && c <= '9'); });
}

/// Sizes of the program's parameters that are open get names, `x_dim0`: so two sizes that are computed of one are seen
/// to be the same, and what is stretched to a shape that it has is left as it is.
void nameOpenSizes(Program &program) {
  Function *fn = program.functions().size() == 1 ? &program.functions().front() : program.function("main");
  if (!fn)
    return;
  Context &ctx = program.context();
  std::vector<StringId> taken;
  for (ValueId p : fn->params(fn->body()))
    for (Dim d : ctx.type(fn->data(p).type).dims)
      ctx.dims().collectSymbols(d, taken);
  bool named = false;
  for (size_t i = 0; i < fn->params(fn->body()).size(); ++i) {
    ValueId p = fn->params(fn->body())[i];
    const TypeData &type = ctx.type(fn->data(p).type);
    if (type.kind != TypeKind::Tensor || !type.ranked ||
        std::ranges::none_of(type.dims, [](Dim d) { return d.isUnknown(); }))
      continue;
    std::string base(ctx.text(fn->valueName(p)));
    if (!isPlainName(base))
      base = "arg" + std::to_string(i);
    Dims dims;
    for (size_t k = 0; k < type.dims.size(); ++k) {
      Dim d = type.dims[k];
      if (d.isUnknown()) {
        std::string name = base + "_dim" + std::to_string(k);
        while (std::ranges::count(taken, ctx.intern(name)))
          name += "_";
        taken.push_back(ctx.intern(name));
        d = ctx.dims().symbol(taken.back());
      }
      dims.push_back(d);
    }
    fn->setType(p, ctx.tensorType(type.dtype, dims));
    named = true;
  }
  if (named)
    refineTypes(*fn);
}

class ConversionPass : public FunctionPass {
public:
  struct Settings {
    int version = 0; // 0: which one is found out
    bool keepsFunctions = false;
  };
  ConversionPass(std::string name, std::shared_ptr<const ConversionEntry> entry, FrozenPatternSet set,
                 PatternPassOptions options, Settings settings)
      : name_(name), entry_(std::move(entry)), patterns_(std::move(name), std::move(set), options),
        settings_(settings) {}
  std::string_view name() const override { return name_; }
  bool takesPrograms() const override { return true; }
  const FrozenPatternSet *patterns() const override { return patterns_.patterns(); }
  PassResult run(Function &, PassContext &) override { return {}; }

  PassResult runOnProgram(Program &program, PassContext &context) override {
    PassResult result;
    if (!settings_.keepsFunctions && !putCallsIn(program, CalledBy::Callee, result))
      return result;
    if (std::ranges::count(entry_->to, "onnx"))
      nameOpenSizes(program);
    std::vector<Left> left;
    int first = settings_.version ? settings_.version : int(program.context().dialectVersion(entry_->to.front()));
    int last = first;
    if (!first)
      first = entry_->version, last = std::max(entry_->lastVersion, first);
    const int64_t before = program.context().dialectVersion(entry_->to.front());
    std::optional<Program> asItWas;
    if (first != last)
      asItWas.emplace(program.clone());
    PassResult done;
    for (int version = first;; ++version) {
      program.context().setDialectVersion(entry_->to.front(), version);
      done = convert(program, context);
      if (!done.errors.empty())
        break;
      left = whatIsLeft(program);
      if (left.empty() || version == last)
        break;
      Program again = asItWas->clone();
      program.functions() = std::move(again.functions());
    }
    done.changed |= result.changed;
    if (done.errors.empty() && !left.empty())
      done.errors = report(program, left);
    if (done.errors.empty())
      done.errors = refusedTypes(program);
    if (!done.errors.empty())
      program.context().setDialectVersion(entry_->to.front(), before);
    done.failed = !done.errors.empty();
    return done;
  }

private:
  struct Left {
    Function *fn;
    OpId op;
  };

  bool isLegal(Program &program, const Op &op) const {
    if (op.kind() == kReturnKind || (settings_.keepsFunctions && calledFunction(program, op, CalledBy::Callee)))
      return true;
    if (op.kind() == kOpaqueKind) // of a dialect that nobody declares
      return std::ranges::none_of(entry_->from,
                                  [&](const std::string &d) { return op.fullName().starts_with(d + "."); });
    const OpSchema &schema = op.schema();
    return std::ranges::count(entry_->to, schema.dialect) || std::ranges::count(entry_->legal, schema.fullName());
  }

  bool putCallsIn(Program &program, CalledBy by, PassResult &result) {
    bool changed = false;
    if (std::optional<PassError> error = inlineCalls(program, by, changed))
      result.errors.push_back(std::move(*error));
    result.changed |= changed;
    result.failed = !result.errors.empty();
    return result.errors.empty();
  }

  /// The patterns on all functions; what an op names that is left is put in its place, and so on.
  PassResult convert(Program &program, PassContext &context) {
    const OpRegistry &ops = program.context().ops();
    std::vector<bool> closed(ops.size());
    for (size_t i = 0; i < closed.size(); ++i)
      closed[i] = std::ranges::count(entry_->from, ops.schema(KindId{uint16_t(i)}).dialect) > 0;
    GreedyRewriteConfig config = context.rewriteConfig;
    config.closedKinds = &closed;
    config.sweep = nullptr; // what is tried again needs its constants
    config.maxFoldBytes = std::min(config.maxFoldBytes, kMostFoldedBytes);
    PassContext within{context.program, context.registry, config};
    PassResult all;
    for (bool again = true; again;) {
      for (Function &fn : program.functions()) {
        PassResult one = patterns_.run(fn, within);
        all.changed |= one.changed;
        add(all.rewrites, one.rewrites);
        for (HeldBack &held : one.needFastmath)
          all.needFastmath.push_back(std::move(held));
        for (PassWarning &w : one.warnings)
          if (w.kind == PassWarning::NoEnd)
            all.errors.push_back({"no-end", w.message, {}, w.notes});
          else
            all.warnings.push_back(std::move(w));
        if (one.failed)
          all.errors.push_back({"pass-failed", one.message, {}, {}});
        if (!all.errors.empty())
          return all;
      }
      again = false;
      bool changed = false;
      if (std::optional<PassError> error =
              inlineCalls(program, settings_.keepsFunctions ? CalledBy::OtherSymbol : CalledBy::AnySymbol, changed)) {
        all.errors.push_back(std::move(*error));
        return all;
      }
      again = changed;
    }
    return all;
  }

  static void add(RewriteResult &to, const RewriteResult &from) {
    to.changed |= from.changed;
    to.rewrites += from.rewrites;
    to.folds += from.folds;
    to.erased += from.erased;
    to.patterns.resize(std::max(to.patterns.size(), from.patterns.size()));
    for (size_t i = 0; i < from.patterns.size(); ++i)
      to.patterns[i].add(from.patterns[i]);
  }

  /// Ops that are not legal; of one in another only the outer one.
  std::vector<Left> whatIsLeft(Program &program) const {
    std::vector<Left> left;
    for (Function &fn : program.functions()) {
      std::vector<RegionId> pending{fn.body()};
      while (!pending.empty()) {
        RegionId region = pending.back();
        pending.pop_back();
        for (Op op : fn.ops(region)) {
          if (!isLegal(program, op)) {
            left.push_back({&fn, op.id});
            continue;
          }
          for (RegionId inner : op.regions())
            pending.push_back(inner);
        }
      }
    }
    return left;
  }

  /// What an op is called in errors: of one that calls something by a name, that as well.
  static std::string nameOf(Op op) {
    std::string name = fmt::format("`{}`", op.fullName());
    std::span<const AttrSchema> declared = op.schema().attrs;
    for (unsigned i = 0; op.kind() != kOpaqueKind && i < declared.size(); ++i)
      if (declared[i].name == "call_target_name" || (declared[i].name == "name" && declared[i].required))
        if (AttrId a = op.attr(i); a && op.context().attr(a).kind == AttrKind::String)
          name = fmt::format("{} \"{}\"", op.schema().name, op.context().attr(a).text);
    return name;
  }

  /// What the conversion has against the element type of a value; null: nothing.
  const ConversionEntry::Refused *refusedType(const Value &v) const {
    if (!v || v.type().kind != TypeKind::Tensor || entry_->refused.empty())
      return nullptr;
    auto found = std::ranges::find(entry_->refused, dtypeName(v.type().dtype), &ConversionEntry::Refused::type);
    return found == entry_->refused.end() ? nullptr : &*found;
  }

  /// Values of types that are refused, one of each type: all ops are legal.
  std::vector<PassError> refusedTypes(Program &program) const {
    std::vector<PassError> errors;
    std::set<std::string_view> told;
    for (Function &fn : program.functions())
      for (uint32_t i = 0; !entry_->refused.empty() && i < fn.valueCapacity(); ++i) {
        Value v = fn.value(ValueId(i));
        Op def = v.isParam() ? Op() : v.definingOp();
        if (def && def.isErased())
          continue;
        const ConversionEntry::Refused *refused = refusedType(v);
        if (!refused || !told.insert(refused->type).second)
          continue;
        std::string what =
            def ? fmt::format("`{}` gives", def.fullName()) : fmt::format("a parameter in @{} is", fn.name());
        errors.push_back({"refused-type",
                          fmt::format("{} {}: {}", what, fn.context().typeToString(v.typeId()), refused->reason),
                          def ? def.loc() : Loc(),
                          {}});
      }
    return errors;
  }

  std::vector<PassError> report(Program &program, const std::vector<Left> &left) const {
    struct Group {
      Left first;
      size_t count = 0;
    };
    std::vector<std::string> order;
    std::map<std::string, Group> groups;
    for (const Left &l : left) {
      std::string name = nameOf(l.fn->op(l.op));
      auto [it, isNew] = groups.try_emplace(name, Group{l});
      ++it->second.count;
      if (isNew)
        order.push_back(std::move(name));
    }
    std::vector<PassError> errors;
    for (const std::string &name : order) {
      if (errors.size() == kMostKindsTold) {
        errors.push_back(
            {"no-lowering",
             fmt::format("and {} more kinds of op for which there is no lowering", order.size() - kMostKindsTold),
             {},
             {}});
        break;
      }
      const Group &group = groups.at(name);
      Function &fn = *group.first.fn;
      Op op = fn.op(group.first.op);
      std::vector<std::string> types;
      for (unsigned i = 0; i < op.operandCount(); ++i)
        if (op.operand(i))
          types.push_back(fn.context().typeToString(op.operand(i).typeId()));
      PassError error{"no-lowering", fmt::format("no lowering for {}", name), op.loc(), {}};
      if (!types.empty())
        error.notes.push_back(fmt::format("its operands are of types {}", fmt::join(types, ", ")));
      const ConversionEntry::Refused *refused = nullptr;
      for (unsigned i = 0; !refused && i < op.operandCount() + op.resultCount(); ++i)
        refused = refusedType(i < op.operandCount() ? op.operand(i) : op.result(i - op.operandCount()));
      if (refused)
        error.notes.push_back(fmt::format("{}: {}", refused->type, refused->reason));
      if (group.count > 1)
        error.notes.push_back(fmt::format("there are {} of these", group.count));
      if (op.kind() != kOpaqueKind)
        explain(program, group.first, error);
      errors.push_back(std::move(error));
    }
    return errors;
  }

  /// What the patterns that start at such an op would have needed.
  void explain(Program &program, const Left &left, PassError &error) const {
    const FrozenPatternSet &set = *patterns_.patterns();
    Function copy(*left.fn);
    KindId kind = copy.op(left.op).kind();
    size_t told = 0, more = 0;
    if (set.at(kind).empty())
      error.notes.push_back("no pattern of the conversion starts at such an op");
    for (uint32_t index : std::views::reverse(set.at(kind))) { // the most general one, which is tried last, tells most
      const PatternInfo &info = set.info(index);
      std::optional<std::string> newer = newerVersion(info, program.context());
      if (newer) {
        error.notes.push_back(fmt::format("{} lowers it in version {} of `{}`: --opset {}", info.shownName(), *newer,
                                          entry_->to.front(), *newer));
        continue;
      }
      Reasons reasons;
      PatternRewriter rewriter(copy, &reasons);
      rewriter.setExplain(true);
      rewriter.begin(copy.op(left.op));
      bool matched = set.pattern(index).matchAndRewrite(copy.op(left.op), rewriter);
      if (matched || rewriter.changed())
        copy = Function(*left.fn);
      if (matched || reasons.all.empty())
        continue;
      if (told == kMostReasonsTold) {
        ++more;
        continue;
      }
      ++told;
      const auto &[why, line] = reasons.all.front();
      error.notes.push_back(
          fmt::format("{} needs: {}{}", info.shownName(), why,
                      info.file.empty() || !line ? std::string() : fmt::format(" ({}:{})", info.file, line)));
    }
    if (more)
      error.notes.push_back(fmt::format("and {} more patterns start at it and do not match", more));
  }

  std::optional<std::string> newerVersion(const PatternInfo &info, const Context &ctx) const {
    if (!isTooNew(info, ctx))
      return std::nullopt;
    for (std::string_view label : info.labels)
      if (label.starts_with(entry_->to.front()))
        return std::string(label.substr(entry_->to.front().size()));
    return std::nullopt;
  }

  std::string name_;
  std::shared_ptr<const ConversionEntry> entry_;
  mutable PatternPass patterns_;
  Settings settings_;
};

} // namespace

MadePass makeConversionPass(const Registry &registry, const PassEntry &entry, const PassOptions &options) {
  PassOptions rest = options;
  std::optional<uint64_t> version;
  if (auto given = rest.extract("version")) {
    Result<std::optional<uint64_t>> read = readNumber({{"version", given.mapped()}}, "version");
    if (!read)
      return read.failure();
    version = *read;
  }
  bool keepsFunctions = entry.conversion->keepsFunctions;
  if (auto given = rest.extract("functions")) {
    if (given.mapped() != "keep" && given.mapped() != "inline")
      return failure("option `functions` is keep or inline, not `{}`", given.mapped());
    keepsFunctions = given.mapped() == "keep";
  }
  Result<PatternPassOptions> passOptions = readOptions(rest);
  if (!passOptions)
    return passOptions.failure();
  Result<std::vector<const PatternEntry *>> patterns = registry.patternsOf(entry);
  if (!patterns)
    return patterns.failure();
  PatternSet set(registry.ops);
  for (const PatternEntry *pattern : *patterns)
    set.add(registry.patterns.make(*pattern, registry.ops));
  const ConversionEntry &conversion = *entry.conversion;
  for (const LoweringEntry &lowering : registry.lowerings())
    if (std::ranges::count(conversion.to, lowering.to) &&
        std::ranges::count(conversion.from, lowering.op.substr(0, lowering.op.find('.'))))
      set.add(makeLoweringPattern(registry.ops, lowering));
  return std::make_unique<ConversionPass>(registry.shownName(entry), entry.conversion, std::move(set).freeze(),
                                          *passOptions,
                                          ConversionPass::Settings{int(version.value_or(0)), keepsFunctions});
}

std::vector<const PassEntry *> conversionsTo(const Registry &registry, const Program &program, std::string_view dialect,
                                             std::string_view also) {
  std::set<std::string, std::less<>> there{std::string(also)};
  const OpRegistry &ops = program.context().ops();
  for (const Function &fn : program.functions())
    for (uint32_t i = 0; i < fn.opCapacity(); ++i)
      if (const OpData &d = fn.data(OpId(i)); !(d.flags & kErased) && d.kind != kOpaqueKind && d.kind != kReturnKind)
        there.insert(std::string(ops.schema(d.kind).dialect));
  // Backwards from the dialect: the shortest way to it from any that is there.
  std::vector<const PassEntry *> best;
  std::map<std::string, std::vector<const PassEntry *>, std::less<>> ways{{std::string(dialect), {}}};
  std::deque<std::string> open{std::string(dialect)};
  while (!open.empty()) {
    std::string at = std::move(open.front());
    open.pop_front();
    for (const PassEntry &pass : registry.passes()) {
      if (!pass.conversion || !std::ranges::count(pass.conversion->to, at))
        continue;
      for (const std::string &from : pass.conversion->from) {
        if (ways.contains(from))
          continue;
        std::vector<const PassEntry *> way{&pass};
        way.insert(way.end(), ways.at(at).begin(), ways.at(at).end());
        if (there.contains(from) && way.size() > best.size())
          best = way;
        ways.emplace(from, std::move(way));
        open.push_back(from);
      }
    }
  }
  return best;
}

} // namespace rw
