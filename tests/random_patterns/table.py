#!/usr/bin/env python3
"""Which construct of the language random patterns have exercised how often.

    table.py FOLDER        what generate.py wrote and random_patterns ran

In:  random_N.json, fired.tsv. Out: a table in Markdown: construct, patterns that have it, those of them that were applied, how often.
"""
import collections
import glob
import json
import os
import sys


def main():
    folder = sys.argv[1]
    with open(os.path.join(folder, "fired.tsv"), encoding="utf-8") as f:
        fired = dict((name, int(count)) for name, count in (line.split("\t") for line in f))
    written, applied, rewrites = collections.Counter(), collections.Counter(), collections.Counter()
    for path in glob.glob(os.path.join(folder, "random_*.json")):
        with open(path, encoding="utf-8") as f:
            info = json.load(f)
        for name, constructs in info["patterns"].items():
            for construct in constructs:
                written[construct] += 1
                applied[construct] += name in fired
                rewrites[construct] += fired.get(name, 0)
        # What ops mean is put in by one pattern for all of them.
        written["op: means"] += info["meanings"]
    if written["op: means"]:
        applied["op: means"], rewrites["op: means"] = "", fired.get("ExpandMeaning", 0)
    print("| construct | patterns | applied | rewrites |\n| --- | --- | --- | --- |")
    for construct in sorted(written):
        print(f"| {construct} | {written[construct]} | {applied[construct]} | {rewrites[construct]} |")


main()
