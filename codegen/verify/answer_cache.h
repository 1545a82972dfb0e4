// AnswerCache: answers of earlier runs, by the content of what they were given on.
//
// In:  a folder, which is made; the texts that a pattern is checked from: its file and all that it imports; on how many
//      programs it is tried (VerifyOptions::more).
// Out: the answer that the same program gave on the same texts. What cannot be read or written counts as not known.
//
// Whatever an answer depends on is in its key: the texts, the pattern's name and line, the number of programs, the
// program itself, byte by byte, and whether there is a solver. So nothing has to be thrown away by hand; folders may be
// shared, and deleted.
//
//   AnswerCache cache("build/answers", sources, options.more);
//   std::optional<Answer> known = cache.find(answer.pattern, answer.line);
#pragma once

#include "codegen/verify/verify.h"

#include <optional>
#include <string>
#include <string_view>

namespace rw::verify {

class AnswerCache {
public:
  AnswerCache(std::string folder, const SourceManager &sources, unsigned programs);
  std::optional<Answer> find(std::string_view pattern, unsigned line) const;
  void keep(const Answer &) const;

private:
  std::string pathOf(std::string_view pattern, unsigned line) const;
  std::string folder_;
  uint64_t key_[2];
};

/// All of an answer as JSON, and back; nothing where that is no such text.
std::string serialised(const Answer &);
std::optional<Answer> deserialised(std::string_view text);

} // namespace rw::verify
