#include "rw/opt/expectations.h"

#include "rw/passes/expect_graph.h"

#include <algorithm>

namespace rw::opt {

bool checkExpectations(Program &program, const Options &options, Diagnostics &diags) {
  bool holds = true;
  for (const std::string &items : options.expect) {
    if (program.functions().empty()) {
      diags.errorInFile("unmet-expectation", options.input, "there is no function that could hold what --expect asks for");
      return false;
    }
    ExpectResult result = expectGraph(program.functions().front(), items,
                                      options.expectExact ? ExpectMode::Exact : ExpectMode::Contains);
    if (!result.holds)
      for (size_t at = 0, end; at < result.report.size(); at = end + 1) {
        end = std::min(result.report.find('\n', at), result.report.size());
        diags.errorInFile(result.malformed ? "bad-expectation" : "unmet-expectation",
                          result.malformed ? "command line" : options.input, result.report.substr(at, end - at));
      }
    holds &= result.holds;
  }
  return holds;
}

} // namespace rw::opt
