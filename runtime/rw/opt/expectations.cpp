#include "rw/opt/expectations.h"

#include "rw/passes/expect_graph.h"

#include <algorithm>

namespace rw::opt {

static ExpectResult evaluated(Program &program, const Options &options, const std::string &items) {
  return expectGraph(program.functions().front(), items,
                     options.expectExact ? ExpectMode::Exact : ExpectMode::Contains);
}

/// One diagnostic per line.
static void report(const std::string &text, const char *tag, const std::string &where, Diagnostics &diags) {
  for (size_t at = 0, end; at < text.size(); at = end + 1) {
    end = std::min(text.find('\n', at), text.size());
    diags.errorInFile(tag, where, text.substr(at, end - at));
  }
}

bool checkExpectationTexts(Program &program, const Options &options, Diagnostics &diags) {
  bool good = true;
  for (const std::string &items : options.expect)
    if (program.functions().empty())
      break;
    else if (ExpectResult result = evaluated(program, options, items); result.malformed) {
      report(result.report, "bad-expectation", "--expect", diags);
      good = false;
    }
  return good;
}

bool checkExpectations(Program &program, const Options &options, Diagnostics &diags) {
  bool holds = true;
  for (const std::string &items : options.expect) {
    if (program.functions().empty()) {
      diags.errorInFile("unmet-expectation", options.input,
                        "there is no function that could hold what --expect asks for");
      return false;
    }
    ExpectResult result = evaluated(program, options, items);
    if (!result.holds)
      report(result.report, "unmet-expectation", options.input, diags);
    holds &= result.holds;
  }
  return holds;
}

} // namespace rw::opt
