#!/usr/bin/env python3
"""Tests of the golden runner itself: it must notice every kind of difference, and --update must mend it."""
import os
import subprocess
import sys
import tempfile
import unittest

RUN = os.path.join(os.path.dirname(os.path.abspath(__file__)), "run.py")

GOOD = """# Prints what it reads, to both streams, and fails.
$ cat in.txt; echo "at $PWD/x and $RW/y" >&2
$ printf '====x\\n\\\\b\\nno end' > out.txt
$ exit 3
$ echo never
==== file in.txt
line
\\==== not a section
==== hex b/raw.bin
00 ff
41
==== stdout
line
\\==== not a section
==== stderr
at $TMP/x and $RW/y
==== output out.txt
\\====x
\\\\b
no end
\\ no newline
==== absent other.txt
==== exit 3
"""


class RunnerTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.path = os.path.join(self.folder.name, "t.golden")

    def tearDown(self):
        self.folder.cleanup()

    def run_text(self, text, *flags):
        with open(self.path, "w") as f:
            f.write(text)
        done = subprocess.run([sys.executable, RUN, self.path, *flags], capture_output=True, text=True)
        with open(self.path) as f:
            return done.returncode, done.stdout, f.read()

    def test_good_passes(self):
        code, out, text = self.run_text(GOOD)
        self.assertEqual((code, out, text), (0, "1 passed, 0 failed\n", GOOD))

    def test_each_difference_fails_and_update_mends(self):
        for old, new in [("==== stdout\nline", "==== stdout\nother"), ("$TMP/x", "$TMP/z"), ("==== exit 3\n", ""),
                         ("==== exit 3", "==== exit 2"), ("\\ no newline\n", ""), ("==== stderr\nat $TMP/x and $RW/y\n", "")]:
            bad = GOOD.replace(old, new)
            self.assertNotEqual(bad, GOOD)
            code, out, text = self.run_text(bad)
            self.assertEqual(code, 1, new)
            self.assertIn("0 passed, 1 failed", out)
            self.assertEqual(text, bad)
            code, out, text = self.run_text(bad, "--update")
            self.assertEqual((code, text), (0, GOOD))

    def test_lines_of_builtin_patterns_are_not_shown(self):
        own = "==== file sink.rw\nx\n"
        said = "echo 'by P at sink.rw:12'; echo 'by Q at layout/transpose.rw:3'; echo 'by R at mine.rw:4'"
        head = f"# Lines.\n$ {said}\n"
        rest = "==== stdout\nby P at sink.rw%s\nby Q at layout/transpose.rw\nby R at mine.rw:4\n"
        self.assertEqual(self.run_text(head + rest % "")[0], 0)
        self.assertEqual(self.run_text(head + own + rest % ":12")[0], 0)

    def test_missing_and_unwanted_files_fail(self):
        self.assertEqual(self.run_text(GOOD.replace("output out.txt", "output gone.txt"))[0], 1)
        code, out, _ = self.run_text(GOOD.replace("absent other.txt", "absent out.txt"), "--update")
        self.assertEqual(code, 1)
        self.assertIn("left behind: out.txt", out)

    def test_malformed_files_fail(self):
        for bad in ["$ true\n", "# Intent.\n", "# Intent.\n$ true\n==== bogus\n", "# Intent.\nstray\n$ true\n",
                    "# Intent.\n$ true\n==== hex a\nzz\n"]:
            code, out, _ = self.run_text(bad, "--update")
            self.assertEqual(code, 1, bad)
            self.assertIn("0 passed, 1 failed", out)

    def test_a_crash_cannot_become_expected(self):
        code, out, _ = self.run_text("# Crashes.\n$ bash -c 'kill -SEGV $$'\n", "--update")
        self.assertEqual(code, 1)
        self.assertIn("crashed", out)

    def test_a_failing_part_of_a_pipe_fails(self):
        self.assertEqual(self.run_text("# Pipe.\n$ false | true\n==== exit 1\n")[0], 0)

    def test_what_is_not_built_is_named_once(self):
        text = "# Needs what is not there.\n$ rw-opt-test in.rwir\n$ cp $X/../lib/libtest_gone.so .\n"
        bin_dir = os.path.join(self.folder.name, "build", "bin")
        os.makedirs(bin_dir)
        code, out, after = self.run_text(text, os.path.join(self.folder.name, "t.golden"), "--update", "--bin", bin_dir)
        build = os.path.relpath(os.path.dirname(bin_dir))
        told = [f"{target} is not built, and 2 of the tests need it: cmake --build {build} --target {target}\n"
                for target in ("rw-opt-test", "test_gone")]
        self.assertEqual((code, out, after), (1, "".join(told) + "0 passed, 2 failed\n", text))

    def test_no_tests_is_a_failure(self):
        done = subprocess.run([sys.executable, RUN, self.folder.name], capture_output=True, text=True)
        self.assertEqual(done.returncode, 1)
        self.assertIn("0 passed, 0 failed", done.stdout)


if __name__ == "__main__":
    unittest.main()
