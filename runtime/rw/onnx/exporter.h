// The messages of one function of a program: a model's graph, or the body of one of its functions.
//
// In:  the function and the graph it was read from. Out: messages; what did not change is taken from those that were
//      read, by the names of values: fields of ops that the program does not hold, the order of attributes and
//      initializers, tensors with the fields they are stored in. Large parts are lent, not copied.
// Elsewhere: the whole model is model_exporter.h; names are name_plan.h; files are writer.cpp.
#pragma once

#include "rw/onnx/lending.h"
#include "rw/onnx/name_plan.h"
#include "rw/onnx/op_kinds.h"

#include <map>
#include <unordered_set>

namespace rw::onnxio {

class MeantFunctions;

class Exporter {
public:
  /// Where a function comes from: the graph it was read from and the kinds of ops that stands for; what to put in front
  /// of messages about it.
  struct Source {
    const onnx::GraphProto &graph;
    const OpKinds &kinds;
    std::string where;
    const MeantFunctions *meant = nullptr; // the functions that stand for ops; null: ops are just called
    Loc at = {};                           // of what an op means: where the op stands in a text
  };
  Exporter(OnnxModel::Rest &rest, Function &fn, Source source, Lending &lending, Diagnostics &diags);

  // Each false, with diagnostics, if the program holds what ONNX cannot say.
  bool writeGraph(onnx::GraphProto &out);
  /// The ops alone: name, inputs, outputs and attributes of a function stay as they are, and so it has no initializers:
  /// constants are ops.
  bool writeBody(google::protobuf::RepeatedPtrField<onnx::NodeProto> &out);

  /// Whether some op is not what it was.
  bool edited() const { return edited_; }
  /// Adds what the ops need that the model did not have, unless the model uses such a domain without importing it.
  void addImports(google::protobuf::RepeatedPtrField<onnx::OperatorSetIdProto> &out) const;

private:
  struct Graph; // one graph while it is written

  bool graph(RegionId, Graph &, unsigned depth);
  void inputs(Graph &);
  bool initializers(Graph &);
  bool ops(Graph &, unsigned depth);
  bool constantOp(Op, Graph &);
  bool mustBeOp(Op, const Graph &) const;
  const onnx::ValueInfoProto *outputInfo(const Graph &, unsigned i, StringId name) const;
  bool isChangedOutput(const Graph &, const onnx::ValueInfoProto *origin, TypeId) const;
  void repeatOutputs(const onnx::GraphProto &origin, onnx::GraphProto &out);
  bool writeOutputs(Graph &);
  void valueInfo(Graph &);
  void newValueInfo(Graph &);
  void replaceKnownLabels();
  void writeInfo(const onnx::ValueInfoProto *origin, StringId name, TypeId, bool isChanged, onnx::ValueInfoProto &out);
  bool isAsRead(const onnx::TensorProto *origin, AttrId) const;
  bool tensor(const onnx::TensorProto *origin, StringId name, AttrId, onnx::GraphProto &out);
  bool kept(Op, Graph &);

  AttrId constantResult(ValueId) const;
  bool onlyCopied(Op, RegionId) const;
  bool op(Op, Graph &, unsigned depth);
  bool unchanged(Op, const onnx::NodeProto &origin);
  bool typeOfOp(Op, const onnx::NodeProto *origin, onnx::NodeProto &out);
  void operandsAndResults(Op, const onnx::NodeProto *origin, onnx::NodeProto &out);
  bool attributes(Op, const onnx::NodeProto *origin, onnx::NodeProto &out, unsigned depth);
  bool attribute(Op, const onnx::AttributeProto *origin, std::string_view name, AttrId, onnx::NodeProto &out);
  bool nested(Op, const std::string &name, const onnx::AttributeProto *origin, onnx::NodeProto &out, unsigned depth);
  std::vector<std::string> regionNames(Op);
  const onnx::NodeProto *originOf(Op, const Graph &) const;

  std::string_view typeInModel(Op) const;
  std::string describe(Op) const;
  bool error(const char *tag, std::string message);
  bool refuse(Op, const std::string &fault);

  OnnxModel::Rest &rest_;
  Function &fn_;
  Context &ctx_;
  Lending &lending_;
  Diagnostics &diags_;
  const Source source_;
  const OpKinds &kinds_;
  NamePlan names_;
  bool edited_ = false;         // some op is not what it was
  bool hasOtherInputs_ = false; // some input of the model has another type than it had
  // records that are as they were, and what is known now
  std::vector<std::pair<onnx::ValueInfoProto *, TypeId>> recorded_;
  std::unordered_set<uint32_t> written_;  // names of all values of the result
  std::map<std::string, int> newDomains_; // of ops that the model did not have, and the version they need
};

} // namespace rw::onnxio
