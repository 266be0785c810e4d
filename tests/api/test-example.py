# SPDX-License-Identifier: MIT
"""Runs the example of the library on a picture; its file must be that of the program."""

import pathlib
import subprocess
import sys
import tempfile

PICTURE = b"P6 60 40 255\n" + bytes((x * 3 + y * 5 + x * y % 19 + c * 40) % 256
                                    for y in range(40) for x in range(60) for c in range(3))


def main():
    example, program = sys.argv[1:]
    with tempfile.TemporaryDirectory(prefix="ms-example-") as folder:
        source, ours, theirs = (pathlib.Path(folder, name) for name in ("picture.ppm", "example.png", "program.png"))
        source.write_bytes(PICTURE)
        subprocess.run([example, source, ours], check=True)
        subprocess.run([program, "--headless", source, "--sp", "10", "--sr", "20", "-o", theirs], check=True)
        if ours.read_bytes() != theirs.read_bytes():
            sys.exit("The example's file differs from the program's.")
    done = subprocess.run([example, "/nothing", "x.png"], capture_output=True, text=True, check=False)
    if done.returncode != 1 or "/nothing" not in done.stderr:
        sys.exit("The example does not report a missing file: " + done.stderr)


main()
