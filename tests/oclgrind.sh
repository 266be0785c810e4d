#!/bin/sh
# SPDX-License-Identifier: MIT
# Runs a test program under Oclgrind with race detection and API checks; any line in Oclgrind's log is a failure.
#   oclgrind.sh [--races-allowed] PROGRAM [ARGUMENT...]
set -u
races=--data-races
if [ "$1" = --races-allowed ]; then
  races=
  shift
fi
if ! command -v oclgrind >/dev/null 2>&1; then
  if [ -n "${CI:-}" ]; then
    echo "CI must have oclgrind."
    exit 1
  fi
  echo "oclgrind is not installed; this test is skipped."
  exit 77
fi
log=$(mktemp)
trap 'rm -f "$log"' EXIT
MS_TEST_DEVICE=Oclgrind MS_TEST_OCLGRIND=1 oclgrind --check-api $races --uniform-writes --log "$log" "$@"
status=$?
if [ "$status" -ne 0 ]; then
  echo "The program ended with $status under Oclgrind."
  cat "$log"
  exit 1
fi
if [ -s "$log" ]; then
  echo "Oclgrind found faults:"
  head -n 60 "$log"
  exit 1
fi
