#include "rw/passes/reproducer.h"

#include "rw/ir/printer.h"

namespace rw {
namespace {

constexpr std::string_view kFirstLine = "// rw-opt reproducer";

void appendEntry(std::string &out, std::string_view key, std::string_view value) {
  (out += "// ") += key;
  out += ": ";
  for (char c : value) // an entry is one line
    out += c == '\n' || c == '\r' ? ' ' : c;
  out += '\n';
}

} // namespace

std::string printReproducer(const Reproducer &reproducer, const Program &program) {
  std::string out(kFirstLine);
  out += '\n';
  appendEntry(out, "pipeline", reproducer.pipeline);
  for (const auto &[key, value] : reproducer.settings)
    appendEntry(out, key, value);
  if (!reproducer.failure.empty())
    appendEntry(out, "failed", reproducer.failure);
  appendProgram(out, program);
  return out;
}

std::optional<Reproducer> readReproducer(std::string_view text) {
  Reproducer reproducer;
  auto line = [&]() {
    size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.ends_with('\r'))
      line.remove_suffix(1);
    return line;
  };
  if (line() != kFirstLine)
    return std::nullopt;
  while (text.starts_with("// ")) {
    std::string_view entry = line().substr(3);
    size_t colon = entry.find(": ");
    if (colon == std::string_view::npos)
      continue;
    std::string key(entry.substr(0, colon)), value(entry.substr(colon + 2));
    if (key == "pipeline")
      reproducer.pipeline = value;
    else if (key == "failed")
      reproducer.failure = value;
    else
      reproducer.settings.emplace_back(key, value);
  }
  return reproducer;
}

} // namespace rw
