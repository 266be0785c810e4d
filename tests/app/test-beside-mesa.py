#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Mesa's OpenCL drivers beside another one, as most people have them: without devices they change and say nothing.

Needs Debian's mesa-opencl-icd. RUSTICL_ENABLE, without which rusticl has no device, is left out of the environment.
"""

import os
import pathlib
import unittest

import headless

VENDORS = pathlib.Path("/etc/OpenCL/vendors")


@unittest.skipUnless((VENDORS / "rusticl.icd").exists(), "Mesa's OpenCL drivers (mesa-opencl-icd) are not installed.")
class BesideMesa(headless.HeadlessCase):
    def setUp(self):
        super().setUp()
        os.environ.pop("RUSTICL_ENABLE", None)
        self.alone = self.dir / "vendors"
        self.alone.mkdir()
        for file in VENDORS.glob("*.icd"):
            if file.name not in ("mesa.icd", "rusticl.icd"):
                (self.alone / file.name).symlink_to(file)

    def both(self, *arguments):
        """Standard output with Mesa's drivers and without; nothing is on standard error."""
        results = [self.run_program(*arguments, env=env) for env in ({}, {"OCL_ICD_VENDORS": str(self.alone)})]
        self.assertEqual([error for _, error in results], ["", ""])
        return [output for output, _ in results]

    def test_devices(self):
        with_mesa, without = self.both("--list-devices")
        self.assertEqual(with_mesa, without)

    def test_picture(self):
        source = self.picture("a.png")
        with_mesa, without = self.both(source, "-o", "-", "--format", "png")
        self.assertTrue(with_mesa)
        self.assertEqual(with_mesa, without)


if __name__ == "__main__":
    unittest.main()
