// Ops, values and regions from the messages of a graph.
//
// In:  a model whose graphs GraphOrder has put in order.
// Out: the function's body, with types that follow from the graph's inputs; what the model records of other values
//      where that leaves something open (rw/infer/type_flow.h). A model may say what engines accept although it cannot
//      be: a record that contradicts its op is not believed, an op that its schema refuses and ONNX's does not is
//      opaque, of two initializers with one name the last one counts. A warning says so. An output listed twice is one
//      result.
// Elsewhere: kinds and arity are op_kinds.h; reading files is reader.cpp.
#pragma once

#include "rw/infer/type_flow.h"
#include "rw/onnx/graph_order.h"
#include "rw/onnx/op_kinds.h"

namespace rw::onnxio {

class Importer {
public:
  /// `where` stands in front of each message. `like`: the flow of another function of the program.
  Importer(Function &fn, OnnxModel::Rest &rest, const OpKinds &kinds, const GraphOrder &order, Diagnostics &diags,
           std::string where = "", const TypeFlow *like = nullptr)
      : fn_(fn), ctx_(fn.context()), rest_(rest), kinds_(kinds), order_(order), diags_(diags), where_(std::move(where)),
        flow_(like ? TypeFlow(fn, *like) : TypeFlow(fn)) {}

  /// The function's body from the model's graph, or from the body of one of its functions.
  bool run(const onnx::GraphProto &body);
  /// Keeps the types that values have now, for the exporter to see which it has to write anew.
  void rememberTypes();
  Function &function() { return fn_; }
  TypeFlow &flow() { return flow_; }
  const std::vector<TypeFlow::Untrue> &untrue() const { return flow_.untrue(); }
  /// "`y` is recorded as f32[5, 3], but its Neg `n` makes f32[2, 3]".
  std::string untrueText(const TypeFlow::Untrue &) const;

private:
  struct Scope;
  struct Attributes;

  bool graph(const onnx::GraphProto &, RegionId);
  void warnOfTwice();
  void inputs(const onnx::GraphProto &, Scope &);
  bool initializers(const onnx::GraphProto &, Scope &);
  bool initializer(const onnx::TensorProto &, Scope &);
  void kept(const std::string &name, TypeId type, const google::protobuf::Message &, Scope &);
  bool node(const onnx::NodeProto &, int index, Scope &);
  bool soundOrOpaque(const onnx::NodeProto &, int index, const Attributes &, Op);
  void warnUnknown(const onnx::NodeProto &, int index, const std::string &why);
  bool attributes(const onnx::NodeProto &, int index, const OpKind &, Attributes &);
  AttrsId attributesOf(const onnx::NodeProto &, int index, const OpKind &, const Attributes &);
  bool regions(const onnx::NodeProto &, const OpKind &, Op);
  bool results(const onnx::NodeProto &, int index, Op, Scope &);
  bool isAsRecorded(const onnx::NodeProto &, int index, Value, TypeId recorded);
  void bind(StringId name, ValueId, Scope &);
  ValueId lookup(const std::string &name);
  bool error(const char *tag, std::string message);

  Function &fn_;
  Context &ctx_;
  OnnxModel::Rest &rest_;
  const OpKinds &kinds_;
  const GraphOrder &order_;
  Diagnostics &diags_;
  std::string where_;
  std::vector<std::pair<const onnx::ValueInfoProto *, ValueId>> recorded_; // values whose types the model records
  std::vector<ValueId> bound_;                                             // by name: what the name means at this point
  std::vector<std::string> twice_;                                         // initializers of one name
  std::set<std::string> unknown_; // ops that are declared otherwise: a warning has said so
  TypeFlow flow_;
};

} // namespace rw::onnxio
