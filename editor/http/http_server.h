// HTTP for programs of this machine: what a page that rw-opt shows talks over.
//
// In:  requests on the loopback interface; other machines cannot reach it.
// Out: whatever a handler answers. Several requests are answered at once.
// Elsewhere: what is asked and answered is editor/playground.
//
// The HTTP library and what that needs (TLS, compression) takes longer to load than rw-opt to start, so it is linked to
// a module of its own (http_module.cpp), which is loaded when a page is asked for.
//
//   Result<std::unique_ptr<http::Listener>> listener = http::listen(handler, 8080);
//   if (!listener) return fail(listener.error());
//   (*listener)->run();                           // until another thread calls stop()
#pragma once

#include "rw/support/result.h"

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace rw::http {

struct Request {
  std::string method, path;
  std::map<std::string, std::string> query;
  std::multimap<std::string, std::string> headers; // names in small letters
  /// The value of a header that is there once; none: "" (of one that is there twice: "", too).
  std::string header(const std::string &name) const {
    return headers.count(name) == 1 ? headers.find(name)->second : "";
  }
};

/// Takes the body piece by piece; stops early where the sink returns false. False if not all of it came.
using ReadBody = std::function<bool(const std::function<bool(std::string_view)> &sink)>;

struct Answer {
  int status = 200;
  std::string type = "text/plain; charset=utf-8", body;
  std::vector<std::pair<std::string, std::string>> headers;
};

class Handler {
public:
  virtual ~Handler() = default;
  /// Called by several threads at once. What it throws becomes status 500.
  virtual Answer answer(const Request &, const ReadBody &) = 0;
};

class Listener {
public:
  virtual ~Listener() = default;
  virtual int port() const = 0;
  /// Answers requests until stop() is called, and those that had begun by then.
  virtual void run() = 0;
  virtual void stop() = 0;
};

/// Fails if it cannot listen there. `port` 0: any that is free.
Result<std::unique_ptr<Listener>> listen(Handler &, int port);

/// What the module exports under kEntryPoint: null and why if it cannot listen there. The handler must outlive what it
/// returns.
using EntryPoint = Listener *(*)(Handler &, int port, std::string &error);
inline constexpr const char *kEntryPoint = "rw_http_listen";

} // namespace rw::http
