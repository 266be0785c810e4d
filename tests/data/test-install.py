# SPDX-License-Identifier: MIT
"""Installs the build into an empty folder and checks the files with the tools of the system."""

import html
import json
import os
import re
import shutil
import subprocess
import tempfile
import tomllib
import unittest

SOURCE = os.environ["MS_SOURCE_ROOT"]
BUILD = os.environ["MS_BUILD_ROOT"]
PREFIX = os.environ["MS_PREFIX"]
LIBDIR = os.environ["MS_LIBDIR"]
IS_SANITIZED = os.environ["MS_SANITIZE"] != "none"
HAS_WINDOW = os.environ["MS_HAS_WINDOW"] == "true"
HAS_PYTHON = os.environ["MS_HAS_PYTHON"] == "true"
APP_ID = "io.github.meanshift_lab.MeanshiftLab"


def run(*command, **options):
    """What a program that not every system has would check is skipped there, but not in CI."""
    if not os.environ.get("CI") and not shutil.which(command[0]):
        raise unittest.SkipTest(f"{command[0]} is not installed")
    return subprocess.run(command, capture_output=True, text=True, **options)


class InstallTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.root = tempfile.mkdtemp(prefix="ms-install-")
        done = run("meson", "install", "-C", BUILD, "--no-rebuild", "--destdir", cls.root)
        if done.returncode != 0:
            raise RuntimeError(done.stdout + done.stderr)

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.root)

    def path(self, *parts):
        path = os.path.join(self.root + PREFIX, *parts)
        self.assertTrue(os.path.exists(path), path)
        return path

    def run_well(self, *command, **options):
        done = run(*command, **options)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done.stdout + done.stderr

    def test_program_runs_where_it_is_installed(self):
        text = self.run_well(self.path("bin", "meanshift-lab"), "--version")
        self.assertRegex(text, r"\Ameanshift-lab \d+\.\d+\.\d+\n")
        for library in ("GLib", "JSON-GLib", "cairo", "zlib", "libpng", "libjpeg-turbo", *self.optional_libraries()):
            self.assertRegex(text, rf"(?m)^{library} \d+\.\d+")

    @staticmethod
    def optional_libraries():
        names = {"libtiff-4": "libtiff", "libwebp": "libwebp", "libdeflate": "libdeflate",
                 "libisal": "ISA-L", "lcms2": "lcms2", "gtk+-3.0": "GTK"}
        found = json.loads(run("meson", "introspect", "--dependencies", BUILD).stdout)
        return [names[part["name"]] for part in found if part["name"] in names]

    def test_data_is_complete(self):
        for name in sorted(os.listdir(os.path.join(SOURCE, "data", "experiments"))):
            if name.endswith(".experiment"):
                self.path("share/meanshift-lab/experiments", name)
        for name in ("presets/presets.ini", "samples/harbour.png", "report.schema.json", "headless-report.schema.json",
                     "progress.schema.json"):
            self.path("share/meanshift-lab", name)

    def test_manual_page_has_no_warnings(self):
        page = self.path("share/man/man1/meanshift-lab.1")
        environment = dict(os.environ, MANWIDTH="100", LC_ALL="C.UTF-8")
        done = run("man", "--warnings", "--encoding=utf8", "--local-file", page, env=environment)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertTrue("--max-iterations" in re.sub(".\b", "", done.stdout), "the page shows no option")

    @unittest.skipUnless(shutil.which("mandoc"), "no mandoc, of which the build makes the page for a browser")
    def test_manual_for_a_browser(self):
        """Headings and options of the manual page are in the page that is made of it, whose links lead somewhere."""
        with open(self.path("share/man/man1/meanshift-lab.1"), encoding="utf-8") as file:
            source = file.read()
        with open(self.path("share/doc/meanshift-lab/meanshift-lab.html"), encoding="utf-8") as file:
            page = file.read()
        text = html.unescape(re.sub("<[^>]*>", "", page))
        for heading in re.findall(r'(?m)^\.SH "?([^"\n]*)', source):
            self.assertTrue(heading in re.sub(r"\s+", " ", text), heading)
        options = set(re.findall("--([a-z][a-z-]+)", source.replace("\\-", "-")))
        self.assertGreater(len(options), 50)
        for option in options:
            self.assertTrue("--" + option in text, option)
        ids = set(re.findall(r'id="([^"]*)"', page))
        links = set(re.findall(r'href="#([^"]*)"', page))
        self.assertLessEqual(links, ids)
        self.assertGreater(len(links), 10)

    @unittest.skipUnless(HAS_WINDOW, "the build has no window")
    def test_desktop_files_are_valid(self):
        entry = self.path("share/applications", APP_ID + ".desktop")
        self.assertEqual(self.run_well("desktop-file-validate", entry), "")
        metainfo = self.path("share/metainfo", APP_ID + ".metainfo.xml")
        # The project has no address yet, which an older appstreamcli does not mind; it has no name for that either.
        validate = ["appstreamcli", "validate", "--no-net", metainfo]
        if "url-homepage-missing" in run(*validate).stdout:
            validate.append("--override=url-homepage-missing=info")
        self.run_well(*validate)
        for url in re.findall(r"https?://[^<\"]*", open(metainfo, encoding="utf-8").read()):
            self.fail(f"{url} is in the metainfo, but the project has no address yet")
        schemas = self.path("share/glib-2.0/schemas")
        self.run_well("glib-compile-schemas", "--strict", "--dry-run", schemas)
        self.path("share/icons/hicolor/scalable/apps", APP_ID + ".svg")

    def library_folder(self):
        return os.path.dirname(os.path.dirname(self.path(LIBDIR, "pkgconfig", "meanshift-lab-1.pc")))

    def compile_example(self):
        """Compiles the library's example with the flags of pkg-config for the installation."""
        with open(self.path(LIBDIR, "pkgconfig", "meanshift-lab-1.pc"), encoding="utf-8") as file:
            text = re.sub("(?m)^prefix=.*$", "prefix=" + self.root + PREFIX, file.read())
        with open(os.path.join(self.root, "meanshift-lab-1.pc"), "w", encoding="utf-8") as file:
            file.write(text)
        environment = dict(os.environ, PKG_CONFIG_PATH=self.root)
        flags = run("pkg-config", "--cflags", "--libs", "meanshift-lab-1", env=environment).stdout.split()
        program = os.path.join(self.root, "example")
        self.run_well("cc", os.path.join(SOURCE, "core/api/example.c"), "-o", program, "-Werror", *flags)
        return program

    @unittest.skipIf(IS_SANITIZED, "a program without the sanitizer cannot load the library")
    def test_programs_build_on_the_library(self):
        environment = dict(os.environ, LD_LIBRARY_PATH=self.library_folder())
        source, result = (os.path.join(self.root, name) for name in ("picture.ppm", "result.png"))
        with open(source, "wb") as file:
            file.write(b"P6 40 30 255\n" + bytes(i * i // 7 % 251 for i in range(40 * 30 * 3)))
        self.run_well(self.compile_example(), source, result, env=environment)
        self.assertGreater(os.path.getsize(result), 1000)

    @unittest.skipUnless(HAS_PYTHON, "the build has no Python package")
    def test_wheel_takes_the_python_package_and_nothing_else(self):
        with open(os.path.join(SOURCE, "pyproject.toml"), "rb") as file:
            arguments = tomllib.load(file)["tool"]["meson-python"]["args"]["install"]
        with tempfile.TemporaryDirectory(prefix="ms-wheel-") as folder:
            self.run_well("meson", "install", "-C", BUILD, "--no-rebuild", "--destdir", folder, *arguments)
            # A newer Meson compiles what it installs; a wheel has files of the install plan alone.
            found = [os.path.join(where, name) for where, _, names in os.walk(folder) for name in names
                     if not where.endswith("__pycache__")]
        self.assertEqual({os.path.basename(os.path.dirname(path)) for path in found}, {"meanshift_lab"})
        names = {os.path.basename(path).split(".")[0] + os.path.splitext(path)[1] for path in found}
        self.assertEqual(names, {"__init__.py", "__init__.pyi", "_library.py", "_napari.py", "napari.yaml", "py.typed"})

    def complete_in_bash(self, *words):
        script = (
            'source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); compopt() { :; }; '
            '_meanshift_lab; printf "%s\\n" "${COMPREPLY[@]}"'
        )
        file = self.path("share/bash-completion/completions/meanshift-lab.bash")
        return self.run_well("bash", "-c", script, "bash", file, "meanshift-lab", *words).split()

    def test_bash_completes_options_and_values(self):
        self.assertEqual(self.complete_in_bash("--max-it"), ["--max-iterations"])
        self.assertEqual(self.complete_in_bash("--rule", ""), ["opencv", "truncate", "replicate"])
        self.assertIn("minmax-36", self.complete_in_bash("--variant", "minmax"))
        text = self.run_well(self.path("bin", "meanshift-lab"), "--help-all")
        every = set(re.findall(r"(?m)^  (?:-., )?(--[a-z-]+)", text))
        self.assertEqual(every, {word for word in self.complete_in_bash("-") if word.startswith("--")})

    def test_zsh_reads_its_completions(self):
        zsh = self.path("share/zsh/site-functions/_meanshift-lab")
        self.assertEqual(self.run_well("zsh", "-n", zsh), "")

    def test_fish_reads_its_completions(self):
        fish = self.path("share/fish/vendor_completions.d/meanshift-lab.fish")
        script = f"source {fish}; complete -C 'meanshift-lab --rule '"
        values = self.run_well("fish", "--no-config", "-c", script, env=dict(os.environ, HOME=self.root))
        self.assertIn("replicate", values.split())


if __name__ == "__main__":
    unittest.main()
