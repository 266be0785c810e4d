#!/bin/sh
# SPDX-License-Identifier: MIT
# GNU parallel: the shards of a folder on the processors of this machine, or with --sshloginfile on several machines
# that mount the same folders.
#
#   gnu-parallel.sh SHARDS PHOTOS RESULTS [OPTIONS...]
#
# Run again what failed: the same line. RESULTS/jobs.log lists the exit status of each shard.
set -eu

shards=$1
photos=$2
results=$3
shift 3
mkdir -p "$results/images" "$results/manifests"
export MEANSHIFT_LAB="${MEANSHIFT_LAB:-meanshift-lab}"
# The options follow the fixed arguments, so that each keeps its words: parallel --quote passes them on unchanged.
seq "$shards" | parallel --quote --jobs "${JOBS:-100%}" --joblog "$results/jobs.log" --env MEANSHIFT_LAB \
  "$MEANSHIFT_LAB" --headless --recursive "$photos" -o "$results/images" --shard "auto/$shards" \
  --manifest "$results/manifests/{}.jsonl" --resume "$@"
