# SPDX-License-Identifier: MIT
"""Fails where the symbols that the library exports are not those of tests/api/symbols.txt and of the public header.

A symbol that is removed or renamed breaks programs that exist: that needs a new major version of the interface. A new
one is added to the list.
"""

import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).parent
HEADER = HERE.parent.parent / "core" / "api" / "meanshift-lab.h"


def exported(library):
    command = ["nm", "--dynamic", "--defined-only", "--with-symbol-versions", library]
    text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return {line.split()[2] for line in text.splitlines() if " A " not in line}


def declared():
    text = re.sub(r"/\*.*?\*/", "", HEADER.read_text(encoding="utf-8"), flags=re.DOTALL)
    return set(re.findall(r"^[\w ]+?[ *]+(mslab_\w+)\(", text, flags=re.MULTILINE))


def main():
    recorded = set((HERE / "symbols.txt").read_text(encoding="utf-8").split())
    found = exported(sys.argv[1])
    problems = ["missing: " + name for name in sorted(recorded - found)]
    problems += ["not recorded: " + name for name in sorted(found - recorded)]
    names = {name.split("@")[0] for name in found}
    problems += ["declared, not exported: " + name for name in sorted(declared() - names)]
    problems += ["exported, not declared: " + name for name in sorted(names - declared())]
    print("\n".join(problems))
    sys.exit(1 if problems else 0)


main()
