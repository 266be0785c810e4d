#!/bin/sh
# SPDX-License-Identifier: MIT
# Installs what the tests need (apt), compiles, and tests. The last line says how many tests passed, failed and were
# skipped; before it stands how long each part took, and the processor time of it and of what it started.
#   sh tests/run.sh            the suite: every feature, with representative combinations of options
#   sh tests/run.sh --ci       what CI adds: every pair of options, Oclgrind, faults, the build without the window,
#                              sanitizers, the newest OpenCV
#   sh tests/run.sh --long [PART]
#                              what takes hours: every combination, every fault, fuzzing for minutes, mutations, other
#                              drivers and versions of Debian; it begins with a list of its parts. With the name of
#                              one, that part alone.
#   sh tests/run.sh --bare     the tests that CI runs on another version of Debian
#   sh tests/run.sh --mesa     the tests of kernels that --bare ends with, on Mesa's llvmpipe where it is installed
#   sh tests/run.sh --device NAME
#                              the tests of kernels on the device whose name holds NAME; with Mesa's rusticl on a
#                              processor: RUSTICL_ENABLE=llvmpipe sh tests/run.sh --device llvmpipe
# Where CI is set, warnings of the compiler are errors, and so is what is missing.
# MESON_BUILD_FOLDER names the build folder (default build-tests). With MS_TEST_TOTALS=FILE the last lines (a line for
# each test that failed, with its assertion, then the parts and the counts) are added to that file instead of being
# printed.
set -u
here=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
. "$here/app/setup.sh"

form=${1:-suite}
folder=${MESON_BUILD_FOLDER:-$here/build-tests}
if [ -n "${CI:-}" ]; then werror=true; else werror=false; fi
# The window's tests often wait, so that there is one test more at a time than there are processors.
at_once=$(($(nproc) + 1))
passed=0
failed=0
skipped=0

# compile NAME [MESON OPTION...]: the build folder of that name. Precompiled headers halve the time that compiling takes
# without ccache, and gold links a hundred programs in a third of the time.
compile() {
  compile_folder=$folder/$1
  shift
  if command -v ld.gold >/dev/null; then export CC_LD=gold; fi
  build "$here" "$compile_folder" -Dwarning_level=2 -Dwerror="$werror" -Dprecompiled-headers=true -Ddebug=false "$@"
}

# count FILE: adds the numbers of Meson's own summary of a run.
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

# Meson's line of a test that failed, and the lines of GLib, the sanitizers and Python that give the cause.
failed_line='^ *[0-9]+/[0-9]+ .* (FAIL|ERROR|TIMEOUT|INTERRUPT|UNEXPECTEDPASS) '
failed_line=$failed_line'|^(not ok|Bail out!|FAILED |[^ ]+:ERROR:|[A-Za-z_.]*(Error|Failure): )'
failed_line=$failed_line'|: runtime error: |ERROR: [A-Za-z]+Sanitizer'

# run_tests FOLDER NAME [MESON TEST OPTION...]: runs, prints and counts tests, and keeps the lines that name what
# failed. The logs bear NAME, so that several runs can share a build folder.
run_tests() {
  test_folder=$1
  test_log=$1/$2.txt
  test_name=$2
  shift 2
  meson test -C "$test_folder" --no-rebuild --print-errorlogs --logbase "$test_name" --num-processes "$at_once" "$@" \
    >"$test_log" 2>&1
  test_status=$?
  cat "$test_log"
  count "$test_log"
  grep -E "$failed_line" "$test_log" | awk '!seen[$0]++' >>"$failures"
  if [ "$test_status" -ne 0 ] && ! grep -q '^Ok:' "$test_log"; then
    failed=$((failed + 1))
  fi
}

# read_clocks: the time, and the processor time of this shell and all that it has waited for, in seconds. A subshell
# would tell its own.
read_clocks() {
  times >"$clocks"
  used=$(awk -F '[ms ]' '{ sum += 60 * $1 + $2 + 60 * $4 + $5 } END { printf "%d", sum }' "$clocks")
  now=$(date +%s)
}

# part NAME FUNCTION [ARGUMENT...]: runs a part and notes what it took.
part() {
  part_name=$1
  read_clocks
  part_begun=$now
  part_used=$used
  shift
  say "== $part_name"
  "$@"
  read_clocks
  printf '%-58s %4d s, %5d s of processor time\n' "$part_name" $((now - part_begun)) $((used - part_used)) >>"$parts"
}

# What the window decides: how the program is built, its options, what is installed and exported. The rest is the code
# that the suite has tested.
without_window() {
  compile batch -Dgui=disabled
  run_tests "$folder/batch" windowless --suite windowless --no-suite ci --no-suite long
}

# Of the information for debuggers, line numbers are enough for the reports.
compile_sanitized() {
  compile sanitized -Db_sanitize=address,undefined -Db_lundef=false -Doptimization=1 -Dc_args=-g1
  # The same programs on the same device: the kernels that were compiled for the suite serve here too.
  ln -sfn "$folder/suite/tests/cache" "$folder/sanitized/tests/cache"
}

# sanitized [MESON TEST OPTION...]
# Threads of OpenCL drivers have their own signal stack, which ASan would unmap. A small quarantine lets the test of
# resident memory see what the program keeps rather than what ASan keeps. Calls of __tls_get_addr are not intercepted:
# where thread-local storage begins 16 bytes into a page, the LeakSanitizer of gcc 12 takes the bytes before it for a
# header of glibc 2.19 and ends with "Tracer caught signal 11"; the heap leads to that storage as well.
sanitized() {
  compile_sanitized
  options=detect_leaks=1:abort_on_error=0:allocator_may_return_null=1
  ASAN_OPTIONS=$options:use_sigaltstack=0:quarantine_size_mb=4:intercept_tls_get_addr=0 \
    LSAN_OPTIONS="suppressions=$here/tests/lsan.supp:print_suppressions=0" \
    UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1 \
    run_tests "$folder/sanitized" suite --timeout-multiplier 8 "$@"
}

# fetch_opencv FOLDER: the newest OpenCV for Python, within five minutes or not at all; what is there already serves
# too.
fetch_opencv() {
  [ -x "$1/bin/pip" ] || /usr/bin/python3 -m venv "$1" || return
  timeout 300 "$1/bin/pip" install -q --upgrade --retries 0 --timeout 10 opencv-python-headless
  "$1/bin/python" -c 'import cv2'
}

# newest_opencv: the pixels of the OpenCV that people have today; the suite compares with the distribution's.
newest_opencv() {
  if ! fetch_opencv "$folder/opencv" >"$folder/opencv.txt" 2>&1; then
    say "Its wheel (opencv-python-headless) is not available here; this part is skipped."
    skipped=$((skipped + 1))
    return
  fi
  PYTHONPATH=$("$folder/opencv/bin/python" -c 'import sysconfig; print(sysconfig.get_path("platlib"))') \
    run_tests "$folder/suite" opencv --setup suite peer
}

# fetch_runtime FOLDER: Intel's OpenCL runtime for processors, as wheels, within five minutes or not at all.
fetch_runtime() {
  [ -f "$1/ready" ] && return 0
  python3 -m venv "$1" &&
    timeout 300 "$1/bin/pip" install -q --retries 0 --timeout 10 intel-opencl-rt intel-cmplr-lib-rt &&
    [ -f "$1/lib/libintelocl.so" ] && mkdir -p "$1/vendors" &&
    echo "$1/lib/libintelocl.so" >"$1/vendors/intel.icd" && touch "$1/ready"
}

# second_runtime: the reductions on an OpenCL implementation that shares nothing with PoCL and has sub-groups. It brings
# a loader of its own, which the system's must precede.
second_runtime() {
  runtime=${MS_INTEL_RUNTIME:-$folder/intel}
  if ! fetch_runtime "$runtime" >"$folder/intel.txt" 2>&1; then
    say "Its wheels (intel-opencl-rt, intel-cmplr-lib-rt) are not available here; this part is left out."
    return
  fi
  loader=$(ldconfig -p | sed -n 's/.*libOpenCL\.so\.1 .*=> //p' | head -n 1)
  OCL_ICD_VENDORS=$runtime/vendors LD_LIBRARY_PATH=$runtime/lib LD_PRELOAD=$loader MS_TEST_DEVICE=0:0 \
    run_tests "$folder/suite" intel --setup suite reduce swap sort histogram statistics reduce-sum reduce-min \
    reduce-minmax reduce-stddev
}

mutations() {
  run_tests "$folder/suite" mutations --benchmark --setup long --timeout-multiplier 0
}

# fuzz SECONDS NAME...
fuzz() {
  compile_sanitized
  export MS_FUZZ_SECONDS="$1"
  shift
  run_tests "$folder/sanitized" "fuzz-$MS_FUZZ_SECONDS" --timeout-multiplier 60 "$@"
  unset MS_FUZZ_SECONDS
}

other_systems() {
  other_totals=$folder/distributions.txt
  rm -f "$other_totals"
  MS_TEST_TOTALS=$other_totals sh "$here/tests/distributions.sh" --whole
  grep -Ev '^[0-9]+ passed, ' "$other_totals" >>"$failures"
  # shellcheck disable=SC2046
  set -- $(awk '/^[0-9]+ passed, / { print $1, $3, $5 }' "$other_totals")
  passed=$((passed + ${1:-0}))
  failed=$((failed + ${2:-1}))
  skipped=$((skipped + ${3:-0}))
}

# Benchmarks are run by hand, but must compile.
compile_benchmarks() {
  ninja -C "$folder/suite" benchmarks >"$folder/suite/setup.log" 2>&1 && return
  cat "$folder/suite/setup.log" >&2
  failed=$((failed + 1))
  echo "benchmarks do not compile" >>"$failures"
}

# This form and the next run what the forms before them leave out, and what does more in them.
run_ci_form() {
  part "Compiling the benchmarks" compile_benchmarks
  part "Every pair of options, Oclgrind, faults" run_tests "$folder/suite" ci --setup ci --suite ci --suite more-ci
  part "Without the window" without_window
  part "Under AddressSanitizer and UBSan" sanitized --no-suite unsanitized
  part "With the newest OpenCV" newest_opencv
}

# long_form DO: the table of the long form: calls DO with the name of each part, what it covers, and its function with
# arguments.
long_form() {
  "$1" combinations "Every combination, fault, kill, session in the window" run_tests "$folder/suite" long \
    --setup long --suite ci --suite more-ci --suite long --suite more-long
  "$1" windowless "Without the window" without_window
  "$1" sanitizers "Under AddressSanitizer and UBSan, what CI runs" sanitized --setup ci --no-suite oclgrind \
    --no-suite style
  "$1" opencv "With the newest OpenCV" newest_opencv
  "$1" intel "On Intel's OpenCL runtime" second_runtime
  "$1" mutations "Each mutation of tests/mutations.py" mutations
  "$1" fuzz "Fuzz targets, two minutes each" fuzz 120 fuzz-experiment fuzz-image fuzz-manifest fuzz-message \
    fuzz-metadata fuzz-options fuzz-preset fuzz-report
  "$1" fuzz-others "Fuzz targets of other people's code, ten minutes each" fuzz 600 fuzz-pixbuf fuzz-profile
  "$1" systems "The whole suite on bare Debian 12, 13 and testing" other_systems
}

list_part() {
  say "$(printf '  %-14s%s' "$1" "$2")"
}

# run_part_of_long NAME TITLE FUNCTION [ARGUMENT...]: where all parts are to run, or this one.
run_part_of_long() {
  if [ -n "$long_part" ] && [ "$long_part" != "$1" ]; then return; fi
  long_known=yes
  shift
  part "$@"
}

# run_long_form [PART]
run_long_form() {
  long_part=${1:-}
  long_known=
  say "The long form, some hours on two cores; sh tests/run.sh --long PART runs one of its parts alone:"
  long_form list_part
  long_form run_part_of_long
  if [ -z "$long_known" ]; then
    say "The long form has no part '$long_part'."
    failed=$((failed + 1))
  fi
}

# on_mesa: kernels of every family on the driver that people with a GPU of AMD or Intel get from their distribution, as
# a processor runs it, under both of its names.
on_mesa() {
  RUSTICL_ENABLE=llvmpipe,swrast MS_TEST_DEVICE=llvmpipe \
    run_tests "$folder/suite" mesa --suite mesa --no-suite ci --no-suite long
}

failures=$(mktemp) || exit 1
parts=$(mktemp) || exit 1
clocks=$(mktemp) || exit 1
trap 'rm -f "$failures" "$parts" "$clocks"' EXIT
part "Installing" install_packages "$folder/packages.stamp" "$here/app/packages.txt" "$here/tests/packages.txt"
part "Compiling" compile suite

case $form in
  suite) part "The suite" run_tests "$folder/suite" suite ;;
  --ci) run_ci_form ;;
  --long) run_long_form "${2:-}" ;;
  --bare)
    part "Tests without a device or a window, some of both" run_tests "$folder/suite" bare --suite bare \
      --suite windowless --no-suite ci --no-suite long
    if [ -f /etc/OpenCL/vendors/rusticl.icd ]; then part "Kernels on Mesa's llvmpipe" on_mesa; fi
    ;;
  --mesa) part "Kernels on Mesa's llvmpipe" on_mesa ;;
  --device)
    export MS_TEST_DEVICE="${2:?--device takes a part of the name of a device}"
    part "On the device $2" run_tests "$folder/suite" device --suite device --no-suite ci --no-suite long
    ;;
  *)
    say "usage: sh tests/run.sh [--ci | --long [PART] | --bare | --mesa | --device NAME]"
    exit 2
    ;;
esac

cat "$parts" >>"$failures"
printf '%d passed, %d failed, %d skipped\n' "$passed" "$failed" "$skipped" >>"$failures"
if [ -n "${MS_TEST_TOTALS:-}" ]; then cat "$failures" >>"$MS_TEST_TOTALS"; else cat "$failures"; fi
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
