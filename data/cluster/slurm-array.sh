#!/bin/sh
# SPDX-License-Identifier: MIT
# A Slurm job array: each task filters one shard of a folder.
#
#   sbatch --array=1-8 slurm-array.sh PHOTOS RESULTS [OPTIONS...]
#
# Run again what failed or was killed: "scontrol requeue JOB_TASK" for one task, which keeps its shard, or the same
# sbatch line for all. --resume leaves out what the task's manifest records. What is left after that:
#
#   meanshift-lab --headless --recursive PHOTOS -o RESULTS/images --dry-run --resume \
#     --manifest 'RESULTS/manifests/*.jsonl' [OPTIONS...]
#
# For a cluster with GPUs add --gpus-per-task=1 below and --device gpu to the options.
#SBATCH --job-name=meanshift
#SBATCH --ntasks=1
#SBATCH --cpus-per-task=2
#SBATCH --mem=2G
#SBATCH --requeue
set -eu

photos=$1
results=$2
shift 2
mkdir -p "$results/images" "$results/manifests"
exec "${MEANSHIFT_LAB:-meanshift-lab}" --headless --recursive "$photos" -o "$results/images" \
  --shard auto --manifest "$results/manifests/$SLURM_ARRAY_TASK_ID.jsonl" --resume \
  --jobs "${SLURM_CPUS_PER_TASK:-1}" "$@"
