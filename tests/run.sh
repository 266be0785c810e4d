#!/bin/sh
# SPDX-License-Identifier: MIT
# Installs what the tests need (apt), compiles, and runs the whole suite: plainly, then under AddressSanitizer and UBSan, and
# once without the window. The last line says how many tests passed and failed.
#   sh tests/run.sh            everything
#   sh tests/run.sh --quick    the plain build only
#   sh tests/run.sh --long     everything, then the fuzz and soak runs
set -u
here=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
. "$here/app/setup.sh"

form=${1:-full}
folder=${MESON_BUILD_FOLDER:-$here/build-tests}
passed=0
failed=0
skipped=0

# count FILE: reads Meson's own summary of a run.
count() {
  read_count() {
    sed -n "s/^$1:[[:space:]]*\([0-9][0-9]*\).*/\1/p" "$2" | tail -n 1
  }
  ok=$(read_count Ok "$1")
  bad=$(read_count Fail "$1")
  late=$(read_count Timeout "$1")
  unexpected=$(read_count 'Unexpected Pass' "$1")
  skip=$(read_count Skipped "$1")
  passed=$((passed + ${ok:-0}))
  failed=$((failed + ${bad:-0} + ${late:-0} + ${unexpected:-0}))
  skipped=$((skipped + ${skip:-0}))
}

# run_suite FOLDER [MESON TEST OPTION...]
run_suite() {
  suite_folder=$1
  shift
  output=$suite_folder/test-output.txt
  meson test -C "$suite_folder" --print-errorlogs "$@" >"$output" 2>&1
  status=$?
  cat "$output"
  count "$output"
  if [ "$status" -ne 0 ] && ! grep -q '^Ok:' "$output"; then
    failed=$((failed + 1))
  fi
}

install_packages "$folder/packages.stamp" "$here/app/packages.txt" "$here/tests/packages.txt"

say "== The suite"
build "$here" "$folder/plain" -Dwarning_level=2 -Dwerror=true
run_suite "$folder/plain" --timeout-multiplier 3

if [ "$form" != --quick ]; then
  say "== Without the window"
  build "$here" "$folder/batch" -Dwarning_level=2 -Dwerror=true -Dgui=disabled
  run_suite "$folder/batch" --suite unit --timeout-multiplier 3

  say "== Under AddressSanitizer and UBSan"
  build "$here" "$folder/sanitized" -Dwarning_level=2 -Dwerror=true -Db_sanitize=address,undefined -Db_lundef=false
  # The same programs on the same device: what was compiled for it above serves here too.
  ln -sfn "$folder/plain/tests/cache" "$folder/sanitized/tests/cache"
  # Threads of OpenCL drivers bring a signal stack of their own, which ASan would unmap; a small quarantine lets the
  # test of resident memory see what the program keeps rather than what ASan does.
  ASAN_OPTIONS=detect_leaks=1:abort_on_error=0:allocator_may_return_null=1:use_sigaltstack=0:quarantine_size_mb=4 \
    LSAN_OPTIONS="suppressions=$here/tests/lsan.supp:print_suppressions=0" \
    UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1 \
    run_suite "$folder/sanitized" --timeout-multiplier 8 --no-suite peer --no-suite oclgrind
fi

if [ "$form" = --long ]; then
  say "== Fuzz and soak"
  run_suite "$folder/sanitized" --benchmark --timeout-multiplier 0
fi

printf '%d passed, %d failed, %d skipped\n' "$passed" "$failed" "$skipped"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
