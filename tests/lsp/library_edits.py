#!/usr/bin/env python3
"""Edits a library that another open text imports, many times: the server may not keep what it knew of each version.

usage: library_edits.py --server PATH
"""
import argparse
import os
import sys
import tempfile

from client import Client

FUNCTIONS, EDITS, SETTLED, MOST = 150, 300, 50, 24  # MiB that it may grow by from edit SETTLED on; a version takes a tenth of one
USER = "import \"library.rw\";\npattern P { half(half(x, by = a), by = b) where " + ", ".join(f"good{i}(a, b)" for i in range(FUNCTIONS)) + " => half(x, by = a ++ b) }\n"
LIBRARY = "dialect mine;\nop half(x: tensor) -> tensor { attr by: [int]; traits pure; type x.type; }\n" + "".join(
    f"fn good{i}(a: [int], b: [int]) -> bool = len(a) > {i} or len(b) > {i} or all(x == y for (x, y) in zip(a, b));\n" for i in range(FUNCTIONS))


def memory(client):
    with open(f"/proc/{client.process.pid}/statm", encoding="ascii") as sizes:
        return int(sizes.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 2**20


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--server", required=True)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="rw-lsp-") as folder:
        user, library = os.path.join(os.path.realpath(folder), "user.rw"), os.path.join(os.path.realpath(folder), "library.rw")
        with open(library, "w", encoding="utf-8") as out:
            out.write(LIBRARY)
        with Client([options.server]) as client:
            client.open(library, LIBRARY)
            client.open(user, USER)
            early = 0.0
            for number in range(EDITS):
                client.change(library, [{"text": LIBRARY + f"fn last() -> int = {number};\n"}])
                client.on(user, "semanticTokens/full")
                if client.diagnostics(user):
                    print(f"edit {number}: {client.diagnostics(user)}")
                    return 1
                if number == SETTLED:
                    early = memory(client)
            late = memory(client)
    print(f"{EDITS} versions of a library, {early:.0f} MiB at first, {late:.0f} MiB at the end")
    if late - early > MOST:
        print("the server grows")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
