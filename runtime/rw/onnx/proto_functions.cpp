#include "rw/onnx/proto.h"

namespace rw::onnxio {

FunctionBody::FunctionBody(onnx::FunctionProto &f) {
  graph_.set_name(f.name());
  for (const std::string &input : f.input())
    graph_.add_input()->set_name(input);
  for (const std::string &output : f.output())
    graph_.add_output()->set_name(output);
  for (onnx::NodeProto &node : *f.mutable_node())
    graph_.mutable_node()->UnsafeArenaAddAllocated(&node);
}

FunctionBody::~FunctionBody() {
  while (graph_.node_size())
    graph_.mutable_node()->UnsafeArenaReleaseLast();
}

std::string inFunction(const std::string &name) { return "in the function " + inBackticks(name) + ": "; }

} // namespace rw::onnxio
