#!/usr/bin/env python3
"""Tests of the lints: each finds what is planted for it, and nothing in a tree that is right."""
import contextlib
import io
import os
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import core_names
import deps
import pages
import top
import umbrella
from cpp_text import string_literals

GOOD = {
    "runtime/rw/support/a.h": "#pragma once\n#include <vector>\n",
    "runtime/rw/ir/b.h": '#include "rw/support/a.h"\n#include "rw/ir/c.h"\n',
    "runtime/rw/ir/b.cpp": '#include <llvm/ADT/DenseMap.h>\nauto s = "plain text"; // "transpose" in a comment\n',
    "runtime/rw/onnx/o.cpp": '#include <onnx/onnx_pb.h>\n#include "rw/ir/b.h"\n',
    "frontend/parse/p.cpp": '#include "RwParser.h"\n#include "frontend/ast/ast.h"\n#include <antlr4-runtime.h>\n',
    "tools/rw-opt/main.cpp": '#include "rw/passes/pass.h"\n#include "rw_builtin_register.h"\n',
    "patterns/t/t.rw": "dialect tensor;\nop transpose(x: tensor) -> tensor {\n}\n  op constant() -> tensor;\n",
}


def run(lint, changes):
    """(exit status, output) of a lint on the good tree with some files replaced."""
    with tempfile.TemporaryDirectory() as root:
        for path, text in {**GOOD, **changes}.items():
            full = os.path.join(root, path)
            os.makedirs(os.path.dirname(full), exist_ok=True)
            with open(full, "w") as f:
                f.write(text)
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            status = lint.main(root)
        return status, out.getvalue()


class LintTest(unittest.TestCase):
    def planted(self, lint, path, text, says):
        status, out = run(lint, {path: text})
        self.assertEqual(status, 1, out)
        self.assertIn(says, out)
        self.assertIn(", 1 violations", out)

    def test_the_good_tree_is_good(self):
        for lint in (deps, core_names, pages, top, umbrella):
            status, out = run(lint, {})
            self.assertEqual(status, 0, out)
            self.assertIn(", 0 violations", out)

    def test_pages(self):
        for text, says in [
            ("word " * 30, "a.md:1: 150 columns"),
            ("```rw\n" + "// word" * 20 + " end\n```\n", "a.md:2: 144 columns"),
            ("[there](nowhere.md)\n", "a.md:1: there is no nowhere.md"),
            ("# One\n[here](#two)\n", "a.md:2: there is no section #two"),
        ]:
            self.planted(pages, "docs/a.md", text, says)
        long_lines = "| " + "cell " * 40 + "|\n\n```console\n$ do\n" + "printed " * 20 + "\n```\n"
        self.assertEqual(run(pages, {"docs/a.md": long_lines})[0], 0)
        self.assertEqual(pages.fix("- " + "`a b` " * 40 + "\n").count("\n  `a b`"), 2)

    def test_deps(self):
        for path, text, says in [
            ("runtime/rw/ir/x.cpp", '#include "rw/rewrite/p.h"\n', "x.cpp:1: "),
            ("runtime/rw/support/x.cpp", '\n#include "rw/ir/b.h"\n', "x.cpp:2: "),
            ("runtime/rw/interp/x.h", '#include "rw/passes/pass.h"\n', "may not depend on runtime/rw/passes"),
            ("runtime/rw/passes/x.cpp", '#include "frontend/ast/ast.h"\n', "may not depend on frontend/ast"),
            ("runtime/rw/passes/x.cpp", '#include "codegen/plan/plan.h"\n', "may not depend on codegen/plan"),
            ("runtime/rw/passes/x.cpp", '#include "tensor/tensor.rw.h"\n', "generated code"),
            ("runtime/rw/passes/x.cpp", "#include <rw/onnx/o.h>\n", "may not depend on runtime/rw/onnx"),
            ("runtime/rw/new/x.cpp", "", "in no layer"),
            ("runtime/rw/ir/x.h", "#include <llvm/ADT/DenseMap.h>\n", "too heavy"),
            ("runtime/rw/ir/x.h", '#include "rw/support/failure.h"\n', "for sources alone"),
            ("runtime/rw/ir/x.cpp", '#include "../rewrite/p.h"\n', "include root"),
            ("frontend/check/x.cpp", '#include "frontend/parse/parse.h"\n', "may not depend on frontend/parse"),
            ("frontend/sema/x.cpp", '#include "frontend/check/check.h"\n', "may not depend on frontend/check"),
            ("frontend/sema/x.cpp", "#include <antlr4-runtime.h>\n", "may see ANTLR"),
            ("codegen/emit/x.cpp", '#include "RwLexer.h"\n', "may see ANTLR"),
            ("tools/rwc/x.cpp", '#include "RwLexer.h"\n', "may see ANTLR"),
            ("runtime/rw/ir/x.cpp", "#include <google/protobuf/message.h>\n", "may see ONNX"),
        ]:
            with self.subTest(path=path, text=text):
                self.planted(deps, path, text, says)

    def test_umbrella(self):
        self.planted(umbrella, "patterns/tensor/tensor.rw", "// nothing\n", "does not import patterns/t/t.rw")
        status, out = run(umbrella, {"patterns/tensor/tensor.rw": 'import "../t/t.rw";\nimport "../lib/l.rw";\n', "patterns/lib/l.rw": "fn f() -> int = 1;\n"})
        self.assertEqual((status, out.count("declares no op of tensor")), (1, 1), out)
        self.assertEqual(run(umbrella, {"patterns/tensor/tensor.rw": 'import "../t/t.rw";\n'})[0], 0)
        alone = {"patterns/own/own.rw": "dialect own;\nop f(x: tensor) -> tensor {\n}\n"}
        self.assertEqual(run(umbrella, alone)[0], 0)
        self.assertEqual(run(umbrella, {**alone, "patterns/own/more.rw": alone["patterns/own/own.rw"]})[0], 1)

    def test_top(self):
        for path in ("notes.txt", "scratch/a.py", "README.md/a", "build"):  # a folder is no file, nor a file a folder
            with self.subTest(path=path):
                self.planted(top, path, "", f"{path.split('/')[0]}: stray")
        ignore = {".gitignore": "# made\n/build/\n*.log\n"}
        for path in ("README.md", "docs/a.md", ".git", "build/a", "a.log"):
            self.assertEqual(run(top, {**ignore, path: ""})[0], 0, path)
        self.assertEqual(run(top, {**ignore, "build": ""})[0], 1)

    def test_core_names(self):
        for text, says in [
            ('bool f(S s) {\n  return s == "transpose";\n}\n', "x.cpp:2: the core names the op `transpose`"),
            ('auto m = "no tensor.transpose here";\n', "`tensor.transpose`"),
            ('auto m = "tensor.constant";\n', "`tensor.constant`"),
            ('auto m = R"(tensor.transpose)";\n', "`tensor.transpose`"),
        ]:
            with self.subTest(text=text):
                self.planted(core_names, "runtime/rw/passes/x.cpp", text, says)
        self.assertEqual(run(core_names, {"runtime/rw/passes/x.cpp": 'a = "constant"; b = "// transpose";\n'})[0], 0)

    def test_core_names_needs_ops(self):
        self.assertEqual(run(core_names, {"patterns/t/t.rw": "// op nothing\n"})[0], 1)

    def test_literals(self):
        text = """a = "x\\"y"; /* "no" */ c = '"'; n = 1'000; d = "after"; e = R"z(raw "q")z"; // "no\n"""
        self.assertEqual([t for _, t in string_literals(text)], ['x\\"y', "after", 'raw "q"'])


if __name__ == "__main__":
    unittest.main()
