// Writes the op declarations of ONNX's main domain that nobody wrote by hand.
//
// In:  ONNX's own schemas (libonnx); types.txt beside this file, for what they do not say; hand-written .rw files,
//      whose declarations come first.
// Out: patterns/onnx/schema_PART.rw, one file per part of ONNX's specification; committed, so that a build needs no
//      libonnx. A declaration covers the versions between which nothing a pattern can see differs: operands, results,
//      attributes and their defaults.
//
//   gen_onnx_ops OUTPUT_FOLDER types.txt HAND_WRITTEN.rw…        (tests/system/onnx_schemas.py --update does it)
#include <onnx/defs/schema.h>

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstring>
#include <fstream>
#include <iostream>
#include <iterator>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <vector>

namespace {

// The operator sets that the schemas are read of: what version 1.12 of ONNX knows, whichever version this is built
// with.
constexpr int kOldest = 7, kNewest = 17;
// What changed after them is said in types.txt; up to here all else is as it was.
constexpr int kKnown = 24;

struct Declared {
  int first, last;
};
using HandWritten = std::map<std::string, std::vector<Declared>>;

bool readHandWritten(const char *path, HandWritten &out) {
  std::ifstream in(path);
  if (!in)
    return false;
  static const std::regex op(R"(^op (\w+) *(?:versions (\d+)\.\.(\d*))?)");
  bool onnx = false;
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("dialect "))
      onnx = line.starts_with("dialect onnx;");
    std::smatch m;
    if (onnx && std::regex_search(line, m, op))
      out[m[1]].push_back({m[2].matched ? std::stoi(m[2]) : 0, m[3].length() ? std::stoi(m[3]) : INT32_MAX});
  }
  return true;
}

/// A line of types.txt.
struct Typed {
  std::string op;
  int first, last;
  std::string traits, types;
  mutable bool used = false;
};

/// By op: the operator set in which something that a pattern can see changed after kNewest.
using Changes = std::map<std::string, int>;

/// What a string may be, by "Op.attribute" or "attribute", as ONNX's documentation of an attribute says in words.
using Choices = std::map<std::string, std::string>;

/// What must hold, beside types: a line of a declaration.
struct Required {
  std::string op;
  int first, last;
  std::string clause;
  mutable bool used = false;
};

/// What types.txt says.
struct Said {
  std::vector<Typed> types;
  Changes changes;
  Choices choices;
  std::vector<Required> required;
};

bool readTypes(const char *path, Said &out) {
  std::ifstream in(path);
  if (!in)
    return false;
  static const std::regex entry(R"(^(\w+) (\d+)\.\.(\d+)((?: \+\w+(?:\([\w, ]*\))?)*)(?: (.*))?$)");
  static const std::regex change(R"(^changed (\w+) (\d+)$)");
  static const std::regex requirement(R"(^require (\w+) (\d+)\.\.(\d+) (.*)$)");
  static const std::regex choice(R"(^string ((?:\w+\.)?\w+) ("\w+"(?: \| "\w+")+)$)");
  for (std::string line; std::getline(in, line);) {
    if (line.empty() || line[0] == '#')
      continue;
    std::smatch m;
    if (std::regex_match(line, m, choice)) {
      out.choices[m[1]] = m[2];
      continue;
    }
    if (std::regex_match(line, m, requirement)) {
      out.required.push_back({m[1], std::stoi(m[2]), std::stoi(m[3]), m[4]});
      continue;
    }
    if (std::regex_match(line, m, change)) {
      out.changes[m[1]] = std::stoi(m[2]);
      continue;
    }
    if (!std::regex_match(line, m, entry)) {
      std::cerr << path << ": this is not OP FIRST..LAST [+TRAIT] TYPES: " << line << "\n";
      return false;
    }
    out.types.push_back(
        {m[1], std::stoi(m[2]), std::stoi(m[3]), std::regex_replace(m[4].str(), std::regex(" \\+"), ", "), m[5]});
  }
  return true;
}

/// `@name|other` as the declaration has it.
std::string resolved(const std::string &text, const onnx::OpSchema &s) {
  static const std::regex use(R"(@(\w+)\|(\[\]|\w+))");
  std::string out;
  auto at = text.begin();
  for (std::sregex_iterator it(text.begin(), text.end(), use), end; it != end; ++it) {
    out.append(at, text.begin() + it->position());
    at = text.begin() + it->position() + it->length();
    std::string name = (*it)[1], other = (*it)[2], value = other;
    if (auto a = s.attributes().find(name); a != s.attributes().end()) {
      bool optional = !a->second.required && !a->second.default_value.has_type();
      value = optional ? fmt::format("(if has({0}) then {0} else {1})", name, other) : name;
    }
    for (const onnx::OpSchema::FormalParameter &p : s.inputs())
      if (p.GetName() == name)
        value = p.GetOption() == onnx::OpSchema::Optional
                    ? fmt::format("(if has({0}) then {0}.ints else {1})", name, other)
                    : name + ".ints";
    out += value;
  }
  return out.append(at, text.end());
}

std::string floatText(float value) {
  std::string text = fmt::format("{}", value); // the shortest that reads back as the same float
  if (text.find_first_of(".e") == std::string::npos)
    text += ".0";
  return text;
}

std::string quoted(const std::string &text) {
  std::string out = "\"";
  for (char c : text)
    out += c == '"' || c == '\\' ? std::string{'\\', c} : std::string{c};
  return out + "\"";
}

template <class List, class Text> std::string joined(const List &list, Text text) {
  std::string out;
  for (const auto &item : list)
    out += (out.empty() ? "" : ", ") + text(item);
  return out;
}

std::string defaultText(const onnx::AttributeProto &a) {
  using A = onnx::AttributeProto;
  switch (a.type()) {
  case A::INT:
    return std::to_string(a.i());
  case A::FLOAT:
    return floatText(a.f());
  case A::STRING:
    return quoted(a.s());
  case A::INTS:
    return "[" + joined(a.ints(), [](int64_t i) { return std::to_string(i); }) + "]";
  case A::FLOATS:
    return "[" + joined(a.floats(), floatText) + "]";
  case A::STRINGS:
    return "[" + joined(a.strings(), quoted) + "]";
  default:
    return "";
  }
}

const char *attrType(onnx::AttributeProto::AttributeType type) {
  using A = onnx::AttributeProto;
  switch (type) {
  case A::INT:
    return "int";
  case A::FLOAT:
    return "float";
  case A::STRING:
    return "string";
  case A::TENSOR:
    return "tensor";
  case A::INTS:
    return "[int]";
  case A::FLOATS:
    return "[float]";
  case A::STRINGS:
    return "[string]";
  default:
    return nullptr; // stays in the op's side dictionary
  }
}

/// Names of ONNX may hold what names in .rw may not.
std::string identifier(std::string name) {
  for (char &c : name)
    if (!std::isalnum(static_cast<unsigned char>(c)))
      c = '_';
  return name;
}

const std::set<std::string> &randomOps() {
  static const std::set<std::string> names = {"RandomNormal",      "RandomNormalLike", "RandomUniform",
                                              "RandomUniformLike", "Multinomial",      "Bernoulli"};
  return names;
}

/// Of an input that was an attribute of an older version: " as [int]".
std::string standsFor(const onnx::OpSchema &s, const onnx::OpSchema::FormalParameter &input) {
  if (input.GetOption() == onnx::OpSchema::Variadic)
    return "";
  std::string lower = input.GetName();
  std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return char(std::tolower(c)); });
  for (int version = s.since_version() - 1; version >= kOldest; --version) {
    const onnx::OpSchema *older = onnx::OpSchemaRegistry::Schema(s.Name(), version, "");
    if (!older)
      continue;
    for (const std::string &name : {input.GetName(), lower})
      if (auto a = older->attributes().find(name); a != older->attributes().end()) {
        const char *type = attrType(a->second.type);
        if (type && (!std::strcmp(type, "int") || !std::strcmp(type, "float") || !std::strcmp(type, "[int]") ||
                     !std::strcmp(type, "[float]")))
          return fmt::format(" as {}{}", name == input.GetName() ? "" : name + ": ", type);
      }
  }
  return "";
}

/// All of a declaration but its name and versions.
std::string bodyOf(const onnx::OpSchema &s, int version, const Typed *typed, const Said &said) {
  using Option = onnx::OpSchema::FormalParameterOption;
  std::string out = "(" +
                    joined(s.inputs(),
                           [&](const onnx::OpSchema::FormalParameter &p) {
                             const char *arity = p.GetOption() == Option::Optional   ? "?"
                                                 : p.GetOption() == Option::Variadic ? "..."
                                                                                     : "";
                             return identifier(p.GetName()) + ": tensor" + arity + standsFor(s, p);
                           }) +
                    ")";
  bool several = s.outputs().size() > 1;
  out += " -> (" +
         joined(s.outputs(),
                [several](const onnx::OpSchema::FormalParameter &p) {
                  const char *arity = p.GetOption() == Option::Variadic              ? "..."
                                      : several && p.GetOption() == Option::Optional ? "?"
                                                                                     : "";
                  return identifier(p.GetName()) + ": tensor" + arity;
                }) +
         ") {\n";
  std::string regions;
  for (const auto &[name, a] : s.attributes()) { // sorted by name
    if (a.type == onnx::AttributeProto::GRAPH)
      regions += (regions.empty() ? "" : ", ") + name;
    const char *type = attrType(a.type);
    if (!type)
      continue;
    if (a.type == onnx::AttributeProto::STRING)
      for (const std::string &key : {s.Name() + "." + name, name})
        if (auto choice = said.choices.find(key); choice != said.choices.end()) {
          type = choice->second.c_str();
          break;
        }
    std::string value = a.required ? "" : defaultText(a.default_value);
    out += fmt::format("  attr {}: {}{}{};\n", name, type, !a.required && value.empty() ? "?" : "",
                       value.empty() ? "" : " = " + value);
  }
  if (!regions.empty())
    out += "  region " + regions + ";\n";
  out += randomOps().count(s.Name()) ? "  traits effect(random);\n"
                                     : fmt::format("  traits pure{};\n", typed ? typed->traits : "");
  for (const Required &r : said.required)
    if (r.op == s.Name() && r.first <= version && version <= r.last) {
      out += "  require " + r.clause + ";\n";
      r.used = true;
    }
  if (typed && !typed->types.empty())
    out += "  type " + resolved(typed->types, s) + ";\n";
  return out + "}\n";
}

std::string partOf(const onnx::OpSchema &s) {
  std::string file = s.file();
  size_t defs = file.rfind("defs/");
  if (defs == std::string::npos)
    return "other";
  file = file.substr(defs + 5);
  return file.substr(0, file.find('/'));
}

std::string firstSentence(const onnx::OpSchema &s) {
  std::string doc = s.doc() ? s.doc() : "";
  doc = std::regex_replace(doc, std::regex("\\s+"), " ");
  doc = doc.substr(0, doc.find(". "));
  doc.erase(0, doc.find_first_not_of(' '));
  while (!doc.empty() && (doc.back() == ' ' || doc.back() == '.'))
    doc.pop_back();
  return doc.size() > 110 || doc.empty() ? "" : "/// " + doc + ".\n";
}

/// The last operator set for which a declaration that holds for kNewest holds.
int lastOf(const std::string &name, const std::vector<Declared> &byHand, const Changes &changes) {
  auto changed = changes.find(name);
  int last = changed == changes.end() ? kKnown : changed->second - 1;
  for (const Declared &d : byHand)
    if (d.first > kNewest)
      last = std::min(last, d.first - 1);
  return last;
}

/// The declarations of one op, oldest first.
std::string declarationsOf(const std::string &name, const std::vector<Declared> &byHand, const Said &said,
                           std::string &part) {
  struct Range {
    int first, last;
    std::string body, doc;
  };
  std::vector<Range> ranges;
  for (int version = kOldest; version <= kNewest; ++version) {
    const onnx::OpSchema *s = onnx::OpSchemaRegistry::Schema(name, version, "");
    if (!s || s->Deprecated() ||
        std::ranges::any_of(byHand, [&](const Declared &d) { return d.first <= version && version <= d.last; }))
      continue;
    part = partOf(*s);
    auto typed = std::ranges::find_if(
        said.types, [&](const Typed &t) { return t.op == name && t.first <= version && version <= t.last; });
    std::string body = bodyOf(*s, version, typed == said.types.end() ? nullptr : &*typed, said);
    if (typed != said.types.end())
      typed->used = true;
    if (!ranges.empty() && ranges.back().last == version - 1 && ranges.back().body == body)
      ranges.back().last = version;
    else
      ranges.push_back({version, version, body, firstSentence(*s)});
  }
  if (!ranges.empty() && ranges.back().last == kNewest)
    ranges.back().last = lastOf(name, byHand, said.changes);
  std::string out;
  for (const Range &r : ranges)
    out += fmt::format("\n{}op {} versions {}..{} {}", r.doc, name, r.first, r.last, r.body);
  return out;
}

} // namespace

int main(int argc, char **argv) {
  if (argc < 3) {
    std::cerr << "usage: gen_onnx_ops OUTPUT_FOLDER types.txt HAND_WRITTEN.rw...\n";
    return 2;
  }
  Said said;
  if (!readTypes(argv[2], said)) {
    std::cerr << argv[2] << ": cannot be read\n";
    return 1;
  }
  HandWritten byHand;
  for (int i = 3; i < argc; ++i)
    if (!readHandWritten(argv[i], byHand)) {
      std::cerr << argv[i] << ": cannot be read\n";
      return 1;
    }
  std::set<std::string> names;
  for (const onnx::OpSchema &s : onnx::OpSchemaRegistry::get_all_schemas())
    if (s.domain().empty())
      names.insert(s.Name());
  std::map<std::string, std::string> parts;
  for (const std::string &name : names) {
    std::string part, text = declarationsOf(name, byHand[name], said, part);
    if (!text.empty())
      parts[part] += text;
  }
  auto checkUsed = [&](const auto &list) {
    return std::ranges::all_of(list, [&](const auto &t) {
      if (!t.used)
        std::cerr << argv[2] << ": " << t.op << " " << t.first << ".." << t.last << " fits no declaration\n";
      return t.used;
    });
  };
  if (!checkUsed(said.types) || !checkUsed(said.required))
    return 1;
  for (const auto &[part, text] : parts) {
    std::string path = std::string(argv[1]) + "/schema_" + part + ".rw";
    std::ofstream out(path);
    out << "// Ops of ONNX's main domain, part " << part << ", operator sets " << kOldest << " to " << kKnown
        << ". Made by tools/gen_onnx_ops from ONNX's schemas:\n// change the generator, or declare an op by hand in "
           "another "
           "file, and make it anew.\n\nimport \"../lib/onnx_shapes.rw\";\nimport \"onnx_elementwise.rw\";\n\ndialect "
           "onnx;\n"
        << text;
    if (!out.flush()) {
      std::cerr << path << ": cannot be written\n";
      return 1;
    }
  }
  return 0;
}
