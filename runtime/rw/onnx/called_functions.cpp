#include "rw/onnx/called_functions.h"

#include "rw/ir/attr_values.h"
#include "rw/ir/printer.h"

#include <algorithm>
#include <deque>
#include <map>
#include <set>

namespace rw::onnxio {

/// What the op calls; empty: nothing.
static std::string_view calleeOf(Op op) {
  return op.schema().attrIndex("callee") < 0 ? std::string_view() : attrOr(op, "callee", "");
}

/// What tells bodies apart: all but the function's name and those of values.
std::string CalledFunctions::keyOf(const Function &fn) {
  Function copy(fn);
  copy.setName("f");
  for (uint32_t i = 0; i < copy.valueCapacity(); ++i)
    copy.setValueName(ValueId(i), StringId());
  copy.setResultNames({});
  return printFunction(copy);
}

/// Calls become opaque ops of the names that functions have got.
void CalledFunctions::replaceCalls(Function &fn) {
  Context &ctx = program_.context();
  for (uint32_t i = 0, count = uint32_t(fn.opCapacity()); i < count; ++i) {
    Op op = fn.op(OpId(i));
    auto callee = op.isErased() ? renamed_.end() : renamed_.find(calleeOf(op));
    if (callee == renamed_.end())
      continue;
    std::vector<ValueId> operands;
    std::vector<TypeId> types;
    for (unsigned o = 0; o < op.operandCount(); ++o)
      operands.push_back(op.operand(o).id);
    for (unsigned r = 0; r < op.resultCount(); ++r)
      types.push_back(op.result(r).typeId());
    AttrsId attrs = ctx.withExtra(ctx.noAttrs(), ctx.intern(kOpaqueNameAttr), ctx.stringAttr(callee->second));
    Op call = fn.insertOp(op.id, kOpaqueKind, operands, attrs, types, op.loc());
    for (unsigned r = 0; r < op.resultCount(); ++r) {
      if (StringId name = fn.valueName(op.result(r).id))
        fn.setValueName(op.result(r).id, StringId()), fn.setValueName(call.result(r).id, name);
      fn.replaceAllUses(op.result(r).id, call.result(r).id);
    }
    fn.erase(op.id);
  }
}

CalledFunctions::CalledFunctions(const Program &program) : program_(program.clone()) {
  Function *main = program_.function("main");
  // Those that are called, each behind what it calls itself: a program that calls itself does not come so far.
  std::vector<Function *> order;
  std::set<Function *> met{main};
  struct Item {
    Function *fn;
    uint32_t next = 0;
  };
  std::vector<Item> pending{{main}};
  while (!pending.empty()) {
    Item &item = pending.back();
    Function *callee = nullptr;
    for (; !callee && item.next < item.fn->opCapacity(); ++item.next)
      if (Op op = item.fn->op(OpId(item.next)); !op.isErased())
        if (std::string_view name = calleeOf(op); !name.empty())
          if (callee = program_.function(name); callee && !met.insert(callee).second)
            callee = nullptr;
    if (callee) {
      pending.push_back({callee});
      continue;
    }
    order.push_back(item.fn);
    pending.pop_back();
  }
  std::map<std::string, std::string> byBody; // the name of the one that has it
  for (Function *fn : order) {
    replaceCalls(*fn);
    if (fn == main)
      continue;
    auto [known, isNew] = byBody.try_emplace(keyOf(*fn), std::string(kDomain) + "." + fn->name());
    if (isNew)
      names_.push_back(known->second);
    // Those of one body have one name from here on; one of them stays.
    renamed_.emplace(fn->name(), known->second);
    fn->setName(known->second);
  }
  std::deque<Function> kept;
  std::set<std::string, std::less<>> there;
  for (Function &fn : program_.functions())
    if (&fn == main || (met.contains(&fn) && there.insert(fn.name()).second))
      kept.push_back(std::move(fn));
  program_.functions() = std::move(kept);
}

std::vector<onnx::FunctionProto> CalledFunctions::protos(int opset) {
  std::vector<onnx::FunctionProto> out;
  Context &ctx = program_.context();
  for (const std::string &name : names_) {
    Function &fn = *program_.function(name);
    onnx::FunctionProto &f = out.emplace_back();
    f.set_domain(std::string(kDomain));
    f.set_name(name.substr(kDomain.size() + 1));
    onnx::OperatorSetIdProto &import = *f.add_opset_import();
    import.set_domain("");
    import.set_version(opset);
    onnx::OperatorSetIdProto &own = *f.add_opset_import();
    own.set_domain(std::string(kDomain));
    own.set_version(1);
    std::span<const ValueId> params = fn.params(fn.body());
    for (size_t i = 0; i < params.size(); ++i) {
      f.add_input("input_" + std::to_string(i));
      fn.setValueName(params[i], ctx.intern(f.input(int(i))));
    }
    std::vector<StringId> results;
    for (unsigned i = 0; i < fn.terminator(fn.body()).operandCount(); ++i) {
      f.add_output("output_" + std::to_string(i));
      results.push_back(ctx.intern(f.output(int(i))));
      onnx::NodeProto &node = *f.add_node(); // until the body takes its place
      node.set_op_type("Constant");
      node.add_output(f.output(int(i)));
      onnx::AttributeProto &value = *node.add_attribute();
      value.set_name("value_int");
      value.set_type(onnx::AttributeProto::INT);
      value.set_i(0);
    }
    fn.setResultNames(std::move(results));
  }
  return out;
}

} // namespace rw::onnxio
