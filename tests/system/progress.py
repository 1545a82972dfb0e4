#!/usr/bin/env python3
"""Progress is shown on a terminal, taken away again at the end, and never goes into a file or a pipe.

  tests/system/progress.py RW-OPT MODEL
"""
import os
import pty
import subprocess
import sys
import tempfile


def on_terminal(command):
    """What the command writes to a terminal that is its standard error, and its exit status."""
    controller, terminal = pty.openpty()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=terminal)
    os.close(terminal)
    text = b""
    try:
        while block := os.read(controller, 65536):
            text += block
    except OSError:  # the other end was closed
        pass
    return text, process.wait()


def main():
    tool, model = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        command = [tool, model, "-o", os.path.join(folder, "out.onnx"), "--check", "1"]
        text, status = on_terminal([*command, "--progress-after", "0"])
        assert status == 0, (status, text)
        lines = text.split(b"\r\x1b[K")
        assert len(lines) >= 3, text  # before the first, at least one, after the last
        assert b" s  " in lines[1], text
        assert lines[-1] == b"", text  # nothing stays
        text, status = on_terminal([*command, "--progress-after", "1000"])
        assert (text, status) == (b"", 0), text  # not for short runs
        piped = subprocess.run([*command, "--progress-after", "0"], capture_output=True, check=True)
        assert piped.stderr == b"", piped.stderr
        assert b"\x1b" not in piped.stdout, piped.stdout
    print("progress: on a terminal only, and taken away")


if __name__ == "__main__":
    main()
