// Derived parameters (derivation.h): each names a function that computes it from parameters that are there.
#include "rw/ir/derivation.h"
#include "rw/ir/verifier_impl.h"

#include <unordered_map>
#include <vector>

namespace rw::detail {
namespace {

class DerivationChecker {
public:
  DerivationChecker(Program &program, Diagnostics &diags) : diags_(diags) {
    for (Function &fn : program.functions())
      functions_.try_emplace(fn.name(), &fn);
    for (Function &fn : program.functions())
      check(fn);
  }
  bool good() const { return good_; }

private:
  void fail(const Function &fn, unsigned index, const std::string &what) {
    good_ = false;
    diags_.errorInFile("verify-params", "@" + fn.name(),
                       "parameter " + std::to_string(index) + " is derived by " + what);
  }

  void check(Function &fn) {
    std::span<const ValueId> params = fn.params(fn.body());
    std::unordered_map<uint64_t, unsigned> places; // of the model parameters, by id
    std::vector<Function *> by(params.size());     // what computes each parameter
    bool any = false;
    for (unsigned i = 0; i < params.size(); ++i) {
      places.try_emplace(fn.paramInfo(i).stableId, i);
      by[i] = derivedBy(fn, i);
      any |= by[i] != nullptr;
    }
    if (!any)
      return;
    // Functions that compute parameters, each once, and which of each other's results they need.
    std::unordered_map<Function *, unsigned> numbers;
    std::vector<Node> nodes;
    for (unsigned i = 0; i < params.size(); ++i)
      if (by[i] && numbers.try_emplace(by[i], unsigned(nodes.size())).second)
        nodes.push_back({by[i], i});
    for (Node &node : nodes)
      for (unsigned k = 0; k < node.fn->params(node.fn->body()).size(); ++k) {
        uint64_t id = node.fn->paramInfo(k).stableId;
        auto it = places.find(id);
        if (!id || it == places.end()) {
          fail(fn, node.param,
               "@" + node.fn->name() + ", whose parameter " + std::to_string(k) +
                   " is none of the model parameters of @" + fn.name());
          break;
        }
        if (Function *other = by[it->second])
          node.needs.push_back(numbers[other]);
      }
    findCycle(fn, nodes);
  }

  struct Node {
    Function *fn;
    unsigned param; // the first that it computes
    std::vector<unsigned> needs = {};
  };

  /// The function that computes a parameter, if it is derived and the function is there and fits.
  Function *derivedBy(Function &fn, unsigned i) {
    std::optional<Derivation> d = derivationOf(fn, i);
    if (!d)
      return nullptr;
    auto it = functions_.find(d->function);
    std::string name = "@" + std::string(d->function);
    if (it == functions_.end()) {
      fail(fn, i, name + ", which is not there");
      return nullptr;
    }
    Function &by = *it->second;
    Op ret = by.terminator(by.body());
    if (!ret || d->result >= ret.operandCount() || !ret.operand(d->result)) {
      fail(fn, i, "result " + std::to_string(d->result) + " of " + name + ", which has no such result");
      return nullptr;
    }
    TypeId is = fn.data(fn.params(fn.body())[i]).type, computed = ret.operand(d->result).typeId();
    if (!fn.context().compatible(computed, is))
      fail(fn, i, name + " as " + fn.context().typeToString(computed) + ", but is " + fn.context().typeToString(is));
    return &by;
  }

  /// Whether a function needs what it computes, through whatever lies between.
  void findCycle(Function &fn, const std::vector<Node> &nodes) {
    enum : uint8_t { New, Open, Done };
    std::vector<uint8_t> state(nodes.size(), New);
    std::vector<std::pair<unsigned, size_t>> open; // a node, and which of its needs to follow next
    for (unsigned start = 0; start < nodes.size(); ++start) {
      if (state[start] == New)
        open.push_back({start, 0});
      while (!open.empty()) {
        auto &[i, next] = open.back();
        state[i] = Open;
        if (next == nodes[i].needs.size()) {
          state[i] = Done;
          open.pop_back();
          continue;
        }
        unsigned needed = nodes[i].needs[next++];
        if (state[needed] == Open)
          fail(fn, nodes[i].param, "@" + nodes[i].fn->name() + ", which needs it");
        else if (state[needed] == New)
          open.push_back({needed, 0});
      }
    }
  }

  Diagnostics &diags_;
  std::unordered_map<std::string_view, Function *> functions_;
  bool good_ = true;
};

} // namespace

bool verifyDerivations(Program &program, Diagnostics &diags) { return DerivationChecker(program, diags).good(); }

} // namespace rw::detail
