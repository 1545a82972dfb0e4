// Which registered kind an op of a model is, and whether the model uses it as ONNX says.
//
// In:  the model's opset imports and functions; per op its message, operands and attributes.
// Out: a kind, or opaque when nothing registered fits; the op's full name, and back; onnx-arity errors.
// Elsewhere: import puts the ops together in importer.h.
#pragma once

#include "rw/onnx/proto.h"

#include <map>
#include <memory>
#include <set>
#include <unordered_map>

namespace rw::onnxio {

using OpsetImports = google::protobuf::RepeatedPtrField<onnx::OperatorSetIdProto>;

/// Those of the model; of one older than the field, the first version of the main domain.
const OpsetImports &importsOf(const onnx::ModelProto &);
/// The imported version of a domain, the last if it is imported more than once; 0 if it is not.
int64_t importedVersion(const OpsetImports &, std::string_view domain);

struct OpKind {
  KindId kind = kOpaqueKind;
  std::string fullName;
  const OpSchema *schema = nullptr; // null if opaque
};

class OpKinds {
public:
  OpKinds(const OpRegistry &, const onnx::ModelProto &);
  /// As a function of the model has it, which imports operator sets itself.
  OpKinds(const OpKinds &ofModel, const OpsetImports &);

  const OpRegistry &registry() const { return registry_; }
  const OpsetImports &imports() const { return imports_; }
  OpKind find(const onnx::NodeProto &) const;
  /// Whether operands and results are as many as the registered schema allows, none of the required ones left out, and
  /// the graphs those it declares. What does not fit it is taken for an op without declaration.
  static bool fits(const OpSchema &, const onnx::NodeProto &);
  /// Of an op of another domain that is declared and yet opaque: why. Empty of any other. (Of the main domain
  /// declarations cover some versions and forms; what else there is stays as it is.)
  std::string misfit(const onnx::NodeProto &) const;
  /// What ONNX's own schema says against the op's numbers of operands and results; empty if nothing.
  std::string arityError(const onnx::NodeProto &) const;
  /// Fewest results that ONNX wants written; 0 if it does not know the op.
  int minOutputs(std::string_view domain, const std::string &type) const;

  std::string fullName(std::string_view domain, std::string_view type) const;
  /// Whether some version of an op is declared by this name.
  bool isDeclared(std::string_view domain, std::string_view type) const;
  /// Whether the function is but what a known op means (meant_functions.h): its calls are such ops.
  bool isForm(const onnx::FunctionProto &f) const { return names_->forms.contains({f.domain(), f.name()}); }
  bool isCalled(const onnx::NodeProto &, std::string_view fullName) const;
  /// The way back; false if the name cannot be one of ONNX's.
  bool split(std::string_view fullName, std::string &domain, std::string &type) const;

private:
  /// What holds for every op of one type of the main domain in the model's version.
  struct Type {
    std::string fullName;
    KindId kind;
    bool known = false; // to ONNX's library
    int minInputs = 0, maxInputs = 0, minOutputs = 0, maxOutputs = 0;
  };
  const Type &typeOf(const std::string &type) const;
  OpKind findInDomain(const onnx::NodeProto &) const;
  std::string nameOf(std::string_view domain, std::string_view type) const; // whatever functions the model has
  bool isDialect(std::string_view name) const { return names_->dialects.count(name) != 0; }
  OpKinds(const OpRegistry &, const OpsetImports &);

  const OpRegistry &registry_;
  const OpsetImports &imports_; // of the model or function
  struct Names {
    std::set<std::string, std::less<>> dialects;
    std::set<std::pair<std::string, std::string>> functions; // of the model, by domain and name
    /// Functions that stand for known ops: the op's type.
    std::map<std::pair<std::string, std::string>, std::string> forms;
  };
  std::shared_ptr<const Names> names_; // of the model; models may have thousands of functions
  struct Domain {
    std::string dialect;
    int version; // that the model imports
  };
  std::map<std::string, Domain, std::less<>> domains_; // those that a registered dialect stands for
  int version_ = 0;
  mutable std::unordered_map<std::string, Type> types_; // looked up so far
};

} // namespace rw::onnxio
