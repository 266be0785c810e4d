#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Shards by the schedulers of data/cluster/, and what the manifests of several processes leave to do."""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import unittest

import headless

try:
    import yaml
except ImportError:
    yaml = None

REFERENCE = ("--device", "reference")
CLUSTER = headless.SOURCE / "data" / "cluster"


class ClusterCase(headless.HeadlessCase):
    def setUp(self):
        super().setUp()
        for i in range(9):
            self.picture(f"deep/p{i}.png" if i % 2 else f"p{i}.png", 20 + 5 * i, 20)
        self.results = self.dir / "results"

    def assert_results(self):
        """The same files with the same bytes as one process makes."""
        self.run_program(self.src, "--recursive", "-o", self.out, *REFERENCE)
        expected = {p.relative_to(self.out): p.read_bytes() for p in self.out.rglob("*.png")}
        found = {p.relative_to(self.results / "images"): p.read_bytes() for p in self.results.rglob("*.png")}
        self.assertEqual(len(expected), 9)
        self.assertEqual(found, expected)
        output, error = self.run_program(self.src, "--recursive", "-o", self.results / "images", "--dry-run",
                                         "--resume", "--manifest", self.results / "manifests" / "*.jsonl", *REFERENCE)
        self.assertEqual(output, b"")
        self.assertIn("Images: 9; done: 9; to do: 0", error)
        self.assertEqual(len(self.ended(*(self.results / "manifests").iterdir())), 9)

    def run_script(self, *command, **variables):
        environment = dict(os.environ, MEANSHIFT_LAB=headless.PROGRAM, **variables)
        return subprocess.run([str(c) for c in command], env=environment, capture_output=True, timeout=600, check=True)

    def test_slurm_script(self):
        """The script as Slurm runs it, one task after another, with the variables that Slurm 22.05 sets."""
        for task in range(1, 5):
            self.run_script("sh", CLUSTER / "slurm-array.sh", self.src, self.results, *REFERENCE,
                            SLURM_ARRAY_TASK_ID=str(task), SLURM_ARRAY_TASK_MIN="1", SLURM_ARRAY_TASK_MAX="4",
                            SLURM_ARRAY_TASK_STEP="1", SLURM_ARRAY_TASK_COUNT="4",
                            SLURM_CPUS_PER_TASK="1", SLURM_PROCID="0", SLURM_NTASKS="1")
        self.assert_results()

    @unittest.skipUnless(shutil.which("parallel"), "GNU parallel is not installed")
    def test_gnu_parallel(self):
        self.run_script("sh", CLUSTER / "gnu-parallel.sh", "3", self.src, self.results, *REFERENCE, JOBS="2")
        self.assert_results()
        self.assertEqual(len((self.results / "jobs.log").read_text().splitlines()), 4)

    @unittest.skipUnless(yaml, "Python's yaml module is not installed")
    def test_kubernetes_job(self):
        """The members that batch/v1 requires, and the command of each pod, run with the index that Kubernetes sets."""
        job = yaml.safe_load((CLUSTER / "kubernetes-job.yaml").read_text())
        self.assertEqual((job["apiVersion"], job["kind"]), ("batch/v1", "Job"))
        job = job["spec"]
        pod = job["template"]["spec"]
        container, = pod["containers"]
        self.assertEqual((job["completionMode"], pod["restartPolicy"]), ("Indexed", "Never"))
        self.assertLessEqual(set(job), {"completions", "parallelism", "completionMode", "backoffLimitPerIndex",
                                        "maxFailedIndexes", "template"})
        self.assertEqual([m["name"] for m in container["volumeMounts"]], [v["name"] for v in pod["volumes"]])
        script, = container["args"]
        self.assertIn(f"--shard auto/{job['completions']} ", script)
        script = script.replace("/batch/photos", str(self.src)).replace("/batch/results", str(self.results))
        script = script.replace("exec meanshift-lab", '"$MEANSHIFT_LAB"').replace("--device cpu", "--device reference")
        for index in range(job["completions"]):
            self.run_script(*container["command"], script, JOB_COMPLETION_INDEX=str(index))
        self.assert_results()

    def test_nextflow_commands(self):
        """The commands of both processes with the values that Nextflow would put in; Nextflow itself is not run."""
        shard, left = re.findall(r'"""(.*?)"""', (CLUSTER / "shards.nf").read_text(), re.DOTALL)
        values = {"params.photos": self.src, "params.results": self.results, "params.shards": 4, "task.cpus": 1,
                  "params.options": " ".join(REFERENCE)}

        def run(script, **more):
            text = re.sub(r"\$\{(.*?)\}", lambda match: str({**values, **more}[match[1]]), script.replace("\\\\", "\\"))
            self.run_script("sh", "-ec", text.replace("meanshift-lab --headless", '"$MEANSHIFT_LAB" --headless'))

        for index in range(1, 5):
            run(shard, index=index)
        run(left)
        self.assert_results()

    def test_every_option_in_the_examples_exists(self):
        known = set(re.findall(r"--[a-z][a-z-]+", self.run_program("--help-all")[0].decode()))
        others = {"--array", "--gpus-per-task", "--job-name", "--ntasks", "--cpus-per-task", "--mem", "--requeue",
                  "--joblog", "--quote", "--env", "--cores", "--config", "--rerun-incomplete", "--photos", "--results",
                  "--shards", "--from", "--target", "--no-install-recommends", "--prefix", "--buildtype",
                  "--sshloginfile"}
        for path in CLUSTER.iterdir():
            used = set(re.findall(r"(?<![\w-])--[a-z][a-z-]+", path.read_text()))
            self.assertEqual(used - known - others, set(), path)


class LeftTest(headless.HeadlessCase):
    def setUp(self):
        super().setUp()
        self.manifests = self.dir / "manifests"
        self.manifests.mkdir()
        for name in ("a.png", "b.png", "c\n.png", "d.png"):
            self.picture(name)
        (self.src / "broken.png").write_bytes(b"broken")

    def shard(self, index, *names, status=0):
        self.run_program(*(self.src / name for name in names), "-o", self.out, "--on-conflict", "overwrite",
                         "--manifest", self.manifests / f"{index}.jsonl", *REFERENCE, status=status)

    def resume(self, *extra, status=0):
        return self.run_program(self.src, "-o", self.out, "--resume", *extra, *REFERENCE, status=status)

    def pattern(self):
        return "--manifest", self.manifests / "*.jsonl"

    def test_what_is_left(self):
        self.shard(1, "a.png", "b.png")
        self.shard(2, "b.png", "broken.png", status=1)
        output, error = self.resume("--dry-run", *self.pattern())
        self.assertEqual([line.split(" -> ")[0] for line in output.decode().splitlines()],
                         [f"{self.src}/broken.png", f"{self.src}/c\\012.png", f"{self.src}/d.png"])
        self.assertIn("Images: 5; done: 2; to do: 3, of which 1 have failed before.", error)
        self.sentence(error.splitlines()[0], "broken.png")
        output, _ = self.resume("--dry-run", "--null", *self.pattern())
        self.assertEqual(output.split(b"\0")[:-1:2],
                         [os.fsencode(self.src / name) for name in ("broken.png", "c\n.png", "d.png")])
        report = self.dir / "r.json"
        self.resume("--dry-run", "--json", report, *self.pattern())
        report = json.loads(report.read_text())
        reasons = {pathlib.Path(image["input"]).name: image["reason"] for image in report["images"]}
        self.assertIn("failed", reasons["broken.png"])
        self.assertNotIn("failed", reasons["d.png"])

    def test_one_process_does_what_others_left(self):
        self.shard(1, "a.png", "b.png")
        self.shard(2, "broken.png", status=1)
        mine = self.dir / "mine.jsonl"
        before = {file: file.read_bytes() for file in self.manifests.iterdir()}
        _, error = self.resume("--manifest", mine, *self.pattern(), status=1)
        self.assertIn("2 done, 1 failed, 2 skipped", error)
        self.assertEqual(len(self.ended(mine)), 3)
        self.assertEqual({file: file.read_bytes() for file in self.manifests.iterdir()}, before)
        _, error = self.resume("--manifest", mine, *(part for index in (1, 2) for part in
                                                     ("--manifest", self.manifests / f"{index}.jsonl")), status=1)
        self.assertIn("0 done, 1 failed, 4 skipped", error)

    def test_a_later_failure_does_not_undo_a_result(self):
        """A finished image counts as finished, in whatever order the manifests are read."""
        self.shard(1, "a.png", "b.png", "c\n.png", "d.png")
        for index in (0, 2):
            self.run_program(self.src / "a.png", "-o", self.out, "--on-conflict", "fail",
                             "--manifest", self.manifests / f"{index}.jsonl", *REFERENCE, status=1)
        (self.src / "broken.png").unlink()
        output, error = self.resume("--dry-run", *self.pattern())
        self.assertEqual((output, "Images: 4; done: 4; to do: 0" in error), (b"", True))

    def test_what_cannot_be_read(self):
        mine = self.dir / "mine.jsonl"
        for more in (self.dir / "none.jsonl", self.dir / "none-*.jsonl"):
            _, error = self.resume("--manifest", mine, "--manifest", more, status=1)
            self.sentence(error, more.name)
        _, error = self.resume("--manifest", mine, "--manifest", self.src / "a.png", status=2)
        self.sentence(error, "a.png")
        self.shard(1, "a.png")
        _, error = self.resume(*self.pattern(), status=2)
        self.sentence(error, "*.jsonl")
        _, error = self.run_program(self.src, "-o", self.out, "--manifest", mine, *self.pattern(), *REFERENCE, status=2)
        self.sentence(error, "--resume")
        self.assertFalse(mine.exists())


if __name__ == "__main__":
    sys.exit(unittest.main(verbosity=2))
