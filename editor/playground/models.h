// The models of a page: those that were dropped on it lie in a folder of their own until the program ends.
//
// In:  bytes, and a name that the user chose.
// Out: paths, under short ids. The extension is the name's where it is one of a model; nothing else of it is used.
//
//   Models models;
//   std::string id = models.add("mine.onnx", read, trouble);
//   load(models.find(id)->path);
#pragma once

#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

namespace rw::editor {

/// Gives bytes piece by piece to a sink, until that returns false; false if not all came.
using ReadBytes = std::function<bool(const std::function<bool(std::string_view)> &)>;

class Models {
public:
  static constexpr uint64_t kMostBytes = 4ull << 30; // of one model; larger ones are named on the command line
  static constexpr size_t kMostKept = 8;             // of those that were dropped on the page

  struct Entry {
    std::string id, name, path;
    bool own = false; // its file goes with it
  };
  Models() = default;
  ~Models();
  Models(const Models &) = delete;
  Models &operator=(const Models &) = delete;

  /// A file that is there and stays.
  std::string add(const std::string &path);
  /// Empty and why if it cannot be kept. The oldest goes if there are too many.
  std::string add(const std::string &name, const ReadBytes &, std::string &trouble);
  std::optional<Entry> find(const std::string &id);
  void remove(const std::string &id);

private:
  void drop(const Entry &);

  std::mutex mutex_;
  std::string folder_;
  std::deque<Entry> entries_;
  unsigned added_ = 0;
};

} // namespace rw::editor
