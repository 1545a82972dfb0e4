#!/usr/bin/env python3
"""rwc --verify: what it says of rewrites that are known to be wrong, and of their repairs.

In:  --rwc, --source. Above each pattern of tests/verify/*.rw stands what it must be: `expect refuted P;`.
Out: a line for each pattern of which something else is said or nothing is expected, for each counterexample that `rwc --test` does not fail on, for each object that lacks a
     field, and for each question to which cvc5 has another answer; how many questions there were and how many cvc5
     answered (it gives up after 20 seconds); exit status 1 if there is a complaint.
"""
import argparse
import concurrent.futures
import glob
import json
import os
import shutil
import subprocess
import sys
import tempfile

FIELDS = ["pattern", "file", "line", "verdict", "expected", "scope", "arithmetic", "instances", "branches", "per_branch", "reason", "counterexample"]

# How many questions Z3 answered, and of how many cvc5 says the same. An entry is appended for each: appending is safe between threads.
asked = []


def check(rwc, path):
    # Mistakes that are rare take many programs; what the others say is said of the first ones.
    name = os.path.basename(path)
    isRare = name.startswith("mistakes_") or name == "elsewhere.rw"
    programs = 20000 if name == "mistakes_rarest.rw" else 2000 if isRare else 400
    with tempfile.TemporaryDirectory() as evidence:
        run = subprocess.run([rwc, "--verify", "--json", f"--programs={programs}", "--evidence", evidence, path], capture_output=True, text=True)
        answers = {}
        for line in run.stdout.splitlines():
            answer = json.loads(line)
            answers[answer["pattern"]] = answer
            for field in FIELDS:
                if field not in answer:
                    yield f"{path}: {answer['pattern']}: there is no {field}"
        if run.returncode or not answers:
            yield f"{path}: the exit status is {run.returncode}: {run.stderr}"
        questions = sorted(glob.glob(os.path.join(evidence, "*.smt2")))
        for question in questions:
            if not shutil.which("cvc5"):
                asked.append(False)
                continue
            # Floats of 16 bits are behind an option of cvc5.
            second = subprocess.run(["cvc5", "--fp-exp", "--tlimit=20000", question], capture_output=True, text=True)
            answer = second.stdout.strip()
            asked.append(answer == "unsat")
            if answer == "sat":
                yield f"{question}: cvc5 finds values at which the two sides differ"
            elif answer not in ("unsat", "unknown") and "timeout" not in second.stdout + second.stderr:
                yield f"{question}: cvc5 cannot read it: {answer}{second.stderr}"
        for name, answer in answers.items():
            verdict = answer["verdict"]
            if answer["expected"] != verdict:
                yield f"{path}: {name} is {verdict}, not {answer['expected']}: {answer['reason']}"
            if verdict not in ("refuted", "tag") or verdict == "tag" and answer["counterexample"] is None:
                continue # of a tag that is not needed there is nothing to show
            test = os.path.join(evidence, name + ".rw")
            if not os.path.exists(os.path.join(evidence, name + ".rwir")):
                yield f"{path}: {name}: there is no model"
            if not os.path.exists(test):
                yield f"{path}: {name}: there is no test"
                continue
            tried = subprocess.run([rwc, "--test", test], capture_output=True, text=True)
            if tried.returncode != 1 or "1 failed" not in tried.stdout:
                yield f"{path}: {name}: its counterexample does not fail: {tried.stdout}{tried.stderr}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rwc", required=True)
    parser.add_argument("--source", required=True)
    args = parser.parse_args()
    files = sorted(glob.glob(os.path.join(args.source, "tests/verify/*.rw")))
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        bad = [line for lines in pool.map(lambda path: list(check(args.rwc, path)), files) for line in lines]
    print("\n".join(bad))
    second = f"cvc5 agrees on {sum(asked)}" if shutil.which("cvc5") else "cvc5 is not installed"
    print(f"{len(files)} files, {len(asked)} questions to a solver, {second}; {len(bad)} complaints")
    return 1 if bad or not files or not asked else 0


if __name__ == "__main__":
    sys.exit(main())
