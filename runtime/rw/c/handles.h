// What the handles of rw.h are, and how its functions answer. Private to this folder.
//
// In:  what a function found out, as JSON and diagnostics. Out: a buffer with both.
#pragma once

#include "rw/c/rw.h"
#include "rw/opt/model_file.h"
#include "rw/passes/pipeline.h"
#include "rw/support/diagnostics.h"
#include "rw/support/json.h"

#include <exception>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

struct rw_buffer {
  std::string bytes;
};

/// A file that was loaded, as it was.
struct rw_loaded_file {
  std::string path, text;
  std::vector<std::string> importDirs;
};

struct rw_session {
  rw::Registry registry;
  std::vector<rw_loaded_file> files;
  size_t builtinTests = 0;            // those that come with rw
  std::vector<rw::OwnPass> ownPasses; // of the caller
};

struct rw_model {
  std::unique_ptr<rw::opt::ModelFile> file;
  std::string name; // what diagnostics call it
};

namespace rw::c {

/// A request that is none: its text says why.
struct WrongRequest : std::exception {
  explicit WrongRequest(std::string text) : text(std::move(text)) {}
  const char *what() const noexcept override { return text.c_str(); }
  std::string text;
};
/// The caller wants no more.
struct Stopped {};
/// A pass of the caller's says that it failed.
struct PassFailed {};

/// One call of a function of rw.h: sources, diagnostics and the answer.
class Call {
public:
  explicit Call(rw_buffer **out) : out_(out) {
    if (out_)
      *out_ = nullptr;
  }

  SourceManager sources;
  Diagnostics diags{sources};
  Json answer = Json::object();

  /// Runs `body`, which returns a status, and answers whatever happens.
  template <class Body> int run(Body body) noexcept;
  /// Likewise of what makes a handle; null where it could not.
  template <class Body> auto make(Body body) noexcept -> decltype(body());

private:
  void write(int status) noexcept;

  rw_buffer **out_;
};

/// Reads a request: an object with no other keys than these. An empty text is an object without any.
Json readRequest(const char *text, std::initializer_list<std::string_view> keys);
/// The value of a key, or a default; WrongRequest if it is of another type, which `what` describes.
bool boolOf(const Json &, const char *key, bool otherwise = false);
uint64_t countOf(const Json &, const char *key, uint64_t otherwise = 0);
double numberOf(const Json &, const char *key, double otherwise);
std::string textOf(const Json &, const char *key, std::string otherwise = {});
std::vector<std::string> textsOf(const Json &, const char *key);

template <class Body> int Call::run(Body body) noexcept {
  int status = RW_INTERNAL;
  try {
    status = body();
  } catch (const Stopped &) {
    status = RW_STOPPED;
  } catch (const PassFailed &) {
    status = RW_PASS_FAILED;
  } catch (const WrongRequest &wrong) {
    diags.errorInFile("wrong-request", "request", wrong.text);
    status = RW_WRONG_REQUEST;
  } catch (const std::bad_alloc &) {
    diags.errorInFile("no-memory", "rw", "there is not enough memory for this");
  } catch (const std::exception &fault) {
    diags.errorInFile("internal", "rw", std::string("a fault of rw: ") + fault.what());
  }
  if (status == RW_OK && diags.hasErrors())
    status = RW_WRONG_INPUT;
  write(status);
  return status;
}

template <class Body> auto Call::make(Body body) noexcept -> decltype(body()) {
  decltype(body()) made{};
  run([&] {
    made = body();
    return made ? RW_OK : RW_WRONG_INPUT;
  });
  return made;
}

} // namespace rw::c
