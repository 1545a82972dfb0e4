#!/usr/bin/env python3
"""How many diagnostics of rwc in the golden tests say what to do: by a note or by text to put in.

In:  --source; --tags for a line per tag.
Out: the share of errors and warnings with a cure, and with --least N exit status 1 if it is less than N percent. Counted is each message that
     some golden expects, once by its words. Messages of which nothing can be said but what is wrong do not count: NO_CURE, with the reason.
"""
import argparse
import glob
import os
import re
import sys

AREAS = ["ast", "diagnostics", "format", "rwc", "sema", "syntax", "tokens"]  # of rwc
NO_CURE = {
    "file": "a file that cannot be read or written: the system says why",
    "onnx-file": "likewise",
    "pass-failed": "a pass of C++ failed, in its own words",
    "check-failed": "outputs differ: a pattern or a kernel is wrong",
}
MESSAGE = re.compile(r"^(?:[^\s:]+|<[^>]*>|command line|--[a-z-]+)(?::\d+)*: (error|warning): (.*) \[([a-z0-9-]+)\]$")
NOTE = re.compile(r"^(?:\S+: )?note: ")


def messages(path):
    """Message, tag, and whether a note or text to put in follows."""
    lines = open(path, errors="replace").read().split("\n")
    # Only what is expected: a file of the test may look like a message.
    expected = []
    section = ""
    for line in lines:
        if line.startswith("==== "):
            section = line.split()[1]
        elif section in ("stderr", "stdout"):
            expected.append(line)
    i = 0
    while i < len(expected):
        found = MESSAGE.match(expected[i])
        i += 1
        if not found:
            continue
        cure = False
        caret = False
        while i < len(expected) and not MESSAGE.match(expected[i]):
            line = expected[i]
            if NOTE.match(line) or (caret and line.startswith(" ") and line.strip() and not re.fullmatch(r"[ ~^]+", line)):
                cure = True
            caret = re.fullmatch(r" *\^~*[ ~^]*", line) is not None or (caret and re.fullmatch(r"[ ~^]+", line) is not None)
            i += 1
        yield found.group(2), found.group(3), cure


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--source", required=True)
    parser.add_argument("--tags", action="store_true")
    parser.add_argument("--least", type=float, default=0)
    args = parser.parse_args()
    by_words = {}
    paths = [p for area in AREAS for p in glob.glob(os.path.join(args.source, "tests/golden", area, "**/*.golden"), recursive=True)]
    for path in sorted(paths):
        for text, tag, cure in messages(path):
            words = (tag, re.sub(r"\s+", " ", re.sub(r"`[^`]*`|\"[^\"]*\"|\d+", "_", text)))
            by_words[words] = by_words.get(words, False) or cure
    tags = {}
    for (tag, words), cure in by_words.items():
        tags.setdefault(tag, []).append((words, cure))
    counted = [(tag, cure) for tag, list_ in tags.items() if tag not in NO_CURE for _, cure in list_]
    cured = sum(cure for _, cure in counted)
    if args.tags:
        for tag, list_ in sorted(tags.items(), key=lambda item: sum(not cure for _, cure in item[1])):
            missing = [words for words, cure in list_ if not cure]
            print(f"{tag}: {len(list_) - len(missing)} of {len(list_)}")
            for words in missing:
                print(f"    {words}")
    share = 100 * cured / max(len(counted), 1)
    print(f"{cured} of {len(counted)} messages have a note or text to put in: {share:.1f} %")
    return share < args.least


if __name__ == "__main__":
    sys.exit(main())
