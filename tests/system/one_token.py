#!/usr/bin/env python3
"""What `rwc --check` says of declarations that are wrong by one token: deleted, written twice, swapped with the next, or another of its kind.

In:  --checker, rwc-check-texts of the build; FILES whose declarations are broken, or none: those of one_token/declarations.rw, beside this
     file. --every N takes each Nth mistake, --only a regular expression on names of declarations.
Out: for the files given, the mistakes that are accepted without a word, as `file:line: NAME: kind: text`; read them for classes of mistakes that
     nobody is told of. Without files: exit status 1 if what is accepted is not what one_token/accepted.txt lists, each with the reason
     why it is no mistake or cannot be told; --update writes the list, reasons kept.

A file is checked with one declaration broken, the rest as it was. All of patterns/ takes minutes:
tests/system/one_token.py --checker build/test/bin/rwc-check-texts patterns/*/*.rw
"""
import argparse
import concurrent.futures
import os
import random
import re
import subprocess
import sys

HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "one_token")
TOKEN = re.compile(r'"[^"\n]*"|[A-Za-z_][\w]*(?:\{\w+\}\w*)*|\d+\.\d+|\d+|=>|->|\.\.\.|\.\.|::|==|!=|<=|>=|\+\+|[^\s\w]')
DECLARATION = re.compile(r"^(for\b|pattern\b|match\b|rewrite\b|set\b|trait\b|fn\b|op\b|pass\b|pipeline\b)", re.M)
KINDS = [["==", "!=", "<", "<=", ">", ">="], ["+", "-", "*", "/", "%"], ["and", "or"], ["(", "["], [")", "]"], ["=", "==", "=>"], [",", ";"],
         ["..", "..."], ["if", "not"], ["single", "const", "each"], ["pattern", "match", "rewrite"], ["true", "false"], ["f32", "i64", "bool"],
         ["?", "*", "+"], ["all", "any"], ["fastmath", "recursive"], ["pure", "elementwise", "commutative"], ["replace", "update", "erase"]]
REASON = "  # "


def declarations(text):
    """Begin, end and name of each."""
    text_without = re.sub(r"//[^\n]*|\[\{.*?\}\]", lambda m: re.sub(r"[^\n]", " ", m.group()), text, flags=re.S) # comments, C++
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


def verdicts(checker, path, texts):
    """What is said of the file, and of each text in its place: (errors, warnings, whether an error says where), or None of one that ends
    the checker."""
    out = []
    while len(out) <= len(texts):
        rest = [t.encode() for t in texts[max(len(out) - 1, 0):]]
        run = subprocess.run([checker, path], input=b"".join(b"%d\n%s" % (len(t), t) for t in rest), capture_output=True)
        lines = [tuple(map(int, line.split())) for line in run.stdout.decode().splitlines()]
        if not lines:
            sys.exit(f"{checker} {path}: {run.stderr.decode()}")
        out += lines if not out else lines[1:]
        if len(out) <= len(texts):
            out.append(None)
    return out[0], out[1:]


def shown(text, begin, end, change):
    """The declaration's line that changed."""
    at = text.rfind("\n", 0, change) + 1
    stop = text.find("\n", change)
    return re.sub(r"\s+", " ", text[at:stop if stop > 0 else len(text)]).strip()


def search(checker, path, every, only):
    text = open(path).read()
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
    whole, verdict = verdicts(checker, path, [job[3] for job in jobs])
    for (name, kind, at, broken, begin, end), said in zip(jobs, verdict):
        where = f"{os.path.basename(path)}:{text.count(chr(10), 0, at) + 1}: {name}: {kind}: {shown(broken, begin, end, at)}"
        if said is None:
            bad.append(f"{where}\n  ends the checker")
        elif said[0] and not said[2]:
            bad.append(f"{where}\n  an error without a place")
        elif not said[0] and said[1] <= whole[1]:
            accepted.append(where)
    return len(jobs), accepted, bad


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--checker", required=True)
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--only", default="")
    parser.add_argument("--update", action="store_true")
    parser.add_argument("files", nargs="*")
    args = parser.parse_args()
    total, accepted, bad = 0, [], []
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        found = pool.map(lambda path: search(os.path.abspath(args.checker), path, args.every, args.only),
                         args.files or [os.path.join(HERE, "declarations.rw")])
        for n, here, wrong in found:
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
