// Messages and strings that stand in two places for a while, so that large ones need no copy.
//
// In:  a message that is kept elsewhere, and the list it shall also stand in; or a tensor and the bytes that it shall
//      hold.
// Out: the list as if it held the message, until the lending ends; what is lent belongs to its keeper throughout.
// Elsewhere: what is lent when a model is written is exporter.h.
//
//   Lending lending;                             // must outlive nothing that `list` is part of
//   lending.lend(*out.mutable_node(), origin);   // read only until `lending` goes
#pragma once

#include <onnx/onnx_pb.h>

#include <functional>
#include <memory>
#include <unordered_set>
#include <vector>

namespace rw::onnxio {

class Lending {
public:
  Lending() = default;
  Lending(const Lending &) = delete;
  ~Lending() {
    for (auto &take : takeBack_)
      take();
  }

  /// The bytes stay where they are; the string that is said to hold them changes. So they must be too many to stand in
  /// it.
  void lend(onnx::TensorProto &to, const std::string &rawData) {
    auto &owner = const_cast<std::string &>(rawData);
    to.mutable_raw_data()->swap(owner);
    takeBack_.push_back([&to, &owner] { to.mutable_raw_data()->swap(owner); });
  }
  template <class T> void lend(google::protobuf::RepeatedPtrField<T> &to, const T &message) {
    to.UnsafeArenaAddAllocated(const_cast<T *>(&message)); // read only until it is taken back
    lent_.insert(&message);
    if (!lentTo_.insert(&to).second)
      return;
    takeBack_.push_back([this, &to] {
      while (!to.empty())
        if (T *last = to.UnsafeArenaReleaseLast(); !lent_.count(last))
          released_.emplace_back(last);
    });
  }

private:
  std::unordered_set<const void *> lent_;
  std::vector<std::function<void()>> takeBack_;
  // What stood beside lent messages. It may hold fields with lent messages itself, so it goes when all are taken back.
  std::vector<std::unique_ptr<google::protobuf::Message>> released_;
  std::unordered_set<const void *> lentTo_;
};

} // namespace rw::onnxio
