#!/usr/bin/env python3
"""The pages: no line of prose or code is longer than 120 columns, and links to pages, sections and files lead somewhere.

pages.py [ROOT] [--fix]: --fix wraps paragraphs and list items anew. Rows of tables, what commands print and links alone may be longer; pages
that a program writes are not looked at.
"""
import glob
import os
import re
import sys
import textwrap

COLUMNS = 120
WRITTEN_BY_PROGRAMS = {"docs/verified.md", "docs/verified_lowerings.md"}
PRINTED = re.compile(r"    .*: (error|warning): |    +%|    [A-Z]{3,8} +\w+: ")  # in an indented block: a diagnostic, a line of a program, a verdict
ITEM = re.compile(r"^(\s*)([-*]|\d+\.)(\s+)")


def pages(root):
    paths = [p for pattern in ("*.md", "docs/*.md", "patterns/*.md", "examples/*.md", "examples/*/*.md", "tests/**/*.md")
             for p in glob.glob(os.path.join(root, pattern), recursive=True)]
    return sorted({os.path.relpath(p, root) for p in paths} - WRITTEN_BY_PROGRAMS)


def pieces(text):
    """(kind, lines): a fenced block, a table or heading or indented block, an empty line, or a paragraph with the indent of its item."""
    lines, at = text.split("\n"), 0
    while at < len(lines):
        line = lines[at]
        begin = at
        at += 1
        if line.lstrip().startswith("```"):
            while at < len(lines) and not lines[at].lstrip().startswith("```"):
                at += 1
            at += 1
            yield "fence", lines[begin:at]
        elif not line.strip():
            yield "empty", [line]
        elif line.startswith(("#", "|", "    ", "<", ">")) and not ITEM.match(line):
            yield "kept", [line]
        else:
            while at < len(lines) and lines[at].strip() and not lines[at].lstrip().startswith(("```", "|", "#")) and not ITEM.match(lines[at]):
                at += 1
            yield "prose", lines[begin:at]


def wrapped(lines):
    item = ITEM.match(lines[0])
    first = item.group(0) if item else re.match(r"\s*", lines[0]).group(0)
    rest = " " * len(first)
    words = " ".join([lines[0][len(first):]] + [line.strip() for line in lines[1:]])
    # What stands in backquotes or is a link stays on one line.
    glued = re.sub(r"(`[^`]*`|\[[^\]]*\]\([^)]*\))", lambda m: m.group(0).replace(" ", "\0"), words)
    out = textwrap.wrap(glued, COLUMNS, initial_indent=first, subsequent_indent=rest, break_long_words=False, break_on_hyphens=False)
    return [line.replace("\0", " ") for line in out]


def fix(text):
    out = []
    for kind, lines in pieces(text):
        if kind == "prose" and any(len(line) > COLUMNS for line in lines):
            lines = wrapped(lines)
        out += lines
    return "\n".join(out)


def too_long(text):
    at = 0
    for kind, lines in pieces(text):
        fence = lines[0].strip() if kind == "fence" else ""
        for line in lines:
            at += 1
            printed = fence.startswith("```console") and not line.startswith("$ ") or PRINTED.match(line)
            if len(line) > COLUMNS and not printed and not line.startswith("|") and " " in line.strip():
                yield at, f"{len(line)} columns"


def anchors(text):
    found, seen = set(), {}
    fenced = False
    for line in text.split("\n"):
        fenced ^= line.startswith("```")
        if line.startswith("#") and not fenced:
            name = re.sub(r"[^\w\- ]", "", line.lstrip("#").strip().lower()).replace(" ", "-")
            found.add(name if name not in seen else f"{name}-{seen[name]}")
            seen[name] = seen.get(name, 0) + 1
    return found


def dead_links(root, page, text):
    fenced = False
    for at, line in enumerate(text.split("\n"), 1):
        fenced ^= line.startswith("```")
        if fenced or line.startswith("    "):
            continue
        for target in re.findall(r"(?<!`)\[[^\]]*\]\(([^)\s]+)\)", re.sub(r"`[^`]*`", "", line)):
            if "://" in target:
                continue
            path, _, anchor = target.partition("#")
            full = os.path.normpath(os.path.join(root, os.path.dirname(page), path)) if path else os.path.join(root, page)
            if not os.path.exists(full):
                yield at, f"there is no {target}"
            elif anchor and full.endswith(".md"):
                with open(full, encoding="utf-8") as f:
                    if anchor not in anchors(f.read()):
                        yield at, f"there is no section {target}"


def main(root):
    count = 0
    looked_at = pages(root)
    for page in looked_at:
        with open(os.path.join(root, page), encoding="utf-8") as f:
            text = f.read()
        for at, what in [*too_long(text), *dead_links(root, page, text)]:
            count += 1
            print(f"{page}:{at}: {what}")
    print(f"pages: {len(looked_at)} pages, {count} violations")
    return 1 if count else 0


if __name__ == "__main__":
    root = next((a for a in sys.argv[1:] if not a.startswith("-")), os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
    if "--fix" in sys.argv:
        for page in pages(root):
            with open(os.path.join(root, page), encoding="utf-8") as f:
                text = f.read()
            if fix(text) != text:
                with open(os.path.join(root, page), "w", encoding="utf-8") as f:
                    f.write(fix(text))
    sys.exit(main(root))
