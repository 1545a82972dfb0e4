// Ops of other domains that mean something, as functions of a model: whoever does not know the op runs what it means.
//
// In:  the functions of a program whose ops are about to be written.
// Out: one function (FunctionProto) for each body that differs, and for each op the name of its own.
// Elsewhere: what ops mean is rewrite/meaning.h; bodies are written by exporter.h, the model by model_exporter.h.
//
// A body is that of the op with its attributes on operands of these types, so its attributes need no references; where
// it does not depend on them, all ops share one. The function has the op's name; where several are needed the others
// have a number behind it, which every engine takes (ONNX's own way, overloads, needs a newer version of the format).
// Its text says of which op it is: import reads such a node as the op, if that is known and means something, and leaves
// the function out (isForm). A body that is in the model that was read keeps its name, and names of functions that
// nobody calls any more are free: so a model that is read and written again has the same functions under the same
// names.
#pragma once

#include "rw/onnx/op_kinds.h"
#include "rw/rewrite/meaning.h"

#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace rw::onnxio {

/// Of which op of its domain the function is a form, by what it says; empty if of none.
std::string_view formOf(const onnx::FunctionProto &);

class MeantFunctions {
public:
  using Names = std::set<std::pair<std::string, std::string>>; // domains and names
  /// What an earlier collection has found. `bare`: what ops are called that have no function; no function is called so.
  /// `gone`: functions of the model that was read which are not called any more.
  MeantFunctions(OnnxModel &model, const OpKinds &kinds, Diagnostics &diags, Names bare = {}, const Names &gone = {});

  /// Makes functions for the ops of `fn` that have a meaning in ops that can be written. False, with diagnostics, if
  /// one cannot be written.
  bool collect(Function &fn);
  /// Ops that are written without a function, since they mean nothing, say; if a function is called like one of these,
  /// all is to be collected anew.
  const Names &bare() const { return bare_; }
  /// An op that is written bare since what it means needs ops that the model cannot hold: who does not know it cannot
  /// run the model.
  struct Unwritable {
    std::string op, lacks; // "acme.Soft", "onnx.Gelu"
    Loc at;
  };
  /// One of each kind of op.
  const std::vector<Unwritable> &unwritable() const { return unwritable_; }
  bool clashes() const;
  /// Whether some function has a name that it did not have in the model that was read.
  bool namesNew() const { return namesNew_; }
  /// Whether the function is one that was read, and is written again.
  bool keeps(const onnx::FunctionProto &) const;
  /// Ops that are no kind: by their names in the model they may call a function that was read.
  const Names &opaque() const { return opaque_; }
  /// The name of the function that stands for the op; the op's own if there is none.
  std::string_view nameOf(Op) const;
  /// In the order in which they are met, those that others call behind these.
  const std::deque<onnx::FunctionProto> &functions() const { return functions_; }

private:
  using Key = std::vector<uint32_t>;
  static Key keyOf(Op);
  bool region(Function &, RegionId, std::string &lacks);
  bool form(Op, std::string &lacks);
  bool isOfOtherVersion(const OpSchema &) const;
  std::string lackedBy(Op);
  void addUnwritable(Op, std::string lacks);
  bool write(Op, MeaningFunction &, std::optional<std::string> &name);
  std::string where() const;
  std::string freeName(const std::string &domain, const std::string &type);

  OnnxModel &model_;
  OnnxModel::Rest &rest_;
  const OpKinds &kinds_;
  Diagnostics &diags_;
  std::deque<onnx::FunctionProto> functions_;
  std::map<Key, std::optional<std::string>> names_; // none: it has no form
  struct Form {
    std::string name;
    bool written = false; // else it is in the model that was read
  };
  std::map<std::string, Form> byBody_; // by the message without a name
  bool namesNew_ = false;
  Names bare_, opaque_;
  std::vector<Unwritable> unwritable_;
  Names taken_, own_; // of all functions, of no form
  std::map<std::pair<std::string, std::string>, unsigned> nextNumber_;
  std::vector<std::string> where_; // the ops whose meanings are written, the outermost one first
  Loc at_;                         // of the outermost one
  unsigned depth_ = 0;
};

} // namespace rw::onnxio
