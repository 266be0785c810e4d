# SPDX-License-Identifier: MIT
"""Runs the example of the library on the sample; its file must be that of the program."""

import pathlib
import subprocess
import sys
import tempfile
import os

SAMPLE = os.path.join(os.environ["MS_SOURCE_ROOT"], "data", "samples", "harbour.png")


def main():
    example, program = sys.argv[1:]
    with tempfile.TemporaryDirectory(prefix="ms-example-") as folder:
        ours, theirs = (pathlib.Path(folder, name) for name in ("example.png", "program.png"))
        subprocess.run([example, SAMPLE, ours], check=True)
        subprocess.run([program, "--headless", SAMPLE, "--sp", "10", "--sr", "20", "-o", theirs], check=True)
        if ours.read_bytes() != theirs.read_bytes():
            sys.exit("The example's file differs from the program's.")
    done = subprocess.run([example, "/nothing", "x.png"], capture_output=True, text=True, check=False)
    if done.returncode != 1 or "/nothing" not in done.stderr:
        sys.exit("The example does not report a missing file: " + done.stderr)


main()
