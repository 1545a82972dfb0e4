#!/usr/bin/env python3
"""What shells and `man` read about a program says what its --help says: command_lines.py PROGRAM...

Every option of --help stands in the manual page and in both completions; bash completes options, words, passes and files.
"""
import os
import re
import subprocess
import sys
import tempfile

COMPLETE = """program=$1
source <("$program" --completion=bash)
shift
name=$(basename "$program")
COMP_WORDS=("$program" "$@")
COMP_CWORD=$#
_"${name//-/_}" "$program"
printf '%s\\n' "${COMPREPLY[@]}"
"""
# What is typed, and what it becomes; of a program that has the option.
TYPED = [
    (["--completion", "b"], "bash"),
    (["--completion", "=", "z"], "zsh"),
    (["--pipel"], "--pipeline"),
    (["--pipeline", "=", "onnx_s"], "onnx_safe"),
    (["--why-not", "MergeTransposes_t"], "MergeTransposes_tensor"),
    (["--stats", "=", "j"], "json"),
    (["--stats", "fi"], "file.rw"),
    (["-o", "fi"], "file.rw"),
    (["--check", "fi"], {"rwc": "file.rw", "rw-opt": ""}),  # a job, and a number
    (["--format", "=", "w"], "write"),
    (["fi"], "file.rw"),
]


def printed(*command, **options):
    done = subprocess.run(command, capture_output=True, text=True, **options)
    if done.returncode != 0 or done.stderr:
        sys.exit(f"{' '.join(command)}: exit status {done.returncode}\n{done.stderr}")
    return done.stdout


def main():
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "file.rw"), "w"):
            pass
        for program in sys.argv[1:]:
            name = os.path.basename(program)
            options = [o for o in re.findall(r"^  (--?[A-Za-z][\w-]*)", printed(program, "--help"), re.M) if o != "--help-list"]  # LLVM's own
            page = printed(program, "--man")
            bash = printed(program, "--completion=bash")
            zsh = printed(program, "--completion=zsh")
            known = set(bash.split('words="')[-1].split('"')[0].split())
            if len(options) < 10:
                sys.exit(f"command_lines: no options in {name} --help")
            for option in options:
                for what, there in (
                    ("the manual page", f"\\fB{option.replace('-', chr(92) + '-')}\\fR" in page),
                    ("bash's completion", option in known),
                    ("zsh's completion", re.search(rf"^  '\*?{option}[\[=+]", zsh, re.M)),
                ):
                    if not there:
                        failed += 1
                        print(f"{name}: {what} lacks {option}")
            for words, expected in TYPED:
                expected = expected[name] if isinstance(expected, dict) else expected
                if words[0].startswith("--") and not any(option.startswith(words[0]) for option in options):
                    continue
                seen = printed("bash", "-c", COMPLETE, "bash", program, *words, cwd=folder).split()
                if seen != expected.split():
                    failed += 1
                    print(f"{name} {' '.join(words)}: expected {expected!r}, seen {seen}")
    if failed:
        sys.exit(1)


if __name__ == "__main__":
    main()
