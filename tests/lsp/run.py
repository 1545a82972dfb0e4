#!/usr/bin/env python3
"""Runs scripted conversations with rw-lsp: tests/lsp/cases/*.lsp.

usage: run.py --server PATH [--update] [FILE.lsp...]

A file holds cases. `== NAME` begins one; `-- PATH` begins a text, which is opened (`-- PATH on disk`: written, not opened), in which
`$1`, `$2`, ... mark places and are taken out. `>> REQUEST ARGUMENTS` asks, and the lines behind it, up to the next line that begins with
`>>`, `--` or `==`, are what the answer must be in short. A file that begins with `!! {...}` sends that with `initialize`. `--update` writes the
answers of now into the files.

    == hover over an op
    -- a.rw
    op re$1lu(x: tensor) -> tensor;
    >> hover 1
    | ```rw
    | op relu(x: tensor) -> tensor
    | ```
"""
import argparse
import difflib
import glob
import json
import os
import re
import shutil
import sys
import tempfile

from client import Client, ServerGone, path_of, uri

HERE = os.path.dirname(os.path.abspath(__file__))
SEVERITY = {1: "error", 2: "warning", 3: "information", 4: "hint"}


def encoded(text, encoding):
    return len(text.encode("utf-8")) if encoding == "utf-8" else len(text.encode("utf-16-le")) // 2


class Text:
    """A document's text, with marks, and positions as the server counts them."""

    def __init__(self, text, encoding):
        self.encoding = encoding
        self.marks = {}
        out = ""
        last = 0
        for mark in re.finditer(r"\$(\d)", text):
            out += text[last:mark.start()]
            self.marks[mark.group(1)] = len(out)
            last = mark.end()
        self.text = out + text[last:]

    def position(self, offset):
        line = self.text.count("\n", 0, offset)
        start = self.text.rfind("\n", 0, offset) + 1
        return {"line": line, "character": encoded(self.text[start:offset], self.encoding)}

    def offset(self, position):
        lines = self.text.split("\n")
        if position["line"] >= len(lines):
            return len(self.text)
        start = sum(len(line) + 1 for line in lines[:position["line"]])
        line = lines[position["line"]]
        for i in range(len(line) + 1):
            if encoded(line[:i], self.encoding) >= position["character"]:
                return start + i
        return start + len(line)

    def edit(self, begin, end, text):
        self.text = self.text[:begin] + text + self.text[end:]
        for mark, at in self.marks.items():
            if at >= end:
                self.marks[mark] = at + len(text) - (end - begin)


def applied(text, edits, encoding):
    """The text with a list of the protocol's edits made."""
    document = Text("", encoding)
    document.text = text
    for edit in sorted(edits, key=lambda e: (e["range"]["start"]["line"], e["range"]["start"]["character"]), reverse=True):
        document.edit(document.offset(edit["range"]["start"]), document.offset(edit["range"]["end"]), edit["newText"])
    return document.text


def changed(before, after):
    """The lines that differ."""
    lines = difflib.unified_diff(before.splitlines(), after.splitlines(), lineterm="", n=0)
    return [line for line in lines if not line.startswith(("---", "+++", "@@"))]


class Case:
    def __init__(self, client, folder, encoding):
        self.client, self.folder, self.encoding = client, folder, encoding
        self.texts = {}  # by path
        self.main = None

    def add(self, name, text, on_disk):
        path = os.path.join(self.folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        document = Text(text, self.encoding)
        self.texts[path] = document
        if on_disk:
            with open(path, "w", encoding="utf-8", newline="") as out:
                out.write(document.text)
        else:
            self.main = path
            self.client.open(path, document.text)

    def close(self):
        for path in list(self.client.versions):
            self.client.close(path)

    # ---- answers in short

    def place(self, location, with_line=True):
        path = path_of(location["uri"])
        at = location["range"]["start"]
        short = os.path.relpath(path, self.folder) if path.startswith(self.folder) else "…/" + "/".join(path.split("/")[-2:])
        if not path.startswith(self.folder):  # a built-in file, whose lines move
            with open(path, encoding="utf-8") as text:
                return f"{short}: {text.read().splitlines()[at['line']].strip()}"
        line = self.texts[path].text.split("\n")[at["line"]].strip() if with_line and path in self.texts else ""
        return f"{short}:{at['line'] + 1}:{at['character'] + 1}" + (f" {line}" if line else "")

    def span(self, given):
        start, end = given["start"], given["end"]
        same = start["line"] == end["line"]
        return f"{start['line'] + 1}:{start['character'] + 1}-" + ("" if same else f"{end['line'] + 1}:") + f"{end['character'] + 1}"

    def quoted(self, text):
        return ["| " + line if line else "|" for line in self.cleaned(text).split("\n")]

    def cleaned(self, text):
        return re.sub(r"(/[^\s:`]*)?/patterns/", "…/", text.replace(self.folder + "/", ""))

    def asked(self, method, args, **params):
        """Asks at a mark, of the document that has it."""
        path = self.main
        if args and args[0].isdigit():
            path = next(p for p, t in self.texts.items() if args[0] in t.marks)
            text = self.texts[path]
            params["position"] = text.position(text.marks[args[0]])
        answer = self.client.ask("textDocument/" + method, {"textDocument": {"uri": uri(path)}, **params})
        if "error" in answer:
            raise Refused(answer["error"])
        return path, answer["result"]

    def range_of(self, args):
        """Between two marks, or the whole."""
        text = self.texts[self.main]
        begin = text.marks[args[0]] if args else 0
        end = text.marks[args[1]] if len(args) > 1 else begin if args else len(text.text)
        return {"start": text.position(begin), "end": text.position(end)}

    def edits(self, changes):
        out = []
        for where, edits in sorted(changes.items()):
            path = path_of(where)
            if len(changes) > 1 or path != self.main:
                out.append("in " + os.path.relpath(path, self.folder))
            out += changed(self.texts[path].text, applied(self.texts[path].text, edits, self.encoding))
        return out

    def run(self, request, args):
        return getattr(self, "do_" + request)(args) or ["nothing"]

    def do_diagnostics(self, args):
        path = os.path.join(self.folder, args[0]) if args else self.main
        out = []
        for d in self.client.diagnostics(path):
            lines = self.cleaned(d["message"]).split("\n")
            out.append(f"{self.span(d['range'])} {SEVERITY[d['severity']]} {d.get('code', '')}: {lines[0]}")
            out += ["    " + line for line in lines[1:]]
            for note in d.get("relatedInformation", []):
                out.append(f"    {self.cleaned(note['message'])} ({self.place(note['location'], False)})")
        return out

    def do_type(self, args):
        """type MARK TEXT: puts the text there, the mark moves behind it. `\\n` is a new line."""
        mark, text = args[0], " ".join(args[1:]).replace("\\n", "\n").replace("\\s", " ")
        return self.replaced(mark, mark, text)

    def do_replace(self, args):
        """replace MARK MARK TEXT"""
        return self.replaced(args[0], args[1], " ".join(args[2:]).replace("\\n", "\n").replace("\\s", " "))

    def replaced(self, first, last, with_text):
        path = next(p for p, t in self.texts.items() if first in t.marks)
        text = self.texts[path]
        begin, end = text.marks[first], text.marks[last]
        if path != self.main: # which imports it: it is told of again
            self.client.published.pop(uri(self.main), None)
        self.client.change(path, [{"range": {"start": text.position(begin), "end": text.position(end)}, "text": with_text}])
        text.edit(begin, end, with_text)
        return self.do_diagnostics([os.path.relpath(path, self.folder)])

    def do_whole(self, args):
        """whole TEXT: the document is that now."""
        self.texts[self.main].text = " ".join(args).replace("\\n", "\n")
        self.client.change(self.main, [{"text": self.texts[self.main].text}])
        return self.do_diagnostics([])

    def do_write(self, args):
        """write PATH TEXT: a file on disk is that now, and the server is told."""
        path = os.path.join(self.folder, args[0])
        text = " ".join(args[1:]).replace("\\n", "\n")
        with open(path, "w", encoding="utf-8") as out:
            out.write(text)
        self.texts[path] = Text(text, self.encoding)
        self.client.published.pop(uri(self.main), None)
        self.client.notify("workspace/didChangeWatchedFiles", {"changes": [{"uri": uri(path), "type": 2}]})
        return self.do_diagnostics([])

    def do_completion(self, args):
        path, answer = self.asked("completion", args)
        text = self.texts[path]
        before = text.text[:text.marks[args[0]]]
        prefix = re.search(r"[\w./-]*$" if '"' in before.split("\n")[-1] else r"\w*$", before).group()
        items = [i for i in sorted(answer["items"], key=lambda i: i["sortText"]) if i["label"].lower().startswith(prefix.lower())]
        most = int(args[1]) if len(args) > 1 else 24
        labels = [i["label"] for i in items]
        return [", ".join(labels[:most]) + (", …" if len(labels) > most else "")] if labels else []

    def do_item(self, args):
        """item MARK LABEL: one item with its documentation."""
        _, answer = self.asked("completion", args)
        item = next((i for i in answer["items"] if i["label"] == " ".join(args[1:])), None)
        if not item:
            return []
        item = self.client.request("completionItem/resolve", item)
        out = [f"{item['label']} ({item['kind']})" + (f" {item['detail']}" if "detail" in item else "")]
        if "insertText" in item:
            out.append("inserts " + json.dumps(item["insertText"]))
        return out + self.quoted(item.get("documentation", {}).get("value", "no documentation"))

    def do_signature(self, args):
        _, answer = self.asked("signatureHelp", args)
        out = []
        for signature in (answer or {}).get("signatures", []):
            label = signature["label"]
            if "activeParameter" in signature:
                begin, end = signature["parameters"][signature["activeParameter"]]["label"]
                label = label[:begin] + "[" + label[begin:end] + "]" + label[end:]
            out.append(label)
        return out

    def do_hover(self, args):
        path, answer = self.asked("hover", args)
        if not answer:
            return []
        text = self.texts[path]
        begin, end = text.offset(answer["range"]["start"]), text.offset(answer["range"]["end"])
        return [f"of `{text.text[begin:end]}`"] + self.quoted(answer["contents"]["value"])

    def do_definition(self, args):
        return [self.place(each) for each in self.asked("definition", args)[1]]

    def do_references(self, args):
        _, answer = self.asked("references", args, context={"includeDeclaration": "others" not in args})
        return sorted(self.place(each) for each in answer)

    def do_highlights(self, args):
        return [self.span(each["range"]) + (" declared" if each["kind"] == 3 else "") for each in self.asked("documentHighlight", args)[1]]

    def do_rename(self, args):
        try:
            return self.edits(self.asked("rename", args[:1], newName=args[1])[1]["changes"])
        except Refused as error:
            return ["refused: " + self.cleaned(str(error))]

    def do_prepare(self, args):
        try:
            answer = self.asked("prepareRename", args)[1]
            return [f"{self.span(answer['range'])} {answer['placeholder']}"]
        except Refused as error:
            return ["refused: " + self.cleaned(str(error))]

    def do_symbols(self, _):
        out = []

        def show(items, indent):
            for item in items:
                out.append(f"{indent}{item['name']} {item.get('detail', '')} {self.span(item['range'])}")
                show(item.get("children", []), indent + "  ")
        show(self.asked("documentSymbol", [])[1], "")
        return out

    def do_workspace(self, args):
        answer = self.client.request("workspace/symbol", {"query": " ".join(args)})
        return sorted(f"{item['name']} {self.place(item['location'], False)}" for item in answer if path_of(item["location"]["uri"]).startswith(self.folder))

    def do_format(self, _):
        path, answer = self.asked("formatting", [], options={"tabSize": 2, "insertSpaces": True})
        return self.edits({uri(path): answer}) if answer else []

    def do_actions(self, args):
        self.do_diagnostics([])
        out = []
        for action in self.asked("codeAction", [], range=self.range_of(args), context={"diagnostics": []})[1]:
            out.append(action["title"])
            if "edit" in action:
                out += ["  " + line for line in self.edits(action["edit"]["changes"])]
        return out

    def do_tokens(self, args):
        legend = self.client.capabilities["semanticTokensProvider"]["legend"]["tokenTypes"]
        if args:
            data = self.asked("semanticTokens/range", [], range=self.range_of(args))[1]["data"]
        else:
            data = self.asked("semanticTokens/full", [])[1]["data"]
        text = self.texts[self.main]
        line = character = 0
        out, lines = [], {}
        for delta_line, delta, length, kind, modifiers in zip(*[iter(data)] * 5):
            line, character = line + delta_line, delta if delta_line else character + delta
            begin, end = text.offset({"line": line, "character": character}), text.offset({"line": line, "character": character + length})
            lines.setdefault(line, []).append(f"{text.text[begin:end]}:{legend[kind]}" + ("!" if modifiers & 1 else ""))
        for number, words in sorted(lines.items()):
            out.append(f"{number + 1} " + " ".join(words))
        return out

    def do_hints(self, args):
        text = self.texts[self.main]
        answer = self.asked("inlayHint", [], range=self.range_of(args))[1]
        edits = [{"range": {"start": hint["position"], "end": hint["position"]}, "newText": "«" + hint["label"] + "»"} for hint in answer]
        return [line[1:] for line in changed(text.text, applied(text.text, edits, self.encoding)) if line.startswith("+")]

    def do_folding(self, _):
        return [f"{f['startLine'] + 1}-{f['endLine'] + 1}" + (f" {f['kind']}" if "kind" in f else "") for f in self.asked("foldingRange", [])[1]]

    def do_selection(self, args):
        text = self.texts[self.main]
        answer = self.asked("selectionRange", [], positions=[text.position(text.marks[args[0]])])[1][0]
        out = []
        while answer:
            begin, end = text.offset(answer["range"]["start"]), text.offset(answer["range"]["end"])
            out.append(json.dumps(text.text[begin:end]) if end - begin < 60 else self.span(answer["range"]))
            answer = answer.get("parent")
        return out

    def do_links(self, _):
        return [f"{self.span(link['range'])} {self.place({'uri': link['target'], 'range': link['range']}, False).split(':')[0]}" for link in self.asked("documentLink", [])[1]]

    def do_lenses(self, _):
        return [f"{self.span(lens['range'])} {lens['command']['title']}" for lens in self.asked("codeLens", [])[1]]

    def do_command(self, args):
        """command NAME [JSON]: `$uri` in the arguments is the document's."""
        given = json.loads(" ".join(args[1:]).replace("$uri", uri(self.main)).replace("$folder", self.folder)) if len(args) > 1 else []
        answer = self.client.ask("workspace/executeCommand", {"command": args[0], "arguments": given})
        return self.quoted(json.dumps(answer.get("result", answer.get("error")), indent=1, ensure_ascii=False))

    def do_callers(self, args):
        return self.calls(args, "incomingCalls", "from")

    def do_callees(self, args):
        return self.calls(args, "outgoingCalls", "to")

    def calls(self, args, method, end):
        items = self.asked("prepareCallHierarchy", args)[1]
        out = []
        for item in items or []:
            for call in self.client.request("callHierarchy/" + method, {"item": item}):
                out.append(f"{call[end]['name']} {self.place({'uri': call[end]['uri'], 'range': call[end]['selectionRange']}, False)}, " +
                           ", ".join(self.span(r) for r in call["fromRanges"]))
        return sorted(out)

    def do_raw(self, args):
        """raw JSON: sent as it is; the answer, if there is a request in it. `$uri` is the document's."""
        text = " ".join(args).replace("$uri", uri(self.main) if self.main else "")
        data = text.encode()
        self.client.send_bytes(b"Content-Length: %d\r\n\r\n%s" % (len(data), data))
        return self.quoted(json.dumps(self.short(self.client.answer(self.raw_id(text)))))

    def do_bytes(self, args):
        """bytes TEXT: sent without a header of ours; the answer without a number."""
        self.client.send_bytes(" ".join(args).encode().decode("unicode_escape").encode("latin-1"))
        return self.quoted(json.dumps(self.short(self.client.answer(None))))

    def do_notify(self, args):
        """notify METHOD JSON"""
        given = " ".join(args[1:]).replace("$uri", uri(self.main) if self.main else "").replace("$folder", self.folder)
        self.client.notify(args[0], json.loads(given or "null"))
        return []

    def do_messages(self, _):
        """What the user was shown since it was last asked."""
        self.client.request("workspace/symbol", {"query": ""})  # whatever was sent before has come then
        told = [message["params"]["message"] for message in self.client.notifications if message.get("method") == "window/showMessage"]
        self.client.notifications = [message for message in self.client.notifications if message.get("method") != "window/showMessage"]
        return told

    @staticmethod
    def raw_id(text):
        try:
            message = json.loads(text)
        except ValueError:
            return None
        number = message.get("id") if isinstance(message, dict) else None
        return number if isinstance(number, (int, str)) and not isinstance(number, bool) else None

    @staticmethod
    def short(answer):
        return answer.get("error", answer.get("result"))


class Refused(Exception):
    def __init__(self, error):
        super().__init__(error["message"])


def run_file(path, server, update):
    with open(path, encoding="utf-8", newline="") as source:
        lines = source.read().split("\n")
    folder = os.path.realpath(tempfile.mkdtemp(prefix="rw-lsp-"))
    options = json.loads(lines[0][2:].replace("$folder", folder)) if lines[0].startswith("!!") else {}
    encoding = "utf-8" if "utf-8" in options.get("capabilities", {}).get("general", {}).get("positionEncodings", []) else "utf-16"
    options.setdefault("workspaceFolders", [{"uri": uri(folder), "name": "test"}])
    wrong = count = 0
    out = []
    client = Client(server, options)
    case = name = None
    number = 0
    try:
        i = 0
        while i < len(lines):
            line = lines[i]
            out.append(line)
            i += 1
            if not line.startswith(("==", "--", ">>")):
                continue
            begin = i
            while i < len(lines) and not lines[i].startswith(("==", "--", ">>")):
                i += 1
            body = lines[begin:i]
            tail = []
            while body and (not body[-1] or body[-1].startswith("#")):  # comments stand before what follows
                tail.insert(0, body.pop())
            if line.startswith("=="):
                if case:
                    case.close()
                number += 1
                name = line[2:].strip()
                below = os.path.join(folder, str(number))
                shutil.rmtree(folder)
                os.makedirs(below)
                case = Case(client, below, encoding)
                out += body + tail
            elif line.startswith("--"):
                words = line[2:].strip()
                on_disk = words.endswith(" on disk")
                case.add(words.removesuffix(" on disk"), "".join(each + "\n" for each in body), on_disk)
                out += body + tail
            else:
                words = line[2:].strip().split(" ")
                count += 1
                got = case.run(words[0], words[1:])
                if update:
                    out += got + tail
                    continue
                if got != body:
                    wrong += 1
                    print(f"{os.path.relpath(path)}:{begin}: {name}: {line}")
                    for each in difflib.unified_diff(body, got, "expected", "got", lineterm=""):
                        print("    " + each)
                out += body + tail
        if client.stop() != 0:
            wrong += 1
            print(f"{path}: the server ends with a status other than 0")
    except ServerGone as error:
        wrong += 1
        print(f"{path}: {name}: {error}")
        return wrong, count
    finally:
        if client.process.poll() is None:
            client.process.kill()
        shutil.rmtree(folder, ignore_errors=True)
    if update:
        with open(path, "w", encoding="utf-8", newline="") as target:
            target.write("\n".join(out))
    return wrong, count


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--server", required=True)
    parser.add_argument("--update", action="store_true")
    parser.add_argument("--least", type=int, default=0, help="how many requests there must be")
    parser.add_argument("files", nargs="*")
    options = parser.parse_args()
    files = options.files or sorted(glob.glob(os.path.join(HERE, "cases", "*.lsp")))
    wrong = count = 0
    for path in files:
        bad, asked = run_file(path, [options.server], options.update)
        wrong, count = wrong + bad, count + asked
    print(f"{count} requests in {len(files)} files, {wrong} answered wrongly")
    if count < options.least:
        print(f"there must be {options.least}")
    return 1 if wrong or count < options.least else 0


if __name__ == "__main__":
    sys.exit(main())
