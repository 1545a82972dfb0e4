#!/usr/bin/env python3
"""Runs examples/python: the sessions of its README, whose output must be as shown, and each notebook, cell by cell.

    tests/python/examples.py --source DIR [--update]

RW_LIBRARY and PYTHONPATH name the package. A notebook runs in a namespace of its own as a kernel would run it, and its text output must be what it
holds; where nbclient and ipykernel are installed it runs in a real kernel as well. --update writes what is printed into README and notebooks.
"""
import argparse
import ast
import contextlib
import difflib
import glob
import io
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

MODELS = ("swin_mini.onnx", "convnext_mini.onnx", "mixer_nhwc.onnx", "functions.onnx")


def ready(source, folder):
    """A folder with the examples and the models."""
    shutil.copytree(os.path.join(source, "examples", "python"), folder, dirs_exist_ok=True)
    for model in MODELS:
        shutil.copy(os.path.join(source, "tests", "models", model), folder)


def differences(name, expected, seen):
    return list(difflib.unified_diff(expected.splitlines(), seen.splitlines(), name, "seen", lineterm=""))


def run_sessions(source):
    """The README with what its commands print, and what differs."""
    path = os.path.join(source, "examples", "python", "README.md")
    with open(path, encoding="utf-8") as file:
        text = file.read()
    with tempfile.TemporaryDirectory() as folder:
        ready(source, folder)
        # `python3` is the Python that runs this.
        os.makedirs(os.path.join(folder, "bin"))
        os.symlink(sys.executable, os.path.join(folder, "bin", "python3"))
        env = {**os.environ, "PATH": os.path.join(folder, "bin") + os.pathsep + os.environ["PATH"], "PYTHONDONTWRITEBYTECODE": "1"}

        def block(match):
            out = []
            for command in re.findall(r"^\$ (.*)", match[1], re.M):
                done = subprocess.run(["bash", "-c", command], cwd=folder, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
                if done.returncode:
                    sys.exit(f"{command} ends with {done.returncode}:\n{done.stdout}")
                out.append(f"$ {command}\n{done.stdout}")
            return "```console\n" + "".join(out) + "```"

        seen = re.sub(r"^```console\n(.*?)^```", block, text, flags=re.M | re.S)
    return path, seen, differences("README.md", text, seen)


def run_cell(source, scope):
    """What a cell prints, and the value of its last line if that is an expression without `;`."""
    tree = ast.parse(source)
    last = None
    if tree.body and isinstance(tree.body[-1], ast.Expr) and not source.rstrip().endswith(";"):
        last = ast.Expression(tree.body.pop().value)
    told = io.StringIO()
    with contextlib.redirect_stdout(told):
        exec(compile(tree, "<cell>", "exec"), scope)
        value = eval(compile(last, "<cell>", "eval"), scope) if last else None
    return told.getvalue(), value


def run_notebook(path, source):
    """The notebook with its outputs, and what differs."""
    with open(path, encoding="utf-8") as file:
        text = file.read()
    notebook = json.loads(text)
    count, here = 0, os.getcwd()
    with tempfile.TemporaryDirectory() as folder:
        ready(source, folder)
        os.chdir(folder)
        try:
            scope = {"__name__": "__main__"}
            for cell in notebook["cells"]:
                if cell["cell_type"] != "code":
                    continue
                count += 1
                told, value = run_cell("".join(cell["source"]), scope)
                cell["execution_count"], cell["outputs"] = count, []
                if told:
                    cell["outputs"].append({"name": "stdout", "output_type": "stream", "text": told.splitlines(True)})
                if value is not None:
                    cell["outputs"].append({"data": {"text/plain": repr(value).splitlines(True)}, "execution_count": count, "metadata": {},
                                            "output_type": "execute_result"})
                if hasattr(value, "_repr_html_") and "<iframe" not in value._repr_html_():
                    sys.exit(f"{path}: a result does not show its page")
        finally:
            os.chdir(here)
        run_in_kernel(path, folder)
    seen = json.dumps(notebook, indent=1, ensure_ascii=False) + "\n"
    return path, seen, differences(os.path.basename(path), text, seen)


def run_in_kernel(path, folder):
    try:
        import ipykernel  # noqa: F401
        import nbclient
        import nbformat
    except ImportError:
        return
    notebook = nbformat.read(path, as_version=4)
    nbclient.NotebookClient(notebook, timeout=600, resources={"metadata": {"path": folder}}).execute()
    shown = [output for cell in notebook.cells for output in cell.get("outputs", []) if "text/html" in output.get("data", {})]
    if not any("<iframe" in output["data"]["text/html"] for output in shown):
        sys.exit(f"{path}: no result shows its page in a kernel")
    print(f"{os.path.basename(path)} runs in a kernel of Jupyter")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--source", required=True)
    parser.add_argument("--update", action="store_true")
    given = parser.parse_args()
    failed = False
    ran = [run_sessions(given.source)]
    ran += [run_notebook(path, given.source) for path in sorted(glob.glob(os.path.join(given.source, "examples", "python", "*.ipynb")))]
    for path, seen, different in ran:
        if given.update:
            with open(path, "w", encoding="utf-8") as file:
                file.write(seen)
        elif different:
            failed = True
            print("\n".join(different))
    print(f"{len(ran) - 1} notebooks and a page of sessions run")
    return 1 if failed or len(ran) < 2 else 0


if __name__ == "__main__":
    sys.exit(main())
