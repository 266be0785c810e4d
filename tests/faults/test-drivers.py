#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""A driver that aborts, crashes, hangs or exits in a call: the command ends in time with a sentence, keeps what was
done, and starts few processes in vain.

The long form (MS_TEST_FORM=long) runs every case, CI a sample of them."""

import collections
import contextlib
import itertools
import json
import os
import pathlib
import re
import signal
import struct
import subprocess
import sys
import time
import unittest

import faults
import headless

ON_CPU = ("--device", "cpu", "--sp", "2", "--jobs", "1")
# The limit that ends drivers which hang, and one that nothing reaches on a busy machine.
TIMEOUT, NO_TIMEOUT = "20s", "1h"
OVERWRITE = ("--on-conflict", "overwrite")
MODES = ("abort", "segv", "exit0", "exit1", "hang")
AT_ONCE = 8

# A call of each phase. The first calls of most are those of the probe that opens the device.
PHASES = {"opening": "clCreateContext", "building": "clCreateProgramWithBinary", "launching": "clEnqueueNDRangeKernel",
          "waiting": "clWaitForEvents", "releasing": "clReleaseMemObject", "closing": "clReleaseContext"}


class Run:
    """A program with a fault, which is waited for later."""

    def __init__(self, case, name, arguments, call, nth, mode, always, timeout=None):
        self.about = f"{name}: {mode} at call {nth} of {call}{' and all later ones' if always else ''}"
        self.mode, self.always = mode, always
        self.count = case.dir / f"count-{len(case.runs)}"
        self.count.write_bytes(bytes(faults.COUNT_SIZE))
        self.starts = case.dir / f"starts-{len(case.runs)}"
        environment = {**os.environ, "OPENCL_LAYERS": faults.LAYER, "MS_FAULT_COUNT": str(self.count),
                       "MS_FAULT_CALL": call, "MS_FAULT_NTH": str(nth), "MS_FAULT_MODE": mode,
                       "MS_FAULT_ALWAYS": str(int(always)), "MS_FAULT_STARTS": str(self.starts)}
        limit = timeout or (TIMEOUT if mode == "hang" else NO_TIMEOUT)
        self.process = subprocess.Popen([headless.PROGRAM, "--headless", *map(str, arguments), "--timeout", limit],
                                        env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        case.addCleanup(self.process.kill)
        case.runs.append(self)

    def end(self):
        out, error = self.process.communicate(timeout=600)
        self.out, self.error, self.code = out, error.decode(), self.process.returncode
        self.about += f": status {self.code}\n{self.error}"
        self.hit = struct.unpack("ll", self.count.read_bytes())[0]
        self.n_starts = self.starts.stat().st_size if self.starts.exists() else 0


def side_by_side(runs):
    """Gives the runs in their order while the next ones, which asking for them starts, wait for drivers that hang."""
    started = collections.deque()
    for run in runs:
        started.append(run)
        if len(started) == AT_ONCE:
            yield started.popleft()
    yield from started


def processes_with(variable, value):
    """The processes that run with this variable of the environment."""
    wanted = os.fsencode(f"{variable}={value}")
    for process in pathlib.Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if wanted in (process / "environ").read_bytes().split(b"\0"):
                yield int(process.name)


class Drivers(faults.FaultCase):
    def setUp(self):
        super().setUp()
        self.runs = []

    def count_calls(self, arguments, call):
        """Of a run with kernels in the cache: the run before it compiles them, which takes further calls."""
        command = [headless.PROGRAM, "--headless", *map(str, arguments)]
        subprocess.run(command, timeout=600, check=True, capture_output=True)
        self.count.write_bytes(bytes(faults.COUNT_SIZE))
        environment = {**os.environ, "OPENCL_LAYERS": faults.LAYER, "MS_FAULT_COUNT": str(self.count),
                       "MS_FAULT_CALL": call}
        subprocess.run(command, env=environment, timeout=600, check=True, capture_output=True)
        return struct.unpack("ll", self.count.read_bytes())[0]

    def commands(self, name=""):
        """The commands that load a driver, and the file in a folder of that name that each must leave where it
        succeeds."""
        source, folder = self.src / "a.png", self.out / name
        if not source.exists():
            self.picture("a.png", 60, 40)
        folder.mkdir(exist_ok=True)
        return {
            "reduce": (["--reduce", "sum", "--size", "4096", "--device", "cpu", "--json", folder / "sum.json"],
                       folder / "sum.json"),
            "list": (["--list-devices"], None),
            "diagnose": (["--diagnose"], None),
            "regions": (["--regions", source, "-o", folder / "r.png", *OVERWRITE, *ON_CPU[:4]], folder / "r.png"),
            "one": ([source, "-o", folder / "one.png", *OVERWRITE, *ON_CPU], folder / "one.png"),
            "named": ([source, "-o", folder, "--name", "named-{sp}.{device}.png", *OVERWRITE, *ON_CPU], None),
            "statistics": ([source, "--stats", "--histogram", *ON_CPU], None),
        }

    def cases(self):
        """In the long form all, otherwise each command with some of the phases and modes, each of which occurs."""
        for number, case in enumerate(itertools.product(self.commands(), PHASES, MODES, (False, True)), 1):
            if faults.LONG or number % 17 == 0:
                yield case

    def start_cases(self):
        """Starts a case each time that the next one is asked for: a run, its phase and the file that it must leave."""
        known = {}
        for name, phase, mode, always in self.cases():
            call = PHASES[phase]
            if (name, call) not in known:
                known[name, call] = self.count_calls(self.commands()[name][0], call)
            arguments, file = self.commands(f"{len(self.runs)}")[name]
            yield Run(self, name, arguments, call, max(known[name, call] // 2, 1), mode, always), phase, file

    def check(self, run, phase, file):
        self.assertIn(run.code, (0, 1, 4), run.about)
        self.assertLessEqual(run.n_starts, 5, run.about)
        for raw in faults.RAW_MESSAGES:
            self.assertNotIn(raw, self.without_driver(run.error), run.about)
        if phase == "closing":
            self.assertEqual(run.code, 0, run.about)
        elif run.hit > 0 and run.code != 0:
            self.assertTrue(any(len(line.split()) > 8 for line in run.error.splitlines()), run.about)
        if not run.always:
            self.assertNotIn("; delete '", run.error, run.about)
        if run.hit > 0 and phase != "closing" and run.always:
            self.assertNotEqual((run.code, run.error), (0, ""), run.about)
        if run.code == 0 and file:
            self.assertTrue(file.exists(), run.about)

    def test_each_command(self):
        for run, phase, file in side_by_side(self.start_cases()):
            run.end()
            self.check(run, phase, file)
        print(f"{len(self.runs)} faults", file=sys.stderr)

    def test_results_stay_when_the_device_is_closed(self):
        for name, (arguments, file) in self.commands().items():
            if faults.LONG or name in ("reduce", "one"):
                for call in ("clReleaseCommandQueue", "clReleaseContext"):
                    run = Run(self, name, arguments, call, 1, "abort", True)
                    run.end()
                    self.assertEqual(run.code, 0, run.about)

    def test_a_driver_that_takes_long_to_end(self):
        """A command kills a driver that has not ended a second after the results were there."""
        for name, (arguments, file) in self.commands().items():
            if name in ("reduce", "regions"):
                ended = self.dir / f"ended-{name}"
                self.run_program(*arguments, env={"LD_PRELOAD": faults.PRELOAD, "MS_FAULT_EXIT": str(ended)})
                self.assertTrue(file is None or file.exists())
                while any(processes_with("MS_FAULT_EXIT", ended)):
                    time.sleep(0.01)
                self.assertFalse(ended.exists(), name)

    def batch_command(self, *options):
        return [self.src, "-o", self.out, "--manifest", self.dir / "m.jsonl", "--resume", *ON_CPU, *options]

    def make_batch(self, n=12):
        for i in range(n):
            self.picture(f"p{i:02}.png", 30 + i, 20, seed=i)

    def check_batch(self, run, rest):
        """What was saved is recorded as done, and the next run does the rest."""
        lines = [json.loads(line) for line in (self.dir / "m.jsonl").read_text().splitlines()]
        done = {pathlib.Path(line["output"]).name for line in lines if line["status"] == "done"}
        self.assertEqual(done, set(self.names()), run.about)
        self.assertEqual([p.name for p in self.dir.rglob("*.tmp")], [], run.about)
        self.assertEqual(len(done) < rest, run.code != 0, run.about)
        self.run_program(*self.batch_command())
        self.assertEqual(len(self.names()), rest)

    def test_a_batch_whose_device_is_lost(self):
        """From some kernel on, the driver fails, also whenever it is opened: the batch ends soon."""
        for mode in MODES if faults.LONG else ("abort", "exit0"):
            with self.subTest(mode):
                self.empty()
                self.make_batch()
                calls = self.count_calls([self.src, "-o", self.out, *OVERWRITE, *ON_CPU], "clEnqueueNDRangeKernel")
                self.empty()
                report = self.dir / "report.json"
                report.unlink(missing_ok=True)
                command = self.batch_command("--json", report)
                run = Run(self, "batch", command, "clEnqueueNDRangeKernel", calls // 2, mode, True)
                run.end()
                self.assertEqual(run.code, 4, run.about)
                states = [image["status"] for image in json.loads(report.read_text())["images"]]
                self.assertEqual((len(states), states.count("done")), (12, len(self.names())), run.about)
                self.assertLessEqual(run.n_starts, 5, run.about)
                self.assertIn("Choose another device with --device.", run.error)
                self.check_batch(run, 12)

    def test_a_batch_whose_driver_fails_once(self):
        for mode in MODES if faults.LONG else ("segv", "hang"):
            with self.subTest(mode):
                self.empty()
                self.make_batch(6)
                calls = self.count_calls([self.src, "-o", self.out, *OVERWRITE, *ON_CPU], "clEnqueueNDRangeKernel")
                self.empty()
                run = Run(self, "batch", self.batch_command(), "clEnqueueNDRangeKernel", calls // 2, mode, False)
                run.end()
                self.assertEqual(run.code, 0, run.about)
                self.assertRegex(run.error, "second attempt|started once more")
                self.check_batch(run, 6)

    def test_a_round_of_merging_that_joins_nothing(self):
        """A driver that leaves out the kernel which joins regions ends the command with a sentence, not in a loop."""
        arguments = [self.picture("noise.png", 60, 40), "--regions", "--min-region", "50", "-o", self.out / "r.png",
                     *OVERWRITE, *ON_CPU[:4]]
        errors = ""
        for nth in range(1, self.count_calls(arguments, "clEnqueueNDRangeKernel") + 1):
            run = Run(self, "regions", arguments, "clEnqueueNDRangeKernel", nth, "skip", False)
            run.end()
            self.assertIn(run.code, (0, 1), run.about)
            errors += run.error
        self.assertIn("a round of merging joined none of", errors)

    def test_a_damaged_cache_is_set_aside(self):
        """The compiled kernels in the cache of PoCL are cut, after which PoCL ends the process that loads them."""
        cache = self.dir / "pocl"
        source = self.picture("a.png")
        environment = {"POCL_CACHE_DIR": str(cache)}
        reduce = ["--reduce", "sum", "--size", "64", *ON_CPU[:2]]
        self.run_program(source, "-o", self.out / "a.png", *ON_CPU, env=environment)
        self.run_program(*reduce, env=environment)
        self.assertGreater(len(list(cache.rglob("*.so"))), 0)
        for arguments, sentence in (([source, "-o", self.out / "b.png", *ON_CPU], "second attempt"),
                                    (reduce, f"; delete '{cache}'")):
            for library in cache.rglob("*.so"):
                os.truncate(library, 100)
            _, error = self.run_program(*arguments, env=environment)
            self.assertIn(str(cache), error)
            self.assertIn(sentence, error)
        self.assertEqual((self.out / "a.png").read_bytes(), (self.out / "b.png").read_bytes())

    EXPERIMENT = ("--experiment", "ms-unroll", "--quick", "--repeat", "3", *ON_CPU[:2])

    # Where the driver fails in a run of the experiment, as a part of the launches that were counted.
    PARTS = (0.5, 0.6, 0.7, 0.8, 0.9)

    def run_experiment_until(self, mode, always, enough, *arguments):
        """Runs with a failure at one part after the other, and returns the first run of which `enough` says that it
        reached what the test is about."""
        calls = self.count_calls(self.EXPERIMENT, "clEnqueueNDRangeKernel")
        for part in self.PARTS:
            run = Run(self, "experiment", [*self.EXPERIMENT, *arguments], "clEnqueueNDRangeKernel", int(calls * part),
                      mode, always)
            run.end()
            if enough(run):
                return run
        self.fail(run.about)

    def test_an_experiment_goes_on(self):
        report = self.dir / "r.json"

        def failed_rows(run):
            """The rows that the driver ended: none where it ended the measurement of the peak bandwidth, which is
            no row."""
            self.assertEqual((run.code, run.n_starts), (0, 2), run.about)
            experiment, = json.loads(report.read_text())["experiments"]
            self.assertEqual(experiment["restarts"], 1)
            return [row for row in experiment["rows"] if row["outcome"] != "ok"]

        for mode in MODES[:4] if faults.LONG else ("abort",):
            run = self.run_experiment_until(mode, False, failed_rows, "--json", report)
            failed = failed_rows(run)
            self.assertEqual(len(failed), 1, run.about)
            self.assertIn("status" if "exit" in mode else "signal", json.dumps(failed[0]))

    def test_an_experiment_whose_device_is_lost(self):
        run = self.run_experiment_until("abort", True, lambda run: run.code != 0)
        self.assertEqual(run.code, 4, run.about)
        self.assertLessEqual(run.n_starts, 5, run.about)
        self.assertIn("unroll 4", run.out.decode())
        self.assertIn("Incomplete: the driver ended the measurement.", run.out.decode())

    def test_a_search_goes_on_and_never_tries_the_setting_again(self):
        data = {"XDG_DATA_HOME": str(self.dir / "data")}
        search = ("--tune", self.picture("a.png", 60, 40), "--budget", "2s", *ON_CPU[:2])
        os.environ.update(data)
        calls = self.count_calls([*search, "--fresh"], "clEnqueueNDRangeKernel")
        died = []
        # A search ends by time, so that it may launch fewer kernels than the one counted, and not all are of a setting.
        for part in (0.5, 0.3, 0.1, 0.05):
            run = Run(self, "tune", [*search, "--fresh"], "clEnqueueNDRangeKernel", max(int(calls * part), 1), "abort",
                      False)
            run.end()
            self.assertEqual(run.code, 0, run.about)
            lines = [line for path in (self.dir / "data").rglob("*.jsonl") for line in path.read_text().splitlines()]
            died = [line for line in lines if json.loads(line)["line"] == "row" and "signal 6" in line]
            if died:
                break
        del os.environ["XDG_DATA_HOME"]
        self.assertEqual(len(died), 1, run.about)

    def hang_all(self, timeout=TIMEOUT):
        """Every command, hanging in the middle, or in a query for devices where it launches no kernel; those of
        several processes at once."""
        for name, (arguments, _) in self.commands().items():
            if name in ("reduce", "regions", "named") or faults.LONG:
                calls = self.count_calls(arguments, "clEnqueueNDRangeKernel")
                call = "clEnqueueNDRangeKernel" if calls > 0 else "clGetDeviceIDs"
                yield Run(self, name, arguments, call, max(calls // 2, 1), "hang", True, timeout)

    def wait_for_hang(self, run):
        while struct.unpack("ll", run.count.read_bytes())[0] == 0 and run.process.poll() is None:
            time.sleep(0.01)
        headless.wait_until_it_waits(run.process)

    def test_one_signal_ends_a_driver_that_hangs(self):
        runs = list(self.hang_all(NO_TIMEOUT))
        for run in runs:
            self.wait_for_hang(run)
            run.process.send_signal(signal.SIGINT)
        for run in runs:
            run.end()
            self.assertEqual(run.code, 130, run.about)

    def test_a_second_signal_ends_at_once(self):
        """While another program, to which one signal was sent before, still waits for its driver."""
        reduce = ["--reduce", "sum", *ON_CPU[:2]]
        first, second = (Run(self, "reduce", reduce, "clCreateContext", 1, "hang", True, NO_TIMEOUT) for _ in range(2))
        for run in (first, second):
            self.wait_for_hang(run)
        first.process.send_signal(signal.SIGINT)
        second.process.send_signal(signal.SIGINT)
        status = pathlib.Path(f"/proc/{second.process.pid}/status")
        while int(re.search(r"(?m)^ShdPnd:\s*([0-9a-f]+)$", status.read_text())[1], 16):
            time.sleep(0.01)
        second.process.send_signal(signal.SIGINT)
        second.end()
        self.assertIsNone(first.process.poll())
        first.end()
        for run in (first, second):
            self.assertEqual(run.code, 130, run.about)

    def test_a_time_limit_ends_a_driver_that_hangs(self):
        for run in list(self.hang_all()):
            run.end()
            self.assertEqual(run.code, 4, run.about)
            self.assertTrue(re.search(r"20 s", run.error), run.about)


if __name__ == "__main__":
    sys.exit(unittest.main(verbosity=2))
