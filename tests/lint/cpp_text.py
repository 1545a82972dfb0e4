"""What the lints need to know of C++ text: its includes and its string literals, comments left out."""
import os
import re

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
TOKEN = re.compile(
    r'//[^\n]*|/\*.*?\*/'                                    # comments
    r'|R"(?P<tag>[^()\\\s]{0,16})\((?P<raw>.*?)\)(?P=tag)"'  # raw strings
    r'|"(?P<text>(?:[^"\\\n]|\\.)*)"'
    r"|(?<![0-9a-fA-F])'(?:[^'\\\n]|\\.)+'",                 # characters, but not the ' of 1'000
    re.S)
INCLUDE = re.compile(r'^\s*#\s*include\s*(["<])([^">]+)[">]', re.M)


def read(path):
    with open(path, encoding="utf-8", errors="replace") as f:
        return f.read()


def line_of(text, at):
    return text.count("\n", 0, at) + 1


def includes(text):
    """[(line, path, quoted?)]"""
    return [(line_of(text, m.start(2)), m.group(2), m.group(1) == '"') for m in INCLUDE.finditer(text)]


def string_literals(text):
    """[(line, content)]; the paths of #include lines are not literals."""
    skip = [(m.start(1), m.end()) for m in INCLUDE.finditer(text)]
    found = []
    for m in TOKEN.finditer(text):
        content = m.group("text") if m.group("text") is not None else m.group("raw")
        if content is not None and not any(a <= m.start() < b for a, b in skip):
            found.append((line_of(text, m.start()), content))
    return found


def files(root, folder, endings):
    for where, folders, names in os.walk(os.path.join(root, folder)):
        folders[:] = sorted(f for f in folders if f not in ("build", ".git", "__pycache__"))
        for name in sorted(names):
            if name.endswith(endings):
                yield os.path.relpath(os.path.join(where, name), root)
