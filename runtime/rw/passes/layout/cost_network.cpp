#include "rw/passes/layout/cost_network.h"

#include <algorithm>
#include <deque>
#include <queue>
#include <set>

namespace rw {

uint32_t CostNetwork::addVariable(uint32_t values) {
  sizes_.push_back(values);
  return uint32_t(sizes_.size() - 1);
}

void CostNetwork::addCost(std::vector<uint32_t> variables, std::vector<uint64_t> costs) {
  if (variables.empty())
    addCost(costs.front());
  else
    tables_.push_back({std::move(variables), std::move(costs)});
}

size_t CostNetwork::entries(const std::vector<uint32_t> &variables) const {
  size_t count = 1;
  for (uint32_t v : variables)
    count = std::min(count * sizes_[v], SIZE_MAX / 4096);
  return count;
}

uint64_t CostNetwork::at(const Table &table, const std::vector<uint32_t> &values) const {
  size_t index = 0;
  for (uint32_t v : table.variables)
    index = index * sizes_[v] + values[v];
  return table.costs[index];
}

uint64_t CostNetwork::costOf(const std::vector<uint32_t> &values) const {
  uint64_t cost = always_;
  for (const Table &table : tables_)
    cost = sum(cost, at(table, values));
  return cost;
}

/// The sum of the tables, at the best value of the variable for each choice of the others. `values`: room, by variable.
CostNetwork::Table CostNetwork::without(uint32_t variable, const std::vector<const Table *> &tables,
                                        std::vector<uint32_t> &values) const {
  std::set<uint32_t> others;
  for (const Table *table : tables)
    others.insert(table->variables.begin(), table->variables.end());
  others.erase(variable);
  Table out;
  out.variables.assign(others.begin(), others.end());
  out.costs.resize(entries(out.variables));
  for (size_t index = 0; index < out.costs.size(); ++index) {
    size_t rest = index;
    for (size_t i = out.variables.size(); i-- > 0;) {
      values[out.variables[i]] = uint32_t(rest % sizes_[out.variables[i]]);
      rest /= sizes_[out.variables[i]];
    }
    out.costs[index] = leastAt(variable, tables, values).second;
  }
  return out;
}

/// The first of the variable's best values beside those of the others, and the sum of the tables there.
std::pair<uint32_t, uint64_t> CostNetwork::leastAt(uint32_t variable, const std::vector<const Table *> &tables,
                                                   std::vector<uint32_t> &values) const {
  std::pair<uint32_t, uint64_t> best(0, kNever);
  for (uint32_t value = 0; value < sizes_[variable]; ++value) {
    values[variable] = value;
    uint64_t cost = 0;
    for (const Table *table : tables)
      cost = sum(cost, at(*table, values));
    if (cost < best.second)
      best = {value, cost};
  }
  return best;
}

CostNetwork::Solution CostNetwork::solve(size_t mostEntries) const {
  std::deque<Table> made(tables_.begin(), tables_.end()); // stays where it is when more come
  std::vector<std::set<size_t>> of(sizes_.size());        // by variable: tables that it is in, by their place
  for (size_t i = 0; i < made.size(); ++i)
    for (uint32_t v : made[i].variables)
      of[v].insert(i);
  auto neighbours = [&](uint32_t variable) {
    std::set<uint32_t> others;
    for (size_t table : of[variable])
      others.insert(made[table].variables.begin(), made[table].variables.end());
    others.erase(variable);
    return std::vector<uint32_t>(others.begin(), others.end());
  };
  // The variable whose table would be smallest goes first; sizes in the queue may be old, then they are looked at
  // again.
  using Entry = std::pair<size_t, uint32_t>;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<Entry>> queue;
  for (uint32_t v = 0; v < sizes_.size(); ++v)
    queue.emplace(entries(neighbours(v)), v);
  std::vector<bool> gone(sizes_.size());
  std::vector<std::pair<uint32_t, std::vector<const Table *>>> eliminated;
  Solution out;
  out.bound = always_;
  out.values.assign(sizes_.size(), 0);
  uint64_t first = costOf(out.values);
  while (!queue.empty()) {
    auto [size, variable] = queue.top();
    queue.pop();
    if (gone[variable])
      continue;
    std::vector<uint32_t> others = neighbours(variable);
    if (entries(others) != size) {
      queue.emplace(entries(others), variable);
      continue;
    }
    gone[variable] = true;
    std::vector<const Table *> &tables = eliminated.emplace_back(variable, std::vector<const Table *>()).second;
    for (size_t table : of[variable])
      tables.push_back(&made[table]);
    for (size_t table : std::set<size_t>(of[variable]))
      for (uint32_t v : made[table].variables)
        of[v].erase(table);
    for (size_t next = 0; next < tables.size();) { // one group, unless its table would be too large
      std::vector<const Table *> group;
      std::set<uint32_t> scope{variable};
      for (; next < tables.size(); ++next) {
        std::set<uint32_t> more = scope;
        more.insert(tables[next]->variables.begin(), tables[next]->variables.end());
        if (!group.empty() && entries({more.begin(), more.end()}) > mostEntries)
          break;
        scope = std::move(more);
        group.push_back(tables[next]);
      }
      Table rest = without(variable, group, out.values);
      if (rest.variables.empty()) {
        out.bound = sum(out.bound, rest.costs.front());
        continue;
      }
      for (uint32_t v : rest.variables)
        of[v].insert(made.size());
      made.push_back(std::move(rest));
    }
    for (uint32_t v : others)
      queue.emplace(entries(neighbours(v)), v);
  }
  for (size_t i = eliminated.size(); i-- > 0;) {
    auto &[variable, tables] = eliminated[i];
    out.values[variable] = leastAt(variable, tables, out.values).first;
  }
  out.cost = costOf(out.values);
  if (first <= out.cost) {
    out.values.assign(sizes_.size(), 0);
    out.cost = first;
  }
  return out;
}

} // namespace rw
