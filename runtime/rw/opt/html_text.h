// Untrusted text in HTML and in SVG.
//
// In:  any bytes. Out: text without markup, in which control characters, invisible ones and bytes that are no UTF-8 are
//      visible.
#pragma once

#include "rw/support/utf8.h"

namespace rw::opt {

inline std::string html(std::string_view text) {
  std::string out;
  for (char c : utf8::safe(text))
    switch (c) {
    case '&':
      out += "&amp;";
      break;
    case '<':
      out += "&lt;";
      break;
    case '>':
      out += "&gt;";
      break;
    case '"':
      out += "&quot;";
      break;
    case '\'':
      out += "&#39;";
      break;
    default:
      out += c;
    }
  return out;
}

} // namespace rw::opt
