#include "rw/opt/stats.h"

#include "rw/support/json.h"

#include <cmath>

namespace rw::opt {

static Json opsAsJson(const OpHistogram &before, const OpHistogram &after) {
  std::map<std::string, std::array<size_t, 2>> kinds;
  for (const auto &[name, count] : before.kinds)
    kinds[name][0] = count;
  for (const auto &[name, count] : after.kinds)
    kinds[name][1] = count;
  Json rows = Json::object();
  for (const auto &[name, counts] : kinds)
    rows[name] = counts;
  return {{"before", before.total}, {"after", after.total}, {"kinds", std::move(rows)}};
}

static Json passAsJson(const PassRecord &r, bool withTimes) {
  Json pass = {{"pass", r.pass},         {"function", r.function}, {"depth", r.depth},
               {"changed", r.changed},   {"failed", r.failed},     {"rewrites", r.rewrites},
               {"folds", r.folds},       {"erased", r.erased},     {"ops_before", r.opsBefore},
               {"ops_after", r.opsAfter}};
  if (r.runs > 1)
    pass["runs"] = r.runs;
  if (!r.message.empty())
    pass["message"] = r.message;
  if (withTimes)
    pass["nanoseconds"] = r.nanoseconds;
  return pass;
}

static Json checkAsJson(const CheckOutcome &checked) {
  // as in Comparison::Outcome
  static constexpr const char *kOutcomes[] = {"agree", "differ", "not evaluated", "nothing to compare"};
  Json functions = Json::array();
  for (const auto &[name, c] : checked.functions) {
    Json one = {{"function", name},
                {"outcome", kOutcomes[c.outcome]},
                {"inputs", c.inputs},
                {"results", c.results},
                {"not_compared", c.notCompared}};
    if (!c.text.empty())
      one["text"] = c.text;
    if (!c.sizes.empty())
      one["sizes"] = c.sizes;
    if (std::isfinite(c.largestDifference)) // JSON has no infinity
      one["largest_difference"] = c.largestDifference;
    functions.push_back(std::move(one));
  }
  return {{"good", checked.good}, {"functions", functions}};
}

std::string statisticsAsJson(const std::string &input, const std::string &pipeline, const OpHistogram &before,
                             const OpHistogram &after, const PassManagerResult &result,
                             const std::optional<CheckOutcome> &checked, bool withTimes) {
  Json passes = Json::array(), patterns = Json::array();
  for (const PassRecord &record : result.records)
    passes.push_back(passAsJson(record, withTimes));
  for (const PassRecord::PatternUse &use : result.patterns) {
    if (!use.counters.applied)
      continue;
    Json pattern = {{"name", use.name}, {"applied", use.counters.applied}, {"tried", use.counters.tried}};
    if (withTimes)
      pattern["nanoseconds"] = use.counters.nanoseconds;
    patterns.push_back(std::move(pattern));
  }
  std::vector<std::string> remarks;
  for (const PassWarning &warning : result.warnings)
    remarks.push_back(warning.message);
  remarks.insert(remarks.end(), result.remarks.begin(), result.remarks.end());
  Json needFastmath = Json::array();
  for (const HeldBack &held : result.needFastmath)
    needFastmath.push_back({{"pattern", held.pattern}, {"freedoms", held.freedoms.names()}});
  Json all = {
      {"input", input},   {"pipeline", pipeline}, {"changed", result.changed},     {"ops", opsAsJson(before, after)},
      {"passes", passes}, {"patterns", patterns}, {"need_fastmath", needFastmath}, {"remarks", remarks}};
  if (checked)
    all["check"] = checkAsJson(*checked);
  return jsonText(all) + "\n";
}

} // namespace rw::opt
