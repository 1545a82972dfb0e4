#include "rw/c/handles.h"
#include "rw/support/nearest_name.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <new>

namespace rw::c {

void Call::write(int) noexcept {
  if (!out_)
    return;
  try {
    answer["diagnostics"] = Json::parse(diags.renderJson());
    auto buffer = std::make_unique<rw_buffer>();
    buffer->bytes = jsonText(answer);
    *out_ = buffer.release();
  } catch (...) { // no memory: no answer
  }
}

Json readRequest(const char *text, std::initializer_list<std::string_view> keys) {
  if (!text || !*text)
    return Json::object();
  Json request = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (request.is_discarded())
    throw WrongRequest("the request is no JSON");
  if (!request.is_object())
    throw WrongRequest("the request is a JSON object, not a value of another kind");
  for (const auto &[key, value] : request.items())
    if (std::ranges::find(keys, std::string_view(key)) == keys.end()) {
      std::string_view near = nearestName(key, {keys.begin(), keys.end()});
      throw WrongRequest(
          fmt::format("there is no key `{}`{}", key,
                      near.empty() ? fmt::format("; there are {}", fmt::join(keys, ", ")) : didYouMean(near)));
    }
  return request;
}

static const Json *valueOf(const Json &request, const char *key) {
  auto found = request.find(key);
  return found == request.end() || found->is_null() ? nullptr : &*found;
}

static WrongRequest notA(const char *key, std::string_view what, const Json &value) {
  return WrongRequest(fmt::format("`{}` is {}, not {}", key, what, value.dump().substr(0, 80)));
}

bool boolOf(const Json &request, const char *key, bool otherwise) {
  const Json *value = valueOf(request, key);
  if (value && !value->is_boolean())
    throw notA(key, "true or false", *value);
  return value ? value->get<bool>() : otherwise;
}

uint64_t countOf(const Json &request, const char *key, uint64_t otherwise) {
  const Json *value = valueOf(request, key);
  if (value && !value->is_number_unsigned())
    throw notA(key, "a whole number, 0 or greater", *value);
  return value ? value->get<uint64_t>() : otherwise;
}

double numberOf(const Json &request, const char *key, double otherwise) {
  const Json *value = valueOf(request, key);
  if (value && (!value->is_number() || !(value->get<double>() >= 0)))
    throw notA(key, "a number, 0 or greater", *value);
  return value ? value->get<double>() : otherwise;
}

std::string textOf(const Json &request, const char *key, std::string otherwise) {
  const Json *value = valueOf(request, key);
  if (value && !value->is_string())
    throw notA(key, "a text", *value);
  return value ? value->get<std::string>() : otherwise;
}

std::vector<std::string> textsOf(const Json &request, const char *key) {
  const Json *value = valueOf(request, key);
  std::vector<std::string> texts;
  if (!value)
    return texts;
  if (!value->is_array() || !std::ranges::all_of(*value, [](const Json &one) { return one.is_string(); }))
    throw notA(key, "a list of texts", *value);
  for (const Json &one : *value)
    texts.push_back(one.get<std::string>());
  return texts;
}

} // namespace rw::c

extern "C" {
uint32_t rw_c_version(void) { return RW_C_VERSION; }
const char *rw_version(void) { return RW_VERSION; }
const char *rw_buffer_data(const rw_buffer *buffer) { return buffer ? buffer->bytes.c_str() : ""; }
size_t rw_buffer_size(const rw_buffer *buffer) { return buffer ? buffer->bytes.size() : 0; }
void rw_buffer_free(rw_buffer *buffer) { delete buffer; }
}
