#include "rw/c/handles.h"
#include "rw/opt/diff.h"
#include "rw/opt/load_model.h"
#include "rw/opt/why_not.h"
#include "rw/support/nearest_name.h"
#include "rw/trace/program_json.h"

using namespace rw;
using namespace rw::c;

namespace {
rw_model *modelOf(std::unique_ptr<opt::ModelFile> file, std::string name, const Diagnostics &diags) {
  if (!file || diags.hasErrors())
    return nullptr;
  return std::make_unique<rw_model>(rw_model{std::move(file), std::move(name)}).release();
}

Json valueOf(const std::pair<std::string, std::string> &value) {
  return value.first.empty() ? Json() : Json::object({{"value", value.first}, {"type", value.second}});
}

Json boundTo(const opt::BoundTo &bound) {
  if (bound.kind == MatchedName::OfValue)
    return valueOf(bound.values.front());
  if (bound.kind == MatchedName::OfValues) {
    Json values = Json::array();
    for (const auto &value : bound.values)
      values.push_back(valueOf(value));
    return Json::object({{"values", values}});
  }
  return Json::object({{bound.kind == MatchedName::OfOp ? "op" : "text", bound.text}});
}

Json answerOf(const opt::MatchAnswer &answer) {
  Json reasons = Json::array(), bound = Json::object();
  for (const opt::BoundTo &to : answer.bound)
    bound[to.name] = boundTo(to);
  for (const opt::MatchAnswer::Reason &reason : answer.reasons)
    reasons.push_back({{"condition", reason.condition}, {"file", reason.file}, {"line", reason.line}});
  return {{"function", answer.function}, {"op", answer.op},
          {"matches", answer.matches},   {"bound", bound},
          {"reasons", reasons},          {"starts_at", answer.startsAt}};
}

int write(rw_model &model, const char *path, const char *text, Call &call) {
  Json request = readRequest(text, {"external_data", "external_bytes", "bare_ops"});
  if (!*path)
    throw WrongRequest("the path that the model is to be written to is empty");
  std::string file = textOf(request, "external_data");
  if (!file.empty() && !opt::isOnnxName(path))
    throw WrongRequest("`external_data` says where tensors of an ONNX model go, and the path is none of a model");
  model.file->writing = {boolOf(request, "bare_ops"), file,
                         countOf(request, "external_bytes", model.file->writing.externalBytes)};
  return opt::canSave(path, call.diags) && opt::canWrite(path, call.diags) && model.file->save(path, call.diags)
             ? RW_OK
             : RW_WRONG_INPUT;
}

int match(const Registry &registry, const Program &program, const char *text, Call &call) {
  constexpr uint64_t kUsualLimit = 200;
  Json request = readRequest(text, {"pattern", "at", "limit"});
  std::string name = textOf(request, "pattern"), at = textOf(request, "at");
  if (name.empty())
    throw WrongRequest("`pattern` names the pattern");
  NameError error;
  const PatternEntry *entry = registry.pattern(name, error);
  if (!entry) {
    call.diags.errorInFile(error.tag, "request", error.message);
    return RW_WRONG_INPUT;
  }
  opt::MatchAnswers answers = opt::answersOf(program, registry.patterns.make(*entry, registry.ops), at,
                                             size_t(countOf(request, "limit", kUsualLimit)));
  if (answers.ops.empty() && !answers.leftOut && !at.empty()) {
    std::vector<std::string_view> known(answers.values.begin(), answers.values.end());
    std::string_view near = nearestName((at.starts_with('%') ? "" : "%") + at, known);
    call.diags.errorInFile("unknown-value", "request", "no op or value is named `" + at + "`" + didYouMean(near));
    return RW_WRONG_INPUT;
  }
  call.answer["ops"] = Json::array();
  for (const opt::MatchAnswer &answer : answers.ops)
    call.answer["ops"].push_back(answerOf(answer));
  call.answer["more"] = answers.leftOut;
  return RW_OK;
}
} // namespace

extern "C" {
rw_model *rw_model_read(const rw_session *session, const char *path, rw_buffer **answer) {
  Call call(answer);
  return call.make(
      [&] { return modelOf(opt::loadModel(path, session->registry.ops, call.sources, call.diags), path, call.diags); });
}

rw_model *rw_model_from_bytes(const rw_session *session, const void *bytes, size_t size, const char *name,
                              rw_buffer **answer) {
  Call call(answer);
  return call.make([&] {
    std::string_view text(static_cast<const char *>(bytes), size);
    return modelOf(opt::loadModelBytes(text, name, session->registry.ops, call.sources, call.diags), name, call.diags);
  });
}

void rw_model_free(rw_model *model) { delete model; }

int rw_model_write(rw_model *model, const char *path, rw_buffer **answer) {
  return rw_model_write_as(model, path, "", answer);
}

int rw_model_write_as(rw_model *model, const char *path, const char *request, rw_buffer **answer) {
  Call call(answer);
  return call.run([&] { return write(*model, path, request, call); });
}

int rw_model_read_tensors(const rw_session *session, rw_model *model, rw_buffer **answer) {
  Call call(answer);
  return call.run([&] { return model->file->readTensors(session->registry.ops, call.diags) ? RW_OK : RW_WRONG_INPUT; });
}

int rw_model_bytes(rw_model *model, const char *format, rw_buffer **bytes, rw_buffer **answer) {
  Call call(answer);
  return call.run([&] {
    *bytes = nullptr;
    std::string_view name = format;
    if (name != "onnx" && name != "rwir" && name != "mlir")
      throw WrongRequest("the format is onnx, rwir or mlir, not " + std::string(name));
    auto out = std::make_unique<rw_buffer>();
    if (!model->file->bytes(name, model->name, out->bytes, call.diags) || call.diags.hasErrors())
      return RW_WRONG_INPUT;
    *bytes = out.release();
    return RW_OK;
  });
}

int rw_model_describe(const rw_model *model, rw_buffer **answer) {
  Call call(answer);
  return call.run([&] {
    call.answer = Json::parse(programToJson(model->file->program()));
    call.answer["format"] = std::string(model->file->format());
    return RW_OK;
  });
}

int rw_match(const rw_session *session, const rw_model *model, const char *request, rw_buffer **answer) {
  Call call(answer);
  return call.run([&] { return match(session->registry, model->file->program(), request, call); });
}

int rw_diff(rw_model *a, rw_model *b, rw_buffer **answer) {
  Call call(answer);
  return call.run([&] {
    call.answer["difference"] = opt::describeDifference(*a->file, *b->file);
    return RW_OK;
  });
}
}
