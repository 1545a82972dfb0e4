// The part of librw.so that proves patterns: it knows the compiler's side, which the rest of the library does without.
#include "codegen/verify/verify_file.h"
#include "rw/c/handles.h"

#include <span>

using namespace rw;
using namespace rw::c;

namespace {
int verifyAll(const rw_session &session, const char *text, rw_progress progress, void *user, Call &call) {
  const std::string only = textOf(readRequest(text, {"patterns"}), "patterns");
  Json answers = Json::array();
  for (const rw_loaded_file &file : session.files) {
    const verify::FileToVerify request{file.path, file.text, file.importDirs, only};
    const std::optional<unsigned> count =
        verify::verifyFile(request, call.sources, call.diags, [&](const verify::Answer &answer) {
          const std::string line = verify::jsonOf(answer);
          answers.push_back(Json::parse(line));
          if (progress && progress(line.c_str(), user))
            throw Stopped();
          return true;
        });
    if (!count)
      return RW_WRONG_INPUT;
  }
  call.answer["answers"] = std::move(answers);
  return RW_OK;
}
} // namespace

extern "C" int rw_session_verify(const rw_session *session, const char *request, rw_progress progress, void *user,
                                 rw_buffer **answer) {
  Call call(answer);
  return call.run([&] { return verifyAll(*session, request, progress, user, call); });
}
