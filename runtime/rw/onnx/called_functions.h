// Functions of a program that was no model, and their calls, as functions of a model.
//
// In:  a program whose ops call its functions: by an attribute `callee` that names one.
// Out: a copy in which calls are opaque ops `functions.NAME`, and the functions that @main calls, directly or not, are
//      named so; of functions with one body and one signature one is left. Their names and interfaces, for the model to
//      begin with.
// Elsewhere: from_program.h makes the model; what calls become where functions are not kept is passes/inline_calls.h.
//
//   CalledFunctions called(program);
//   if (!called.empty()) model = emptyModel(…, called.protos(opset));
#pragma once

#include "rw/ir/program.h"
#include "rw/onnx/proto.h"

#include <map>
#include <string>
#include <vector>

namespace rw::onnxio {

class CalledFunctions {
public:
  static constexpr std::string_view kDomain = "functions";
  explicit CalledFunctions(const Program &);
  bool empty() const { return names_.empty(); }
  /// The copy, to take.
  Program &program() { return program_; }
  /// Functions of these names, inputs and outputs, without what they do.
  std::vector<onnx::FunctionProto> protos(int opset);

private:
  void replaceCalls(Function &);
  std::string keyOf(const Function &);

  Program program_;
  std::map<std::string, std::string, std::less<>> renamed_;
  std::vector<std::string> names_; // "functions.relu", what is called before what calls it
};

} // namespace rw::onnxio
