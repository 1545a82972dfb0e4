#include "rw/opt/progress.h"

#include <algorithm>
#include <cstdio>
#include <fmt/format.h>
#include <unistd.h>

namespace rw::opt {

constexpr uint64_t kSecond = 1'000'000'000, kBetween = kSecond / 10; // more often than that nobody can read

Progress::Progress(uint64_t start, double seconds)
    : terminal_(isatty(STDERR_FILENO) != 0),
      quietUntil_(start + uint64_t(std::clamp(seconds, 0.0, 1e6) * double(kSecond))), started_(start) {}

void Progress::beforeSpan(const SpanEvent &e) {
  if (e.kind == SpanEvent::Round)
    round_ = e.name + ", ";
  else
    say(e.name);
}

void Progress::beforePass(const PassEvent &e) {
  ++passes_;
  say(fmt::format("pass {} ({}{} in @{}, {} op{})", passes_, round_, e.pass, e.function.name(), e.opsBefore,
                  e.opsBefore == 1 ? "" : "s"));
}

void Progress::say(std::string_view what) {
  if (!terminal_)
    return;
  uint64_t now = traceClock();
  if (now < quietUntil_ || (shown_ && now - last_ < kBetween))
    return;
  last_ = now;
  shown_ = true;
  std::string line;
  for (char c : what.substr(0, 100)) // names of models are not to steer the terminal
    line += c < ' ' || c == 0x7f ? '?' : c;
  fmt::print(stderr, "\r\033[K{:.1f} s  {}", double(now - started_) / double(kSecond), line);
  fflush(stderr);
}

void Progress::clear() {
  if (shown_)
    fputs("\r\033[K", stderr);
  shown_ = false;
}

} // namespace rw::opt
