# SPDX-License-Identifier: MIT
"""Checks that the Debian sources and the Flatpak manifest agree with the project.

With MS_TEST_FULL=1 the Debian packages are built as well and lintian must find no error.
"""

import glob
import json
import os
import re
import shutil
import subprocess
import tempfile
import unittest

SOURCE = os.environ["MS_SOURCE_ROOT"]
APP_ID = "io.github.meanshift_lab.MeanshiftLab"
PACKAGES = ("meanshift-lab", "libmeanshift-lab-1-0", "libmeanshift-lab-1-dev", "gir1.2-meanshiftlab-1",
            "python3-meanshift-lab", "gegl-meanshift-lab")
# Programs that every Debian system for building has, and what only running needs.
NOT_NAMED = {"gcc", "libc6-dev", "pocl-opencl-icd", "python3-venv"}


def read(*parts):
    with open(os.path.join(SOURCE, *parts), encoding="utf-8") as file:
        return file.read()


def names(text):
    return {line for line in text.split("\n") if line and not line.startswith("#")}


class PackagesTest(unittest.TestCase):
    def test_version_is_that_of_the_project(self):
        version = re.search(r"version: '([\d.]+)'", read("meson.build")).group(1)
        self.assertTrue(read("data/debian/changelog").startswith(f"meanshift-lab ({version}-1) "))
        self.assertEqual(re.search(r"(?m)^\d\S*$", read("data/NEWS")).group(), version)
        metainfo = read("data", APP_ID + ".metainfo.xml")
        self.assertEqual(re.search('release version="([^"]*)"', metainfo).group(1), version)

    def test_debian_sources_build_with_every_package_of_the_list(self):
        field = re.search(r"(?m)^Build-Depends:((?:.*\n)(?: .*\n)*)", read("data/debian/control")).group(1)
        built_with = {re.split(r"[ (]", part.strip())[0] for part in field.split(",")}
        lists = ("app/packages.txt", "app/gegl/packages.txt", "app/python/packages.txt")
        needed = set().union(*(names(read(path)) for path in lists))
        self.assertEqual(needed - NOT_NAMED - built_with, set())

    def test_debian_sources_have_every_package(self):
        self.assertEqual(tuple(re.findall(r"(?m)^Package: (.*)$", read("data/debian/control"))), PACKAGES)
        for name in PACKAGES:
            self.assertTrue(read("data/debian", name + ".install"))

    def test_flatpak_manifest_starts_the_program(self):
        manifest = json.loads(read("data/flatpak", APP_ID + ".json"))
        self.assertEqual((manifest["id"], manifest["command"]), (APP_ID, "meanshift-lab"))
        options = set(re.findall(r"option\('(\w+)'", read("meson_options.txt")))
        given = {word[2:].split("=")[0] for word in manifest["modules"][-1]["config-opts"]}
        self.assertEqual(given - options, set())

    @unittest.skipUnless(os.environ.get("MS_TEST_FULL") and shutil.which("lintian") and shutil.which("git") and
                         os.path.exists(os.path.join(SOURCE, ".git")),
                         "a build of minutes, with MS_TEST_FULL=1 in a repository where lintian is installed")
    def test_debian_packages_build_without_errors_of_lintian(self):
        with tempfile.TemporaryDirectory(prefix="ms-debian-") as folder:
            # What is in the packages counts here, so the compiler need not optimise it, nor debug symbols be packed.
            environment = {**os.environ, "DEBEMAIL": "packages@debian.org",
                           "DEB_BUILD_OPTIONS": f"nocheck noopt noautodbgsym parallel={os.cpu_count()}"}
            subprocess.run(["sh", os.path.join(SOURCE, "data/debian/build.sh"), folder], env=environment,
                           stdout=subprocess.DEVNULL, check=True)
            changes = glob.glob(os.path.join(folder, "*.changes"))
            done = subprocess.run(["lintian", "--fail-on", "error", *changes], capture_output=True, text=True,
                                  check=False)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)


if __name__ == "__main__":
    unittest.main()
