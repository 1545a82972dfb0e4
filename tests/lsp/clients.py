#!/usr/bin/env python3
"""What editor/ holds for editors, with the editors themselves: Neovim, Vim, Emacs, Node; what is not there is left out.

usage: clients.py --server PATH --source DIR
"""
import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import zipfile

from client import Client

OPTIONS = argparse.Namespace(server=None, source=None)
SAMPLE = """import "tensor/tensor.rw";

/// Two are one.
pattern DoubleRelu benefit 2 {
  tensor.relu(tensor.relu(x))
  where x.rank > 1
  => tensor.relu(x)
}
"""
WRONG = SAMPLE.replace("  => tensor.relu(x)", "  => tensor.rellu(x)")


def editor(*path):
    return os.path.join(OPTIONS.source, "editor", *path)


def read(*path):
    with open(editor(*path), encoding="utf-8") as text:
        return text.read()


def needs(program):
    return unittest.skipUnless(shutil.which(program), f"{program} is not there")


def run(command, **more):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=120, check=False, text=True, **more)
    if done.returncode:
        raise AssertionError(f"{command} ends with {done.returncode}:\n{done.stdout}")
    return done.stdout


class Texts(unittest.TestCase):
    def keywords(self):
        with open(os.path.join(OPTIONS.source, "grammar", "RwLexer.g4"), encoding="utf-8") as grammar:
            return re.findall(r"^[A-Z_]+: '([a-z_]{2,})';", grammar.read(), re.M)

    def test_every_keyword_has_a_colour(self):
        words = self.keywords()
        self.assertGreater(len(words), 40)
        for path in (("vscode", "syntaxes", "rw.tmLanguage.json"), ("vim", "syntax", "rw.vim"), ("emacs", "rw-mode.el")):
            text = read(*path)
            missing = [word for word in words if not re.search(rf"\b{word}\b", text)]
            self.assertEqual(missing, [], path)

    def test_every_element_type_has_a_colour(self):
        with open(os.path.join(OPTIONS.source, "frontend", "sema", "builtins.cpp"), encoding="utf-8") as source:
            table = re.search(r"kDTypes\[\] = \{(.*?)\};", source.read(), re.S).group(1)
        types = re.findall(r'"(\w+)"', table)
        grammar = json.loads(read("vscode", "syntaxes", "rw.tmLanguage.json"))["repository"]["type"]["match"]
        for name in types:
            self.assertRegex(f"x: {name}[2]", grammar)
            self.assertIn(name, re.search(grammar, f"x: {name}[2]").group())

    def scopes(self, line):
        """The scope of each piece of a line, as a TextMate grammar gives it."""
        grammar = json.loads(read("vscode", "syntaxes", "rw.tmLanguage.json"))
        rules = []

        def gather(patterns):
            for each in patterns:
                if "include" in each:
                    name = each["include"]
                    if name.startswith("#"):
                        rule = grammar["repository"][name[1:]]
                        gather(rule["patterns"] if "match" not in rule and "begin" not in rule else [rule])
                else:
                    rules.append(each)
        gather(grammar["patterns"])
        out, at = [], 0
        while at < len(line):
            found = [(m.start(), number, rule, m) for number, rule in enumerate(rules)
                     if (m := re.compile(rule.get("match") or rule["begin"]).search(line, at))]
            if not found:
                break
            _, _, rule, m = min(found, key=lambda f: f[:2])
            end = m.end()
            if "begin" in rule:
                stop = re.compile(rule["end"]).search(line, m.end())
                end = stop.end() if stop else len(line)
                out.append((line[m.start():end], rule["name"]))
            elif "captures" in rule:
                out += [(m.group(int(group)), capture["name"]) for group, capture in rule["captures"].items()]
            else:
                out.append((m.group(), rule["name"]))
            at = max(end, at + 1)
        return out

    def test_the_grammar_colours_as_one_reads(self):
        self.assertEqual(self.scopes("/// Two are one."), [("/// Two are one.", "comment.line.documentation.rw")])
        self.assertEqual(self.scopes('import "onnx/onnx.rw";'), [("import", "keyword.declaration.rw"), ('"onnx/onnx.rw"', "string.quoted.double.rw")])
        self.assertEqual(self.scopes("pattern Twice_{f} benefit 2 {"),
                         [("pattern", "keyword.declaration.rw"), ("Twice_{f}", "entity.name.type.rw"), ("benefit", "storage.modifier.rw"), ("2", "constant.numeric.rw")])
        self.assertEqual(self.scopes("onnx.Relu(x, axis = a) where x.type == f32[2]"),
                         [("onnx", "entity.name.namespace.rw"), ("Relu", "entity.name.function.rw"), ("axis", "variable.other.property.rw"), ("=", "keyword.operator.rw"),
                          ("where", "keyword.control.rw"), ("==", "keyword.operator.rw"), ("f32", "support.type.rw"), ("2", "constant.numeric.rw")])
        self.assertEqual(self.scopes("constraint fits(x: value) [{ return true; }]")[-1], ("[{ return true; }]", "meta.embedded.block.cpp"))

    def test_files_of_the_extension_are_there(self):
        package = json.loads(read("vscode", "package.json"))
        contributes = package["contributes"]
        for path in ([package["main"]] + [x["configuration"] for x in contributes["languages"]] + [x["path"] for x in contributes["grammars"] + contributes["snippets"]]):
            self.assertTrue(os.path.exists(editor("vscode", path)), path)
        settings = {name.removeprefix("rw.") for name in contributes["configuration"]["properties"]} - {"server"}
        with open(os.path.join(OPTIONS.source, "docs", "editor.md"), encoding="utf-8") as page:
            self.assertEqual(settings, set(re.findall(r"^\| `(\w+)` \|", page.read(), re.M)))

    def test_snippets_are_right(self):
        snippets = json.loads(read("vscode", "snippets", "rw.json"))
        head = 'import "onnx/onnx.rw";\npattern Name { onnx.Relu(onnx.Relu(x)) => onnx.Relu(x) }\n'
        with Client([OPTIONS.server]) as client:
            for name, snippet in snippets.items():
                text = "\n".join(snippet["body"])
                while "${" in text:
                    text = re.sub(r"\$\{\d+:([^${}]*|\{[^${}]*\})\}", r"\1", re.sub(r"\$\{\d+:([^${}]*)\}", r"\1", text))
                text = (head if "Name" in text and "pattern" not in name else head.split("\n", maxsplit=1)[0] + "\n" + ("dialect t;\n" if name == "op" else "")) + text + "\n"
                if name == "pass":
                    text = text.replace("{ Pattern; }", "{ Name; }").replace(head.split("\n", maxsplit=1)[0] + "\n", head)
                path = f"/snippet/{snippet['prefix']}.rw"
                client.open(path, text)
                wrong = [d["message"] for d in client.diagnostics(path) if d["severity"] == 1]
                self.assertEqual(wrong, [], f"{name}:\n{text}")


class Editors(unittest.TestCase):
    def setUp(self):
        self.folder = os.path.realpath(tempfile.mkdtemp(prefix="rw-editor-"))
        self.addCleanup(shutil.rmtree, self.folder)
        for name, text in (("right.rw", SAMPLE), ("wrong.rw", WRONG)):
            with open(os.path.join(self.folder, name), "w", encoding="utf-8") as out:
                out.write(text)
        self.env = dict(os.environ, HOME=self.folder, XDG_CONFIG_HOME=self.folder, XDG_DATA_HOME=self.folder, XDG_STATE_HOME=self.folder, XDG_CACHE_HOME=self.folder)

    @needs("nvim")
    def test_neovim(self):
        script = os.path.join(self.folder, "check.lua")
        out = os.path.join(self.folder, "out.json")
        with open(script, "w", encoding="utf-8") as text:
            text.write("""
local out = {}
vim.wait(60000, function() return #vim.diagnostic.get(0) > 0 end, 20)
for _, d in ipairs(vim.diagnostic.get(0)) do out.diagnostic = { d.lnum, d.col, d.message } end
local params = vim.lsp.util.make_position_params()
params.position = { line = 4, character = 12 }
local hover = vim.lsp.buf_request_sync(0, 'textDocument/hover', params, 60000)
for _, r in pairs(hover) do out.hover = r.result.contents.value end
out.syntax = vim.fn.synIDattr(vim.fn.synID(4, 1, 1), 'name')
out.filetype = vim.bo.filetype
out.shift = vim.bo.shiftwidth
vim.fn.writefile({ vim.json and vim.json.encode(out) or vim.fn.json_encode(out) }, '%s')
vim.cmd('qall!')
""" % out)
        run(["nvim", "--headless", "--clean", "--cmd", f"set runtimepath^={editor('vim')}", "--cmd", "filetype plugin on", "--cmd", "syntax on",
             "--cmd", f"lua require('rw').setup({{ cmd = {{ '{OPTIONS.server}' }} }})", os.path.join(self.folder, "wrong.rw"), "-c", f"luafile {script}"], env=self.env)
        with open(out, encoding="utf-8") as text:
            answer = json.load(text)
        self.assertEqual(answer["filetype"], "rw")
        self.assertEqual(answer["shift"], 2)
        self.assertEqual(answer["syntax"], "rwDeclaration")
        self.assertEqual(answer["diagnostic"][:2], [6, 5])
        self.assertIn("no op named `tensor.rellu`", answer["diagnostic"][2])
        self.assertIn("op relu(x: tensor)", answer["hover"])

    @needs("vim")
    def test_vim(self):
        out = os.path.join(self.folder, "out.txt")
        places = {"pattern": (4, 1), "name": (4, 9), "benefit": (4, 20), "string": (1, 9), "doc": (3, 2), "where": (6, 3), "number": (6, 18), "call": (5, 10)}
        lines = "".join(f"call add(g:out, '{what} ' .. synIDattr(synID({line}, {column}, 1), 'name'))\n" for what, (line, column) in places.items())
        script = os.path.join(self.folder, "check.vim")
        with open(script, "w", encoding="utf-8") as text:
            text.write(f"let g:out = []\n{lines}call writefile(g:out, '{out}')\nqall!\n")
        try:
            run(["vim", "-u", "NONE", "-i", "NONE", "-n", "-es", "--cmd", f"set nocompatible runtimepath^={editor('vim')}", "--cmd", "filetype plugin on", "--cmd", "syntax on",
                 os.path.join(self.folder, "right.rw"), "-S", script], env=self.env)
        except AssertionError:  # a small Vim, without colours
            if "-syntax" in run(["vim", "--version"]) or "-eval" in run(["vim", "--version"]):
                self.skipTest("this Vim has no colours")
            raise
        with open(out, encoding="utf-8") as text:
            found = dict(line.split() for line in text.read().splitlines())
        self.assertEqual(found, {"pattern": "rwDeclaration", "name": "rwName", "benefit": "rwModifier", "string": "rwString", "doc": "rwDoc", "where": "rwControl",
                                 "number": "rwNumber", "call": "rwCall"})

    @needs("emacs")
    def test_emacs(self):
        script = os.path.join(self.folder, "check.el")
        with open(script, "w", encoding="utf-8") as text:
            text.write("""
(add-to-list 'load-path "%s")
(require 'rw-mode)
(find-file "%s/right.rw")
(font-lock-ensure)
(princ (format "mode %%s\\n" major-mode))
(dolist (place '((4 . 0) (4 . 8) (3 . 0) (1 . 8) (6 . 2)))
  (goto-char (point-min)) (forward-line (1- (car place))) (move-to-column (cdr place))
  (princ (format "%%s:%%s %%s\\n" (car place) (cdr place) (get-text-property (point) 'face))))
(let ((before (buffer-string)))
  (indent-region (point-min) (point-max))
  (princ (format "indent %%s\\n" (equal before (buffer-string)))))
(goto-char (point-min)) (forward-line 3)
(comment-line 1)
(goto-char (point-min)) (forward-line 3)
(princ (buffer-substring (line-beginning-position) (+ 4 (line-beginning-position))))
(set-buffer-modified-p nil)
""" % (editor("emacs"), self.folder))
        out = run(["emacs", "--batch", "-Q", "-l", script], env=self.env)
        self.assertEqual(out.splitlines()[-8:], ["mode rw-mode", "4:0 font-lock-keyword-face", "4:8 font-lock-function-name-face", "3:0 font-lock-comment-delimiter-face",
                                                 "1:8 font-lock-string-face", "6:2 font-lock-keyword-face", "indent t", "// p"])

    @needs("emacs")
    def test_emacs_with_eglot(self):
        load = ["emacs", "--batch", "-q", "--eval", "(progn (require 'package) (package-initialize))"]
        if subprocess.run(load + ["--eval", "(require 'eglot)"], stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL, check=False, timeout=120).returncode:
            self.skipTest("this Emacs has no Eglot")
        script = os.path.join(self.folder, "check.el")
        with open(script, "w", encoding="utf-8") as text:
            text.write("""
(add-to-list 'load-path "%s")
(require 'rw-mode)
(require 'eglot)
(setq rw-server-command '("%s"))
(setq eglot-sync-connect 60)
(find-file "%s/wrong.rw")
(apply #'eglot (eglot--guess-contact))
(let ((n 0))
  (while (and (< n 600) (not (flymake-diagnostics))) (accept-process-output nil 0.1) (setq n (1+ n))))
(dolist (d (flymake-diagnostics)) (princ (format "says %%s\\n" (flymake-diagnostic-text d))))
(ignore-errors (eglot-shutdown (eglot-current-server)))
""" % (editor("emacs"), OPTIONS.server, self.folder))
        out = run(load + ["-l", script], env=self.env)
        self.assertIn("no op named `tensor.rellu`", out)

    @needs("npm")
    @unittest.skipUnless(os.environ.get("RW_TEST_NPM"), "packing asks the registry of npm, which RW_TEST_NPM=1 permits")
    def test_vscode_package(self):
        """The extension as it is installed has all that it needs in it."""
        with tempfile.TemporaryDirectory() as folder:
            packed = shutil.copytree(editor("vscode"), os.path.join(folder, "vscode"), ignore=shutil.ignore_patterns("node_modules", "*.vsix"))
            done = subprocess.run(["bash", os.path.join(packed, "pack")], capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            (vsix,) = [name for name in os.listdir(packed) if name.endswith(".vsix")]
            with zipfile.ZipFile(os.path.join(packed, vsix)) as archive:
                archive.extractall(os.path.join(folder, "out"))
            root = os.path.join(folder, "out", "extension")
            with open(os.path.join(root, "package.json"), encoding="utf-8") as file:
                package = json.load(file)
            for path in (package["main"], *(g["path"] for g in package["contributes"]["grammars"]), *(s["path"] for s in package["contributes"]["snippets"])):
                self.assertTrue(os.path.exists(os.path.join(root, path)), path)
            # All that the extension asks for is there but `vscode`, which the editor has.
            script = os.path.join(folder, "look.js")
            with open(script, "w", encoding="utf-8") as file:
                file.write("const Module = require('module');\nconst load = Module._load;\n"
                           "Module._load = (name, ...more) => (name === 'vscode' ? new Proxy(class {}, { get: (t, key) => class {} }) : load(name, ...more));\n"
                           f"console.log(Object.keys(require({json.dumps(os.path.join(root, package['main']))})).join());\n")
            self.assertIn("activate", run(["node", script]))

    @needs("node")
    def test_vscode_extension(self):
        script = os.path.join(self.folder, "check.js")
        with open(script, "w", encoding="utf-8") as text:
            text.write("""
const Module = require('module');
const load = Module._load;
const made = [];
const none = { dispose() {} };
Module._load = function (name, ...rest) {
  if (name === 'vscode') {
    return {
      workspace: { getConfiguration: () => ({ get: (key) => ({ server: 'rw-lsp', model: 'm.onnx', importDirs: ['a'], runTests: true, prove: false, wholeUpTo: 5 })[key] }),
                   createFileSystemWatcher: () => none, onDidChangeConfiguration: () => none },
      window: { createOutputChannel: () => none, showErrorMessage: (text) => made.push(text) },
      commands: { registerCommand: (command) => { made.push(command); return none; } },
    };
  }
  if (name === 'vscode-languageclient/node') {
    return { LanguageClient: class { constructor(...given) { made.push(given[2].command, given[3].initializationOptions); } start() { return Promise.resolve(); } stop() { return Promise.resolve(); } } };
  }
  return load.call(this, name, ...rest);
};
const extension = require('%s');
extension.activate({ subscriptions: [] }).then(() => {
  const text = extension.reportOf({ trouble: '', model: 'm.onnx', modelOps: 7, tests: [{ line: 3, name: 'P', passes: false, why: 'because' }],
    patterns: [{ name: 'P', line: 2, matches: 4, examples: ['@main relu'], misses: [{ condition: 'c', line: 2, count: 1, example: '@main exp' }], notTried: 0 }] });
  const proof = extension.proofOf({ verdict: 'refuted', text: 'result 0 differs', counterexample: 'test P (x: f32[2]) {}' });
  const page = extension.pageOf({ model: 'm<b>.onnx', trouble: '', rewrites: [{ pattern: 'P', root: '<i>', before: '<svg></svg>', after: '' }] });
  console.log(JSON.stringify({ made, text, proof, page }));
});
""" % editor("vscode", "extension.js"))
        answer = json.loads(run(["node", script]))
        self.assertEqual(answer["made"], ["rw.report", "rw.draw", "rw.restart", "rw-lsp", {"importDirs": ["a"], "model": "m.onnx", "runTests": True, "prove": False, "wholeUpTo": 5}])
        for part in ("line 3, P: fails", "because", "Matches 4 times.", "nearly, 1 times, as at @main exp: it needs `c`"):
            self.assertIn(part, answer["text"])
        self.assertIn("default-src 'none'", answer["page"])
        self.assertIn("P at &#60;i&#62;", answer["page"])
        self.assertNotIn("<b>", answer["page"])
        self.assertEqual(answer["proof"].splitlines()[0], "**refuted**")
        self.assertIn("test P (x: f32[2]) {}", answer["proof"])


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--server", required=True)
    parser.add_argument("--source", required=True)
    options, rest = parser.parse_known_args()
    OPTIONS.server, OPTIONS.source = os.path.abspath(options.server), os.path.abspath(options.source)
    unittest.main(argv=[sys.argv[0]] + rest)
