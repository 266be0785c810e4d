#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Help, diagnosis, lists of devices, terminals and locales."""

import contextlib
import csv
import io
import argparse
import json
import os
import pathlib
import re
import subprocess
import sys
import unittest
import unittest.mock

from headless import HeadlessCase, PROGRAM, SOURCE, in_ci


class Program(HeadlessCase):
    def test_help_and_version(self):
        for option in ("--help", "--help-all", "--version"):
            result = subprocess.run([PROGRAM, option], capture_output=True, timeout=600, check=True)
            self.assertIn(b"meanshift-lab", result.stdout)
            self.assertEqual(result.stderr, b"")

    def test_diagnosis(self):
        home, elsewhere = str(self.dir / "home"), str(self.dir / "elsewhere")
        result = subprocess.run([PROGRAM, "--diagnose"], capture_output=True, text=True, timeout=900, check=False,
                                env=os.environ | {"XDG_CACHE_HOME": elsewhere, "HOME": home})
        self.assertEqual((result.returncode, result.stderr), (0, ""), result.stdout)
        lines = dict(re.findall(r"(?m)^  0:0 +(\S.*?)  +(\S.*)$", result.stdout))
        self.assertRegex(lines.pop("matrix"), "^not here: ")
        # Wide vectors need a processor that has them.
        self.assertRegex(lines.pop("rows-wide"), "^(identical|not here)")
        self.assertEqual(set(lines.values()), {"identical to the reference"}, result.stdout)
        listed = subprocess.run([PROGRAM, "--help-all"], capture_output=True, text=True, timeout=600, check=True).stdout
        kernels = re.search(r"--kernel (\S+)", listed).group(1).split("|")
        reductions = re.findall(r"reduction (\S+)", result.stdout)
        self.assertLessEqual({"auto", "direct", "rows", "packed"}, set(kernels))
        self.assertLessEqual(set(kernels) - {"auto", "matrix", "rows-wide"}, set(lines))
        self.assertLessEqual({"labels of regions", "modes", "histogram", "sort", "L*u*v*"}, set(lines))
        self.assertEqual(len(reductions), 11)
        # The line that helps others: the rules know PoCL, whose kernels are not measured.
        row = re.search(r"(?m)^\| (.+) \| (.+) \| (.+) \| (.+) \|$", result.stdout)
        name, driver, identical, candidates = row.groups()
        not_here = len(re.findall(r"(?m)  not here: ", result.stdout))
        self.assertRegex(driver, "^Portable Computing Language, [0-9]")
        self.assertIn(f"0:0   {name}\n", result.stdout)
        n, of = map(int, re.fullmatch(r"(\d+) of (\d+)", identical).groups())
        self.assertEqual((of - n, candidates), (not_here, "by rules"))
        self.assertIn("$XDG_CACHE_HOME/meanshift-lab/programs", result.stdout)
        self.assertNotIn(str(self.dir), result.stdout)

    def test_diagnosis_of_a_cache_at_home(self):
        """Without a device, which the report says, too."""
        result = subprocess.run([PROGRAM, "--diagnose"], capture_output=True, text=True, timeout=600, check=False,
                                env=os.environ | {"XDG_CACHE_HOME": str(self.dir / "cache"), "HOME": str(self.dir),
                                                  "OCL_ICD_VENDORS": str(self.dir)})
        self.assertEqual(result.returncode, 4, result.stderr)
        self.assertIn("~/cache/", result.stdout)
        self.assertRegex(result.stdout, r"(?m)^  none: No OpenCL device")
        self.assertNotIn(str(self.dir), result.stdout + result.stderr)

    def errors_on_terminal(self, *arguments, **variables):
        """Standard error of a run that fails, with a terminal there."""
        return self.run_on_terminal("missing.png", "--timings", *arguments, status=1, **variables)

    def run_on_terminal(self, *arguments, status=0, **variables):
        environment = {k: v for k, v in os.environ.items() if k != "NO_COLOR"} | {"TERM": "xterm"} | variables
        reader, terminal = os.openpty()
        result = subprocess.run([PROGRAM, "--headless", *arguments], stdout=subprocess.DEVNULL, stderr=terminal,
                                env=environment, timeout=600, check=False)
        os.close(terminal)
        text = self.rest_of_terminal(reader)
        os.close(reader)
        self.assertEqual(result.returncode, status, text)
        return text

    @staticmethod
    def rest_of_terminal(reader):
        """What was written to a terminal until its last writer closed it, which may take several reads."""
        pieces = []
        with contextlib.suppress(OSError):
            while piece := os.read(reader, 65536):
                pieces.append(piece)
        return b"".join(pieces).decode()

    def test_progress_on_a_terminal(self):
        """How many images are done, and the share of the present one in per cent, ten times a second."""
        self.picture("a.png", 120, 90)
        text = self.run_on_terminal(self.src, "-o", self.out, "--device", "reference", "--sp", "24")
        drawn = re.findall(r"\r\033\[K\[(\d+)/(\d+)\] +(\d+) % ([^\r]+)", text)
        self.assertGreater(len(drawn), 0, text)
        for done, total, share, name in drawn:
            self.assertIn((int(done), int(total), pathlib.Path(name).name), ((0, 1, "a.png"), (1, 1, "a.png")))
            self.assertLessEqual(int(share), 100)
        self.assertEqual(drawn, sorted(drawn, key=lambda row: int(row[2])))

    def test_colour(self):
        red = "\033[1;31mmeanshift-lab:"
        self.assertIn(red, self.errors_on_terminal())
        self.assertNotIn(red, self.errors_on_terminal(NO_COLOR="1"))
        self.assertIn(red, self.errors_on_terminal(NO_COLOR=""))
        self.assertNotIn(red, self.errors_on_terminal(TERM="dumb"))
        self.assertNotIn(red, self.errors_on_terminal("--color", "never"))
        self.assertIn(red, self.errors_on_terminal("--color", "always", NO_COLOR="1"))
        self.assertNotIn(red, self.run_program("missing.png", "--timings", status=1)[1])
        self.assertIn(red, self.run_program("missing.png", "--timings", "--color", "always", status=1)[1])

    @in_ci
    def test_kernels_build_without_a_word(self):
        source = self.picture("a.png")
        for kernel, sp in (("direct", 3), ("rows", 3), ("packed", 10)):
            fresh = {name: str(self.dir / f"{name}-{kernel}-{sp}") for name in ("XDG_CACHE_HOME", "POCL_CACHE_DIR")}
            with self.subTest(kernel=kernel, sp=sp):
                _, error = self.run_program(source, "-q", "--verify", "--kernel", kernel, "--sp", sp, "--device", "cpu",
                                            env=fresh)
                self.assertEqual(error, "")

    def test_devices_are_listed(self):
        text, _ = self.run_program("--list-devices")
        listed = json.loads(self.run_program("--list-devices", "--json", "-")[0])
        self.assertGreater(len(listed["devices"]), 0)
        # Drivers put any number of spaces between their extensions.
        self.assertEqual(re.sub(" +cl_", " cl_", text.decode()),
                         re.sub(" +cl_", " cl_", "".join(map(self.text_of_device, listed["devices"]))))

    def text_of_device(self, device):
        """What --list-devices prints of a device in its report."""
        d = argparse.Namespace(**device)
        size = lambda n: f"{n >> 20} MiB" if n >= 1 << 20 else f"{n >> 10} KiB"
        answer = lambda yes: "yes" if yes else "no"
        lines = {"platform": f"{d.platform}, {d.version}", "vendor": f"{d.vendor}, driver {d.driver}",
                 "type": f"{d.type}, {d.compute_units} compute units at {d.clock_mhz} MHz",
                 "global memory": size(d.global_memory), "largest buffer": size(d.max_allocation),
                 "local memory" if d.local_memory_dedicated else "local memory (cached)": size(d.local_memory),
                 "work-group": f"{d.max_work_group} work-items, at most {'x'.join(map(str, d.max_work_item))}, in "
                               f"steps of {d.preferred_multiple}",
                 "images": f"up to {'x'.join(map(str, d.max_image))}" if d.images else "none",
                 "features": f"fp64 {answer(d.fp64)}, sub-groups {answer(d.subgroups)}, 64-bit atomics "
                             f"{answer(d.int64_atomics)}",
                 "fastest kernel": f"by {d.kernel_chosen_by}",
                 "extensions": " ".join(d.extensions)}
        return f"{d.address:5} {d.name}\n" + "".join(f"      {name:22} {value}\n" for name, value in lines.items())

    def test_a_damaged_result_of_tuning_is_named(self):
        folder = self.dir / "data" / "meanshift-lab" / "tuning"
        folder.mkdir(parents=True)
        (folder / "0.winner.json").write_text("[" * 100000)
        (folder / "1.json").write_text("not a winner")
        _, error = self.run_program(self.picture("a.png"), "-o", self.out / "a.png", "--device", "cpu",
                                    env={"XDG_DATA_HOME": str(self.dir / "data")})
        self.sentence(error, "0.winner.json", "damaged", "--tune")
        self.assertNotIn("1.json", error)
        self.assertEqual(self.names(), ["a.png"])

    def reports(self):
        """Each report without a schema: its title in the manual page, and the names of its members or columns."""
        image, cpu = self.picture("a.png"), ("--device", "cpu")
        study, manifest = self.dir / "own.experiment", self.dir / "done.jsonl"
        study.write_text("[Experiment]\nTitle=Own\nKind=reduce\n[Axes]\nvariant=naive;pcl\n[Fixed]\nop=sum\nsize=1000\n"
                         "[Plot]\nX=variant\n")

        def columns(*arguments):
            return next(csv.reader(io.StringIO(self.run_program(*arguments, "--csv", "-")[0].decode())))

        def members(*arguments):
            return named(json.loads(self.run_program(*arguments, "--json", "-")[0]))

        def named(value):
            # What lies below these are settings by the names of their options.
            for name, inner in value.items() if isinstance(value, dict) else ():
                yield name
                yield from () if name in ("options", "settings") else named(inner)
            for inner in value if isinstance(value, list) else ():
                yield from named(inner)

        done = (image, "-o", self.out, "--device", "reference", "--resume=hash", "--manifest", manifest)
        yield "--csv of images", columns(*done, "--format", "jpeg", "--convert-to", "srgb")
        yield "--manifest", named(*self.ended(manifest))
        self.run_program("--experiment", study, *cpu, "--repeat", "1", "--report-dir", self.dir / "reports")
        yield "--report-dir", next(csv.reader(io.StringIO((self.dir / "reports" / "own.csv").read_text())))
        for form in (columns, members):
            yield "--regions", form("--regions", image, "--space", "lab", "--device", "reference")
        yield "--list-devices --json", members("--list-devices")

    def test_the_manual_names_what_reports_hold(self):
        page = (SOURCE / "data" / "meanshift-lab.1").read_text().replace("\\-", "-").replace("\\fR", "")
        section = re.search(r"(?ms)^\.SH REPORTS\n(.*?)^\.SH", page).group(1)
        entries = dict(re.findall(r"(?ms)^\.TP\n\.B (--\S.*?)\n(.*?)(?=^\.TP|\Z)", section))
        with unittest.mock.patch.dict(os.environ):
            found = [(title, list(names)) for title, names in self.reports()]
        self.assertEqual(entries.keys(), {title for title, _ in found})
        for title, names in found:
            self.assertGreater(len(names), 5)
            for name in names:
                if f"--{name.replace('_', '-')}" not in page:
                    self.assertRegex(entries[title], rf"\b{name}\b", title)

    def test_gtk_is_not_loaded(self):
        libraries = subprocess.run(["ldd", PROGRAM], capture_output=True, text=True, check=True).stdout
        self.assertIn("libOpenCL", libraries)
        self.assertNotIn("libgtk", libraries)
        self.assertNotIn("libgdk", libraries)

    def test_a_locale_with_commas_changes_nothing(self):
        source = self.picture("a.png", 30, 20)
        # The numbers of German alone: the whole locale takes a second to make.
        (self.dir / "numbers").write_text('LC_NUMERIC\ncopy "de_DE"\nEND LC_NUMERIC\n')
        made = subprocess.run(["localedef", "-c", "-i", str(self.dir / "numbers"), "-f", "UTF-8",
                               str(self.dir / "de_DE.UTF-8")], capture_output=True, check=False)
        if not (self.dir / "de_DE.UTF-8").is_dir():
            self.skipTest(f"No German locale can be made here (package locales): {made.stderr.decode().strip()}")
        german = {"LOCPATH": str(self.dir), "LC_ALL": "", "LANG": "C.UTF-8", "LC_NUMERIC": "de_DE.UTF-8"}
        comma = subprocess.run(["printf", "%.1f", "1,5"], env={**os.environ, **german}, capture_output=True, text=True,
                               check=False)
        self.assertEqual(comma.stdout, "1,5")
        report = self.report(source, "--sp", "2.5", "-o", self.out / "x.png", "--device", "reference", env=german)
        self.assertEqual(report["images"][0]["parameters"]["sp"], 2.5)
        self.assertGreater(report["images"][0]["kernel_ms"]["median"], 0)
        rows, _ = self.run_program(source, "--sp", "2.5", "--device", "reference", "--csv", "-", env=german)
        row = next(csv.DictReader(io.StringIO(rows.decode())))
        self.assertEqual(row["sp"], "2.5")
        self.assertGreater(float(row["kernel_ms_median"]), 0)
        table, _ = self.run_program(source, "--device", "reference", "--timings", env=german)
        self.assertRegex(table.decode(), r"median \d+\.\d+ ms")


if __name__ == "__main__":
    sys.exit(unittest.main(verbosity=2))
