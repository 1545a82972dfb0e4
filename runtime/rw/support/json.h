// JSON that keeps the order of its keys, and its text. For sources alone: headers that are installed do not include it.
//
// In:  values. Out: text in one line, or with line breaks. What is not UTF-8 in it is replaced: names come from files.
//
//   std::string line = jsonText({{"pass", name}, {"rewrites", 3}});
#pragma once

#include <nlohmann/json.hpp>

#include <string>

namespace rw {

using Json = nlohmann::ordered_json;

/// `indent`: by how many spaces each depth; -1: all in one line.
inline std::string jsonText(const Json &json, int indent = -1) {
  return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

} // namespace rw
