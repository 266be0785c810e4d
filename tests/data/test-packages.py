# SPDX-License-Identifier: MIT
"""Checks that the lists of packages, the Debian sources and the Flatpak manifest agree with the project.

In the long form the Debian packages are built as well and lintian must find no error.
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
PACKAGES = ("meanshift-lab", "libmeanshift-lab-1-0", "libmeanshift-lab-1-dev",
            "python3-meanshift-lab", "gegl-meanshift-lab")
# Programs that every Debian system for building has, and what only running needs.
NOT_NAMED = {"gcc", "libc6-dev", "pocl-opencl-icd", "python3-venv"}


def read(*parts):
    with open(os.path.join(SOURCE, *parts), encoding="utf-8") as file:
        return file.read()


def rows(path):
    return [line.split() for line in read(path).split("\n") if line and not line.startswith("#")]


def install(folder, programs, *lists):
    """What install_packages of app/setup.sh says, and its status, where these programs and a shell's are installed."""
    for name in ("awk", "cat", "cmp", "dirname", "grep", "id", "mkdir", "sh", "tr"):
        os.symlink(shutil.which(name), os.path.join(folder, name))
    for name, script in programs.items():
        path = os.path.join(folder, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write("#!/bin/sh\n" + script)
        os.chmod(path, 0o755)
    script = '. "$1"; shift; as_root() { "$@"; }; install_packages "$@"'
    paths = [os.path.join(SOURCE, path) for path in lists]
    done = subprocess.run(
        ["sh", "-c", script, "sh", os.path.join(SOURCE, "app/setup.sh"), os.path.join(folder, "stamp"), *paths],
        env={"PATH": folder}, capture_output=True, text=True, check=False)
    return done.returncode, done.stderr


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
        needed = {row[0] for path in lists for row in rows(path)}
        self.assertEqual(needed - NOT_NAMED - built_with, set())

    def test_every_package_has_a_name_on_every_distribution(self):
        for path in ("app/packages.txt", "app/gegl/packages.txt", "app/python/packages.txt", "tests/packages.txt",
                     "tests/packages-bare.txt"):
            self.assertEqual([row for row in rows(path) if len(row) != 4], [], path)

    def test_other_distributions_are_told_the_line_that_installs(self):
        for manager, column, start in (("dnf", 1, "dnf install gcc "), ("pacman", 2, "pacman -S --needed gcc "),
                                       ("zypper", 3, "zypper install gcc ")):
            with self.subTest(manager), tempfile.TemporaryDirectory(prefix="ms-setup-") as folder:
                status, text = install(folder, {manager: ""}, "app/packages.txt", "app/python/packages.txt")
                self.assertEqual(status, 1)
                line = text.splitlines()[-1]
                self.assertTrue(line.startswith(start), line)
                named = {row[column] for path in ("app/packages.txt", "app/python/packages.txt") for row in rows(path)}
                self.assertEqual(set(line[line.index("gcc"):].split()), named - {"-"})

    def test_a_package_that_debian_dropped_is_left_out(self):
        # This Debian has nothing installed, and no package whose name the list marks.
        apt = 'case "$*" in *--simulate*) exit 100 ;; *) echo "apt-get $*" >&2 ;; esac\n'
        with tempfile.TemporaryDirectory(prefix="ms-setup-") as folder:
            programs = {"apt-get": apt, "dpkg-query": "exit 1\n", "env": 'shift\nexec "$@"\n'}
            status, text = install(folder, programs, "tests/packages.txt")
        self.assertEqual(status, 0, text)
        self.assertIn("This distribution has no oclgrind: what needs it is skipped.\n", text)
        installed = re.search(r"(?m)^apt-get install (.*)$", text).group(1).split()
        names = {row[0] for row in rows("tests/packages.txt")}
        self.assertEqual(names - set(installed), {name for name in names if name.endswith("?")})

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

    @unittest.skipUnless(os.environ.get("MS_TEST_FORM") == "long" and shutil.which("lintian") and
                         shutil.which("git") and
                         os.path.exists(os.path.join(SOURCE, ".git")),
                         "a build of minutes, in the long form in a repository where lintian is installed")
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
