// The verifier's parts: reporting and the checks of one op (OpChecker), of storage, and of regions and dominance.
//
// In:  see verifier.h. Out: violations, counted by the OpChecker. Elsewhere: used by verifier*.cpp alone.
#pragma once

#include "rw/ir/printer.h"
#include "rw/ir/signature.h"
#include "rw/ir/verifier.h"

#include <memory>

namespace rw {
class OpInputs;
}

namespace rw::detail {

class OpChecker {
public:
  OpChecker(Function &fn, Diagnostics &diags, const VerifyOptions &options)
      : fn_(fn), diags_(diags), options_(options) {}

  /// Reports a violation at an op (none: at the function).
  void fail(std::string_view tag, OpId op, std::string message);
  /// Counts, attributes, and by the op's own hooks types and checks; true if nothing is wrong. Hooks may look into the
  /// regions: they run only if those are `sound`. What was right once is not looked at again where nothing differs.
  bool schema(OpId op, bool sound);
  std::string valueText(ValueId v);
  size_t failures() const { return failures_; }
  /// The links are sound: ops may be printed in reports.
  void setPrintable() { printable_ = true; }

private:
  bool schemaAnew(Op op, bool sound);
  void counts(Op op, const OpSchema &);
  void attributes(Op op, const OpSchema &);
  void meaning(Op op, const OpSchema &, const OpInputs &);
  void hooks(Op op, const OpSchema &);
  void resultCount(Op op, const OpSchema &, const OpInputs &);
  SourceRange tokenAt(Loc) const;

  Function &fn_;
  Diagnostics &diags_;
  const VerifyOptions &options_;
  size_t failures_ = 0;
  bool printable_ = false;
  SignatureTable right_;              // signatures with result types of ops in which nothing is wrong
  std::unique_ptr<ValueNames> names_; // made at the first report
};

/// Links between ops, regions, values and operand slots; false if some are broken, so that walking is not safe.
bool verifyStructure(Function &, OpChecker &);
/// Terminators, dominance, and every op by OpChecker::schema.
void verifyContents(Function &, OpChecker &);
/// The links of one op, in constant time per operand.
bool verifyLinks(Op, OpChecker &);
void verifyOperandsDominate(Op, OpChecker &);

/// Parameters that other functions derive: verifier_derivations.cpp.
bool verifyDerivations(Program &, Diagnostics &);

} // namespace rw::detail
