#!/usr/bin/env python3
"""What `rwc --check` says of declarations that are wrong by one token: deleted, written twice, swapped with the next, or another of its kind.

In:  --rwc; FILES whose declarations are broken, or none: those of one_token/declarations.rw, beside this file. --every N takes each Nth
     mistake, --only a regular expression on names of declarations.
Out: for the files given, the mistakes that are accepted without a word, as `file:line: NAME: kind: text`; read them for classes of mistakes that
     nobody is told of. Without files: exit status 1 if what is accepted is not what one_token/accepted.txt lists, each with the reason
     why it is no mistake or cannot be told; --update writes the list, reasons kept.

A file is checked with one declaration broken, the rest as it was. Whole run: tests/system/one_token.py --rwc build/test/bin/rwc patterns/*/*.rw
"""
import argparse
import concurrent.futures
import os
import random
import re
import subprocess
import sys
import tempfile

HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "one_token")
TOKEN = re.compile(r'"[^"\n]*"|[A-Za-z_][\w]*(?:\{\w+\}\w*)*|\d+\.\d+|\d+|=>|->|\.\.\.|\.\.|::|==|!=|<=|>=|\+\+|[^\s\w]')
DECLARATION = re.compile(r"^(for\b|pattern\b|match\b|rewrite\b|set\b|trait\b|fn\b|op\b|pass\b|pipeline\b)", re.M)
KINDS = [["==", "!=", "<", "<=", ">", ">="], ["+", "-", "*", "/", "%"], ["and", "or"], ["(", "["], [")", "]"], ["=", "==", "=>"], [",", ";"],
         ["..", "..."], ["if", "not"], ["single", "const", "each"], ["pattern", "match", "rewrite"], ["true", "false"], ["f32", "i64", "bool"],
         ["?", "*", "+"], ["all", "any"], ["fastmath", "recursive"], ["pure", "elementwise", "commutative"], ["replace", "update", "erase"]]
REASON = "  # "


def declarations(text):
    """Begin, end and name of each."""
    text_without = re.sub(r"//[^\n]*", lambda m: " " * len(m.group()), text)
    begins = [m.start() for m in DECLARATION.finditer(text_without)]
    begins = [b for i, b in enumerate(begins) if not (i and text_without[begins[i - 1]:b].startswith("for ") and text_without[begins[i - 1]:b].rstrip().endswith(("}", ")")) and "pattern" not in text_without[begins[i - 1]:b])]
    for i, begin in enumerate(begins):
        end = begins[i + 1] if i + 1 < len(begins) else len(text_without)
        end = begin + len(text_without[begin:end].rstrip())
        name = re.search(r"(?:pattern|match|rewrite|set|trait|fn|op|pass|pipeline)\s+(\S+?)[\s(;]", text_without[begin:end] + " ")
        yield begin, end, name.group(1) if name else "?", text_without


def mistakes(text, begin, end, clean):
    tokens = [(begin + m.start(), begin + m.end()) for m in TOKEN.finditer(clean[begin:end])]
    words = sorted({text[a:b] for a, b in tokens if re.match(r"[A-Za-z_]\w*$", text[a:b])})
    for i, (a, b) in enumerate(tokens):
        token = text[a:b]
        yield "delete", a, text[:a] + text[b:]
        yield "twice", a, text[:b] + " " + token + text[b:]
        if i + 1 < len(tokens):
            c, d = tokens[i + 1]
            if text[c:d] != token:
                yield "swap", a, text[:a] + text[c:d] + text[b:c] + " " + token + " " + text[d:]
        kind = next((k for k in KINDS if token in k), None)
        others = [other for other in kind if other != token] if kind else []
        if not kind and re.match(r"\d+$", token):
            others = [str(int(token) + 1)]
        elif not kind and re.match(r"[A-Za-z_]\w*$", token):
            rest = [w for w in words if w != token]
            others = random.Random(f"{token} {a - begin}").sample(rest, min(2, len(rest)))
        for other in others:
            yield "other", a, text[:a] + other + text[b:]


def check(rwc, folder, imports, text, stem):
    with tempfile.NamedTemporaryFile("w", dir=folder, prefix=f"{stem}_", suffix=".rw", delete=False) as f:
        f.write(text)
    try:
        run = subprocess.run([rwc, "--check", *imports, f.name], capture_output=True, text=True, timeout=60, errors="replace")
    finally:
        os.remove(f.name)
    return run.returncode, run.stdout + run.stderr


def shown(text, begin, end, change):
    """The declaration's line that changed."""
    at = text.rfind("\n", 0, change) + 1
    stop = text.find("\n", change)
    return re.sub(r"\s+", " ", text[at:stop if stop > 0 else len(text)]).strip()


def search(rwc, path, every, only, imports, folder, mute=False):
    text = open(path).read()
    before = check(rwc, folder, imports, text, "whole")
    jobs = []
    number = 0
    for begin, end, name, clean in declarations(text):
        if only and not re.search(only, name):
            continue
        for kind, at, broken in mistakes(text, begin, end, clean):
            number += 1
            if number % every == 0 and re.sub(r"\s+", " ", broken) != re.sub(r"\s+", " ", text):
                jobs.append((name, kind, at, broken, begin, end))
    accepted, bad = [], []
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for (name, kind, at, broken, begin, end), (code, said) in zip(jobs, pool.map(lambda j: check(rwc, folder, imports, j[3], "broken"), jobs)):
            where = f"{os.path.basename(path)}:{text.count(chr(10), 0, at) + 1}: {name}: {kind}: {shown(broken, begin, end, at)}"
            if code not in (0, 1) or (code == 1 and not re.search(r":\d+:\d+: error: .* \[[a-z0-9-]+\]", said)):
                bad.append(f"{where}\n  exit {code}: {said[:300]}")
            elif code == 0 and said.count(": warning: ") <= before[1].count(": warning: "):
                accepted.append(where)
    return len(jobs), accepted, bad


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rwc", required=True)
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--only", default="")
    parser.add_argument("--update", action="store_true")
    parser.add_argument("files", nargs="*")
    args = parser.parse_args()
    rwc = os.path.abspath(args.rwc)
    total, accepted, bad = 0, [], []
    for path in args.files or [os.path.join(HERE, "declarations.rw")]:
        # Broken files stand in a folder of their own: nothing is written into the source tree.
        with tempfile.TemporaryDirectory() as folder:
            source = os.path.dirname(os.path.abspath(path))
            text = open(path).read()
            absolute = re.sub(r'import "(\.\./[^"]+|[^"/]+)"', lambda m: 'import "' + os.path.normpath(os.path.join(source, m.group(1))) + '"'
                              if os.path.exists(os.path.join(source, m.group(1))) else m.group(), text)
            local = os.path.join(folder, os.path.basename(path))
            open(local, "w").write(absolute)
            n, here, wrong = search(rwc, local, args.every, args.only, [], folder)
        total, accepted, bad = total + n, accepted + here, bad + wrong
    for line in bad:
        print(line)
    if args.files:
        print("\n".join(accepted))
        print(f"{len(accepted)} of {total} are accepted without a word")
        return bool(bad)
    listed = os.path.join(HERE, "accepted.txt")
    lines = [line for line in open(listed).read().splitlines() if line and not line.startswith("#")] if os.path.exists(listed) else []
    known = {line.split(REASON)[0]: line for line in lines}
    if args.update:
        with open(listed, "w") as f:
            f.write("# Mistakes of one token that rwc --check accepts without a word, and why: see one_token.py.\n")
            f.writelines(known.get(line, line + REASON + "?") + "\n" for line in accepted)
        return 0
    new = [line for line in accepted if line not in known]
    gone = [line for line in known if line not in accepted] if args.every == 1 else []
    unexplained = [line for line in known.values() if line.endswith(REASON + "?") or REASON not in line]
    for title, some in [("accepted without a word, and not listed", new), ("listed, but told now", gone), ("without a reason", unexplained)]:
        for line in some:
            print(f"{title}: {line}")
    print(f"{total} mistakes, {len(accepted)} accepted")
    return bool(bad or new or gone or unexplained)


if __name__ == "__main__":
    sys.exit(main())
