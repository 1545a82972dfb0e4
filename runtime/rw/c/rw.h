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
 * Every answer is an object in UTF-8 with "diagnostics", a list as `--json-diagnostics` prints it: severity, tag,
 * message and, where known, file, line, column, endLine, endColumn, notes, fixIts. What else is in it stands at each
 * function. Whoever gets a buffer frees it.
 *
 * Threads: a session may be used by several threads at once for everything but rw_session_load, rw_session_add_pass and
 * rw_session_free; a model by one at a time. Sessions share nothing.
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

#define RW_C_VERSION 3

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
  RW_INTERNAL = 4,      /* a fault of rw, or no memory left; the model can only be freed */
  RW_PASS_FAILED = 5    /* since 3: a pass of the caller's said so; the model is as it was */
};

RW_API uint32_t rw_c_version(void);  /* RW_C_VERSION of the library */
RW_API const char *rw_version(void); /* "0.1.0" */

/* The bytes end with a zero that is not counted. A null buffer has none: "" and 0. */
RW_API const char *rw_buffer_data(const rw_buffer *);
RW_API size_t rw_buffer_size(const rw_buffer *);
RW_API void rw_buffer_free(rw_buffer *);

/* A session with the built-in dialects, patterns, passes and pipelines. Null if there is no memory left. */
RW_API rw_session *rw_session_new(void);
/* One that has what the other has now; what either loads later the other does not get. */
RW_API rw_session *rw_session_copy(const rw_session *);
RW_API void rw_session_free(rw_session *);
/* Loads pattern files: {"files": [{"path": "my.rw", "text": "..."}], "import_dirs": ["..."]}; without "text" the file
 * is read.
 * Answer: {"patterns": ["NAME", ...], "passes": [...], "pipelines": [...], "tests": N}. After an error nothing is
 *         loaded. */
RW_API int rw_session_load(rw_session *, const char *request, rw_buffer **answer);
/* Answer: {"patterns": [{"name", "doc", "file", "line", "fastmath"}], "passes": [{"name", "doc"}], "pipelines":
 * [{"name", "text", "doc"}]}. */
RW_API int rw_session_list(const rw_session *, rw_buffer **answer);
/* Runs the tests that loaded files declare: {"tests": "GLOB"}.
 * Answer: {"passed": N, "failed": [{"name", "file", "line", "why"}]}. */
RW_API int rw_session_test(const rw_session *, const char *request, rw_buffer **answer);

/* Called as work goes on, with an object; not 0: stop. */
typedef int (*rw_progress)(const char *json, void *user);

/* Since 2. Proves the patterns that loaded files declare, or refutes them by an example: {"patterns": "GLOB"}. After
 * each pattern `progress` is called with its answer. Answer: {"answers": [{as rwc --verify --json}]}; a pattern that is
 * refuted is no error. Takes a second or so for each. */
RW_API int rw_session_verify(const rw_session *, const char *request, rw_progress progress, void *user,
                             rw_buffer **answer);

/* Since 3. A function of a model while a pass of the caller's runs over it; gone when the pass returns. */
typedef struct rw_edit rw_edit;
/* A pass: gets the options of the pipeline's text as an object of texts, {"limit": "3"}. Not 0: it failed. Then the run
 * ends with RW_PASS_FAILED. A function that does not verify afterwards is an error of the run, RW_WRONG_INPUT. Either
 * way the model is as it was before the run. Several threads may be in it at once, each with a function of its own. */
typedef int (*rw_pass)(rw_edit *, const char *options, void *user);
/* Adds a pass to a session, so that pipelines can name it: {"name": "...", "doc": "..."}. Copies of the session have it
 * as well, and `pass` and `user` are used as long as there is one. */
RW_API int rw_session_add_pass(rw_session *, const char *request, rw_pass pass, void *user, rw_buffer **answer);
/* Looks at the function or changes it. Ops and values are numbers, which stay the same while the pass runs.
 *   {"ask": "function"}             {"name", "params": [value, ...], "ops": [op, ...]}: ops in order, each before those
 *                                   in its regions
 *   {"ask": "op", "op": 5}          {"kind", "label", "operands": [value or null, ...], "results": [...], "attrs":
 *                                   {...}, "defaults": {...}, "regions": [{"params": [...], "ops": [...]}], "parent":
 *                                   op or null, "next": op or null}
 *   {"ask": "value", "value": 7}    {"name", "type": "f32[B, 3]", "dtype", "shape": [size, symbol or null, ...] or
 *                                   null, "op": op or null, "index", "uses": [[op, operand], ...], "is_constant"}
 *   {"ask": "elements", "value": 7} of a constant: {"dtype", "shape", "splat"} and in *data its elements, row-major and
 *   little endian; of a splat
 *                                   one of them. Of texts: {"strings": [...]}
 *   {"do": "create", "kind": "onnx.Relu", "operands": [7, null], "attrs": {...}, "types": ["f32[2]"], "results": 1,
 *   "label": "name", "before": 5}
 *                                   {"op": op}. Without "types" they are inferred; "before" left out: at the end. A
 *                                   kind without declaration is taken as it is
 *   {"do": "constant", "dtype": "f32", "shape": [2], "strings": [...], "before": 5, "dialect": "onnx"}, and `bytes`
 *       {"op": op}
 *   {"do": "clone", "op": 5, "operands": [...], "before": 5}                     the same kind, attributes and regions
 *       on other operands
 *   {"do": "replace", "op": 5, "values": [8]}     the op goes. Ops that were created since the last "replace" or
 *       "erase" go on reading its results
 *   {"do": "replace_uses", "from": 7, "to": 8}    likewise
 *   {"do": "set_operand", "op": 5, "index": 0, "value": 7}
 *   {"do": "set_attr", "op": 5, "name": "axis", "value": 1}                      null: takes it away
 *   {"do": "erase", "op": 5}        whose results are not used
 * Attributes are numbers, texts, true, false and lists of them as their declaration has them, or {"text": "..."} as
 * .rwir text writes them. *data may be null where nothing is asked that needs it. What cannot be done is
 * RW_WRONG_INPUT, and the function as it was. */
RW_API int rw_edit_do(rw_edit *, const char *request, const void *bytes, size_t size, rw_buffer **data,
                      rw_buffer **answer);

/* Reads .onnx, .rwir or .mlir by extension. Null and diagnostics if it cannot be read. Tensors in files of their own
 * stay there. */
RW_API rw_model *rw_model_read(const rw_session *, const char *path, rw_buffer **answer);
/* Likewise of bytes: of an ONNX model, or of text if they begin as such; `name` is what diagnostics call them. */
RW_API rw_model *rw_model_from_bytes(const rw_session *, const void *bytes, size_t size, const char *name,
                                     rw_buffer **answer);
RW_API void rw_model_free(rw_model *);
/* Writes .onnx, .rwir or .mlir by extension; the whole file or nothing. */
RW_API int rw_model_write(rw_model *, const char *path, rw_buffer **answer);
/* Since 3. Likewise: {"external_data": "w.bin", "external_bytes": 1024, "bare_ops": false}: tensors of an ONNX model
 * that take so many bytes or more go to that file beside it, those that are in other files already as well. */
RW_API int rw_model_write_as(rw_model *, const char *path, const char *request, rw_buffer **answer);
/* Since 3. Takes the tensors that an ONNX model has in other files into memory; of a model that was just read. */
RW_API int rw_model_read_tensors(const rw_session *, rw_model *, rw_buffer **answer);
/* The bytes of that file: `format` is "onnx", "rwir" or "mlir". */
RW_API int rw_model_bytes(rw_model *, const char *format, rw_buffer **bytes, rw_buffer **answer);
/* Functions, parameters, ops, attributes, types: as runtime/rw/trace/program_json.h says. */
RW_API int rw_model_describe(const rw_model *, rw_buffer **answer);

/* Optimises a model in place, as rw-opt does. `progress` is called between passes, and now and then while a check
 * evaluates, with {"pass": "...", "function": "...", "passes": N, "ops": N}. All keys may be left out:
 *   "pipeline": "onnx"          passes and pipelines; else that of the model's format
 *   "disable", "only": [...]    patterns by name, glob or label:NAME
 *   "fastmath": true | "reassoc,contract"
 *   "strict", "verify_each": false
 *   "max_rewrites": N
 *   "max_fold_bytes": N         since 3: no constant that is larger is computed beforehand; 0: none at all
 *   "check": N, "check_tolerance": 1e-4     random inputs on which the outputs must agree
 *   "check_shapes": {...}       since 3: shapes of inputs that "check" draws, as "input_shapes"
 *   "opset": N                  the operator set of a program that is no model; since 3: of a model, the one it is
 *                               converted to first
 *   "fp16": true | "io"         since 3: computes in f16 after all else, "io": with inputs and results of f16;
 *                               "check_tolerance" is then 1e-2
 *   "keep_fp32": ["Softmax", ...]    since 3: ops that "fp16" leaves: kinds, names, globs
 *   "report": false             the page of `rw-opt --report`
 *   "rewrites": false           each rewrite (they are listened to, which takes time)
 *   "timing": false
 *   "input_shapes": {"x": [1, 3, 224, "W"]}   sizes and names of symbols (rw/optimize/interface.h)
 *   "freeze_defaults": false    since 3: inputs that have a default are constants
 *   "inputs", "outputs": ["name", ...]        cuts the model there
 *   "keep": ["name", ...]       ops, by name or by a result's name, that stay as they are
 * Answer: {"statistics": {as rw-opt --stats=json}, "table": "as rw-opt --stats", "rewrites": [{"pattern", "pass",
 *         "function", "root",
 * "file", "line"}], "more_rewrites": N, "report": "<html>"}. On an error the model can only be freed. */
RW_API int rw_optimize(const rw_session *, rw_model *, const char *request, rw_progress progress, void *user,
                       rw_buffer **answer);

/* Where a pattern matches, and elsewhere why not: {"pattern": "NAME", "at": "%y", "limit": 200}.
 * Answer: {"ops": [{"function", "op", "matches", "reasons": [{"condition", "file", "line"}], "starts_at": [...],
 *         "bound": {"x": ...}}],
 * "more": N}. Since 3: "bound" has the names of a pattern that was loaded, where it matches: {"value": "%x", "type":
 * "f32[2]"}, or null for an operand that is left out, {"values": [...]}, {"op": "onnx.Mul %m"}, or {"text": "[0, 1]"}
 * of what is none of these. */
RW_API int rw_match(const rw_session *, const rw_model *, const char *request, rw_buffer **answer);

/* What one model has that the other has not, as text: {"difference": "..."}. */
RW_API int rw_diff(rw_model *, rw_model *, rw_buffer **answer);

#ifdef __cplusplus
}
#endif
#endif
