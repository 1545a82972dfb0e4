/* rw as a C library: for programs in other languages. The Python package `rw` (python/) is made of it.
 *
 * In:  sessions (the built-in patterns and those that were loaded), models (files or bytes), requests as JSON.
 * Out: models, answers as JSON. Nothing is printed, no exception leaves a call, no global is changed.
 *
 *   rw_session *session = rw_session_new();
 *   rw_buffer *answer = NULL;
 *   rw_model *model = rw_model_read(session, "a.onnx", &answer);
 *   if (model) {
 *     rw_buffer_free(answer);                                       // warnings
 *     if (rw_optimize(session, model, "{\"check\": 2}", NULL, NULL, &answer) == RW_OK) {
 *       rw_buffer_free(answer);                                     // what was done
 *       rw_model_write(model, "b.onnx", &answer);
 *     }
 *     rw_model_free(model);
 *   }
 *   puts(rw_buffer_data(answer));                                   // {"diagnostics": [...]}
 *   rw_buffer_free(answer);
 *   rw_session_free(session);
 *
 * Every answer is an object in UTF-8 with "diagnostics", a list as `--json-diagnostics` prints it: severity, tag, message and, where known,
 * file, line, column, endLine, endColumn, notes, fixIts. What else is in it stands at each function. Whoever gets a buffer frees it.
 *
 * Threads: a session may be used by several threads at once for everything but rw_session_load and rw_session_free; a model by one at a
 * time. Sessions share nothing.
 *
 * Versions: RW_C_VERSION grows when functions are added; none is taken away or changes its meaning.
 */
#ifndef RW_C_RW_H
#define RW_C_RW_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define RW_C_VERSION 2

#if defined(__GNUC__)
#define RW_API __attribute__((visibility("default")))
#else
#define RW_API
#endif

typedef struct rw_buffer rw_buffer;
typedef struct rw_session rw_session;
typedef struct rw_model rw_model;

enum rw_status {
  RW_OK = 0,
  RW_WRONG_INPUT = 1,   /* the model, the patterns or what a name means: diagnostics say what is wrong */
  RW_WRONG_REQUEST = 2, /* the request itself: not JSON, an unknown key, a value that is none */
  RW_STOPPED = 3,       /* the caller's progress function asked for it; the model can only be freed */
  RW_INTERNAL = 4       /* a fault of rw, or no memory left; the model can only be freed */
};

RW_API uint32_t rw_c_version(void);   /* RW_C_VERSION of the library */
RW_API const char *rw_version(void);  /* "0.1.0" */

/* The bytes end with a zero that is not counted. A null buffer has none: "" and 0. */
RW_API const char *rw_buffer_data(const rw_buffer *);
RW_API size_t rw_buffer_size(const rw_buffer *);
RW_API void rw_buffer_free(rw_buffer *);

/* A session with the built-in dialects, patterns, passes and pipelines. Null if there is no memory left. */
RW_API rw_session *rw_session_new(void);
/* One that has what the other has now; what either loads later the other does not get. */
RW_API rw_session *rw_session_copy(const rw_session *);
RW_API void rw_session_free(rw_session *);
/* Loads pattern files: {"files": [{"path": "my.rw", "text": "..."}], "import_dirs": ["..."]}; without "text" the file is read.
 * Answer: {"patterns": ["NAME", ...], "passes": [...], "pipelines": [...], "tests": N}. After an error nothing is loaded. */
RW_API int rw_session_load(rw_session *, const char *request, rw_buffer **answer);
/* Answer: {"patterns": [{"name", "doc", "file", "line", "fastmath"}], "passes": [{"name", "doc"}], "pipelines": [{"name", "text", "doc"}]}. */
RW_API int rw_session_list(const rw_session *, rw_buffer **answer);
/* Runs the tests that loaded files declare: {"tests": "GLOB"}.
 * Answer: {"passed": N, "failed": [{"name", "file", "line", "why"}]}. */
RW_API int rw_session_test(const rw_session *, const char *request, rw_buffer **answer);

/* Called as work goes on, with an object; not 0: stop. */
typedef int (*rw_progress)(const char *json, void *user);

/* Since 2. Proves the patterns that loaded files declare, or refutes them by an example: {"patterns": "GLOB"}. After each pattern `progress` is
 * called with its answer. Answer: {"answers": [{as rwc --verify --json}]}; a pattern that is refuted is no error. Takes a second or so for each. */
RW_API int rw_session_verify(const rw_session *, const char *request, rw_progress progress, void *user, rw_buffer **answer);

/* Reads .onnx, .rwir or .mlir by extension. Null and diagnostics if it cannot be read. Tensors in files of their own stay there. */
RW_API rw_model *rw_model_read(const rw_session *, const char *path, rw_buffer **answer);
/* Likewise of bytes: of an ONNX model, or of text if they begin as such; `name` is what diagnostics call them. */
RW_API rw_model *rw_model_from_bytes(const rw_session *, const void *bytes, size_t size, const char *name, rw_buffer **answer);
RW_API void rw_model_free(rw_model *);
/* Writes .onnx, .rwir or .mlir by extension; the whole file or nothing. */
RW_API int rw_model_write(rw_model *, const char *path, rw_buffer **answer);
/* The bytes of that file: `format` is "onnx", "rwir" or "mlir". */
RW_API int rw_model_bytes(rw_model *, const char *format, rw_buffer **bytes, rw_buffer **answer);
/* Functions, parameters, ops, attributes, types: as runtime/rw/trace/program_json.h says. */
RW_API int rw_model_describe(const rw_model *, rw_buffer **answer);

/* Optimises a model in place, as rw-opt does. `progress` is called between passes with {"pass": "...", "function": "...", "passes": N, "ops": N}. All keys may be left out:
 *   "pipeline": "onnx"          passes and pipelines; else that of the model's format
 *   "disable", "only": [...]    patterns by name, glob or label:NAME
 *   "fastmath": true | "reassoc,contract"
 *   "strict", "verify_each": false
 *   "max_rewrites": N
 *   "check": N, "check_tolerance": 1e-4     random inputs on which the outputs must agree
 *   "opset": N                  of a model that does not say its own
 *   "report": false             the page of `rw-opt --report`
 *   "rewrites": false           each rewrite (they are listened to, which takes time)
 *   "timing": false
 *   "input_shapes": {"x": [1, 3, 224, "W"]}   sizes and names of symbols (rw/optimize/interface.h)
 *   "inputs", "outputs": ["name", ...]        cuts the model there
 *   "keep": ["name", ...]       ops, by name or by a result's name, that stay as they are
 * Answer: {"statistics": {as rw-opt --stats=json}, "table": "as rw-opt --stats", "rewrites": [{"pattern", "pass", "function", "root",
 * "file", "line"}], "more_rewrites": N, "report": "<html>"}. On an error the model can only be freed. */
RW_API int rw_optimize(const rw_session *, rw_model *, const char *request, rw_progress progress, void *user, rw_buffer **answer);

/* Where a pattern matches, and elsewhere why not: {"pattern": "NAME", "at": "%y", "limit": 200}.
 * Answer: {"ops": [{"function", "op", "matches", "reasons": [{"condition", "file", "line"}], "starts_at": [...]}], "more": N}. */
RW_API int rw_match(const rw_session *, const rw_model *, const char *request, rw_buffer **answer);

/* What one model has that the other has not, as text: {"difference": "..."}. */
RW_API int rw_diff(rw_model *, rw_model *, rw_buffer **answer);

#ifdef __cplusplus
}
#endif
#endif
