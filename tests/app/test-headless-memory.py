#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Images that exceed --memory-limit: the memory of the processes, as the kernel counts it."""

import os
import pathlib
import random
import resource
import shutil
import struct
import subprocess
import sys
import time
import unittest
import zlib

import headless

MIB = 1 << 20


def write_rows(path, row, height):
    """A picture of equal rows, without its pixels in this process, whose memory its children's peaks begin with."""
    packer = zlib.compressobj(1)
    packed = b"".join(packer.compress(b"\0" + row) for _ in range(height)) + packer.flush()
    header = struct.pack(">IIBBBBB", len(row) // 3, height, 8, 2, 0, 0, 0)
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + headless.chunk(b"IHDR", header) + headless.chunk(b"IDAT", packed) +
                     headless.chunk(b"IEND", b""))


def numbers(image):
    """The members of a report about the pixels, without the times."""
    found = {name: image[name] for name in ("statistics", "source_statistics", "change", "histogram", "verify")}
    for name in ("statistics", "source_statistics", "change"):
        found[name] = {key: value for key, value in found[name].items()
                       if key not in ("kernel_ms", "gb_per_s", "peak_share")}
    return found


def resident(pid):
    """The resident bytes of a process and its children; 0 where it has ended."""
    try:
        pages = int(pathlib.Path(f"/proc/{pid}/statm").read_text().split()[1])
        children = pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    except (OSError, IndexError):
        return 0
    return pages * os.sysconf("SC_PAGE_SIZE") + sum(resident(child) for child in children)


class LongBatch(headless.HeadlessCase):
    """MS_TEST_MANY sets the number of images, 10,000 in the long form."""
    MANY = int(os.environ.get("MS_TEST_MANY", 10000 if headless.FORM == "long" else 0))

    @unittest.skipUnless(MANY, "left to the long form (MS_TEST_MANY=10000)")
    def test_memory_does_not_grow(self):
        """After the first tenth of the images, program and worker together grow by at most 5 %."""
        self.picture("0.png", 24, 18)
        for i in range(1, self.MANY):
            shutil.copy(self.src / "0.png", self.src / f"{i}.png")
        process = subprocess.Popen([headless.PROGRAM, "--headless", self.src, "-o", self.out, "--device", "cpu", "--sp",
                                    "1", "--manifest", self.dir / "m.jsonl", "--progress", "never"],
                                   stderr=subprocess.DEVNULL)
        sizes = {}
        while process.poll() is None:
            sizes[len(os.listdir(self.out))] = resident(process.pid)
            time.sleep(0.05)
        self.assertEqual((process.returncode, len(self.names())), (0, self.MANY))
        settled = [size for done, size in sizes.items() if self.MANY // 10 <= done < self.MANY]
        print(f"{self.MANY} images: {settled[0] / MIB:.1f} MiB after a tenth, at most {max(settled) / MIB:.1f} MiB",
              file=sys.stderr)
        self.assertLess(max(settled), 1.05 * settled[0])


class MemoryLimit(headless.HeadlessCase):
    def peak(self, *arguments, status=0):
        """The largest resident size of the program and of its worker, in bytes, and standard error; with None, of any
        status."""
        process = subprocess.Popen([headless.PROGRAM, "--headless", *map(str, arguments)], stderr=subprocess.PIPE)
        error = process.stderr.read().decode()
        process.stderr.close()
        _, code, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(code)
        if status is not None:
            self.assertEqual(process.returncode, status, error)
        return usage.ru_maxrss * 1024, error

    def test_the_limit_holds(self):
        """As a whole, the picture and its result take 312 MiB with their driver, with one level 500 and with three 524.
        Each thread of the encoder needs memory, so that their number does not follow the machine's."""
        row = bytes(x * c // 7 % 256 for x in range(5000) for c in (3, 5, 8))
        write_rows(self.src / "large.png", row, 3600)
        limits = {0: 290 * MIB, 1: 400 * MIB, 3: 420 * MIB}
        if headless.FORM == "suite":
            limits = {0: limits[0]}
        for levels, limit in limits.items():
            with self.subTest(levels=levels):
                peak, _ = self.peak(self.src / "large.png", "-o", self.out / f"{levels}.png", "--device", "cpu", "--sp",
                                    "1", "--max-iterations", "1", "--memory-limit", limit, "--jobs", "2", "--levels",
                                    levels)
                self.assertLess(peak, limit)
        self.assertEqual(self.names(), [f"{levels}.png" for levels in limits])

    def test_bands_have_the_same_figures(self):
        """Statistics, histogram and verification of an image in bands, with an output and without."""
        source = self.picture("a.png", 1000, 700)
        cases = ("cpu", 0, "260M"), ("reference", 1, "58M"), ("reference", 0, "56M"), ("cpu", 2, "266M")
        for device, levels, limit in cases[:2] if headless.FORM == "suite" else cases:
            outputs = ((), ("-o", self.out / f"{device}.jpg", "--on-conflict", "overwrite"))
            if headless.FORM == "suite":
                outputs = outputs[:1] if (device == "cpu") == (levels == 0) else outputs[1:]
            for output in outputs:
                with self.subTest(device=device, levels=levels, output=output):
                    arguments = (source, *output, "--stats", "--histogram", "--verify", "--sp", "1", "--max-iterations",
                                 "1", "--levels", levels, "--device", device, "--jobs", "1")
                    whole = self.report(*arguments)["images"][0]
                    bands = self.report(*arguments, "--memory-limit", limit)["images"][0]
                    self.assertGreater(len(bands["timings"]), 2 * len(whole["timings"]))
                    self.assertEqual(numbers(bands), numbers(whole))

    def test_bands_on_several_devices(self):
        """The same file as from one device that has the whole image, also in another colour space."""
        source = self.picture("a.png", 1000, 700)
        several = ("--devices", "0:0,0:1", "--split", "equal", "--jobs", "1")
        env = {"POCL_DEVICES": "pthread basic"}
        for space in ("rgb", "lab"):
            common = (source, "--sp", "1", "--max-iterations", "1", "--space", space)
            self.run_program(*common, "-o", self.out / f"{space}-whole.jpg", "--device", "reference")
            # The compiler of PoCL 7 alone takes more than the limit, so that the kernels are compiled before.
            self.run_program(*common, "-o", self.out / f"{space}-compiled.jpg", "--verify", *several, env=env)
            image, = self.report(*common, "-o", self.out / f"{space}-bands.jpg", "--verify", *several,
                                 "--memory-limit", "264M", env=env)["images"]
            self.assertGreater(len([row for row in image["timings"] if row["stage"] == "decode"]), 2)
            self.assertEqual((self.out / f"{space}-bands.jpg").read_bytes(),
                             (self.out / f"{space}-whole.jpg").read_bytes())

    def test_the_smallest_limit_is_told(self):
        """The limit that the refusal recommends is sufficient."""
        source = self.picture("a.png", 300, 200)
        for levels in ("0", "2"):
            arguments = (source, "-o", self.out / f"{levels}.png", "--device", "reference", "--sp", "1", "--levels",
                         levels)
            _, error = self.peak(*arguments, "--memory-limit", "40M", status=1)
            self.sentence(error, "a.png", "--memory-limit", "needs")
            needed = error.split(" and needs ")[1].split()[0]
            peak, _ = self.peak(*arguments, "--memory-limit", f"{needed}M")
            self.assertLess(peak, int(needed) * MIB)

    def test_few_addresses(self):
        """Under ulimit -v, rows are filtered in bands, and an image without addresses fails alone, by name."""
        large, small = self.src / "large.png", self.picture("small.png")
        write_rows(large, bytes(3 * 5000), 4000)
        command = [headless.PROGRAM, "--headless", large, small, "-o", self.out, "--device", "reference", "--sp", "1",
                   "--max-iterations", "1", "--resume", "--manifest", self.dir / "m.jsonl"]
        for mebibytes, good in ((250, False), (250, False), (600, True)):
            limit = lambda size=mebibytes * MIB: resource.setrlimit(resource.RLIMIT_AS, (size, size))
            done = subprocess.run(command, preexec_fn=limit, capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, 0 if good else 1, done.stderr)
            self.assertEqual(good, f"'{large}': There" not in done.stderr, done.stderr)
            self.assertEqual(self.names(), ["large.png", "small.png"] if good else ["small.png"])
        hidden = subprocess.run([headless.PROGRAM, "--headless", "--list-devices"], preexec_fn=limit, text=True,
                                capture_output=True, check=False, env={**os.environ, "OCL_ICD_VENDORS": str(self.dir)})
        self.assertIn("600 MiB of addresses", hidden.stderr)


class RegionsLimit(headless.HeadlessCase):
    """--regions within --memory-limit."""
    peak = MemoryLimit.peak

    def refused(self, error):
        """The limit that a refusal asks for, after which no file is left."""
        self.sentence(error, "noise.png", "900x700", "--memory-limit", "need at least")
        self.assertEqual(self.names(), [])
        return int(error.split(" need at least ")[1].split()[0])

    def setUp(self):
        super().setUp()
        values = random.Random(3)
        # Equal rows of random colours: a thousand long, narrow regions.
        row = bytes(values.choice((0, 90, 180)) for _ in range(3 * 900))
        self.source = self.src / "noise.png"
        write_rows(self.source, row, 700)
        self.settings = (self.source, "--regions", "--sp", "1", "--max-iterations", "1")

    def test_too_large_is_refused_before_any_work(self):
        """The size alone exceeds the limit, so that a device that does not exist is not even searched."""
        _, error = self.run_program(*self.settings, "-o", self.out / "x.png", "--device", "none-such",
                                    "--memory-limit", "270M", status=1)
        # 630,000 pixels of 20 bytes, as much for the device's buffers, and 256 MiB of the driver.
        self.assertEqual(self.refused(error), 256 + 2 * 900 * 700 * 20 // MIB + 1)

    def test_the_limit_that_is_told_suffices(self):
        for device in ("reference", "cpu"):
            outputs = (("-o", "x.png"), ("--modes", "x.npy"), ("--csv", "x.csv"), ("--json", "x.json"))
            if headless.FORM == "suite":
                outputs = outputs[1:2] if device == "cpu" else outputs[3:]
            for output in outputs:
                with self.subTest(device=device, output=output):
                    arguments = (*self.settings, "--device", device, output[0], self.out / output[1])
                    self.run_program(*arguments)
                    expected = (self.out / output[1]).read_bytes()
                    (self.out / output[1]).unlink()
                    _, error = self.peak(*arguments, "--memory-limit", "50M", status=1)
                    while error:
                        limit = self.refused(error)
                        peak, error = self.peak(*arguments, "--memory-limit", f"{limit}M", status=None)
                    self.assertLess(peak, limit * MIB)
                    self.assertEqual((self.out / output[1]).read_bytes(), expected)
                    (self.out / output[1]).unlink()


if __name__ == "__main__":
    sys.exit(unittest.main(verbosity=2))
