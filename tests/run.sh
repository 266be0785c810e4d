#!/bin/sh
# SPDX-License-Identifier: MIT
# Installs what the tests need (apt), compiles, and tests. The last line says how many tests passed, failed and were
# skipped.
#   sh tests/run.sh            the suite, with representative combinations of options
#   sh tests/run.sh --full     what the suite leaves out: pairs of options, the build without the window, sanitizers
#   sh tests/run.sh --long     the same with every combination of options, then the fuzz targets for minutes, the
#                              mutations of tests/mutate.py, each of which a test must notice, and the suite on other
#                              versions of Debian (tests/distributions.sh)
#   sh tests/run.sh --device NAME
#                              the tests of kernels on the device whose name holds NAME, within three minutes
# Where CI is set, warnings of the compiler are errors, and so is what is missing.
# MESON_BUILD_FOLDER names the build folder (default build-tests). With MS_TEST_TOTALS=FILE the last lines (a line for
# each test that failed, with its assertion, then the counts) are added to that file instead of being printed.
set -u
here=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
. "$here/app/setup.sh"

form=${1:-suite}
folder=${MESON_BUILD_FOLDER:-$here/build-tests}
if [ -n "${CI:-}" ]; then werror=true; else werror=false; fi
passed=0
failed=0
skipped=0
compiler=

# compile NAME [MESON OPTION...]: the build folder of that name. Precompiled headers halve the time that compiling takes
# without ccache; of the information for debuggers, line numbers are enough for the reports of sanitizers.
compile() {
  compile_folder=$folder/$1
  shift
  build "$here" "$compile_folder" -Dwarning_level=2 -Dwerror="$werror" -Dprecompiled-headers=true \
    -Ddebug=false -Dc_args=-g1 "$@"
}

# compile_without_window and compile_sanitized: what the parts of the full form of these names run.
compile_without_window() {
  compile batch -Dgui=disabled
}

compile_sanitized() {
  compile sanitized -Db_sanitize=address,undefined -Db_lundef=false
}

# compile_ahead: both in a process that gets the processors only while the tests wait.
compile_ahead() {
  MESON_BUILD_FOLDER=$folder timeout 1h nice -n 19 sh "$here/tests/run.sh" --compile >/dev/null 2>&1 &
  compiler=$!
}

# end_compiler: the part that needs a folder compiles the rest at the usual priority, and tells what cannot be compiled.
# timeout passes the signal on to all processes below it.
end_compiler() {
  if [ -n "$compiler" ]; then
    kill "$compiler" 2>/dev/null
    wait "$compiler" 2>/dev/null
    compiler=
  fi
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

# meson_test FOLDER NAME [MESON TEST OPTION...]: the logs bear NAME, so that two runs can share a build folder.
meson_test() {
  test_folder=$1
  test_name=$2
  shift 2
  meson test -C "$test_folder" --no-rebuild --print-errorlogs --logbase "$test_name" "$@" \
    >"$test_folder/$test_name.txt" 2>&1
}

# Meson's line of a test that failed, and the lines of GLib, the sanitizers and Python that give the cause.
failed_line='^ *[0-9]+/[0-9]+ .* (FAIL|ERROR|TIMEOUT|INTERRUPT|UNEXPECTEDPASS) '
failed_line=$failed_line'|^(not ok|Bail out!|FAILED |[^ ]+:ERROR:|[A-Za-z_.]*(Error|Failure): )'
failed_line=$failed_line'|: runtime error: |ERROR: [A-Za-z]+Sanitizer'

# finish FILE STATUS: prints the output of a finished run, counts its tests, and keeps the lines that name what failed.
finish() {
  cat "$1"
  count "$1"
  grep -E "$failed_line" "$1" | awk '!seen[$0]++' >>"$failures"
  if [ "$2" -ne 0 ] && ! grep -q '^Ok:' "$1"; then
    failed=$((failed + 1))
  fi
}

# run_suite FOLDER [MESON TEST OPTION...]: one test more at a time than there are processors, because the tests of the
# window often wait.
run_suite() {
  suite_folder=$1
  shift
  meson_test "$suite_folder" suite --num-processes $(($(nproc) + 1)) "$@"
  finish "$suite_folder/suite.txt" $?
}

# run_some FOLDER [MESON TEST OPTION...]: a choice of tests.
run_some() {
  some_folder=$1
  shift
  meson_test "$some_folder" some "$@"
  finish "$some_folder/some.txt" $?
}

plain_suite() {
  say "== The suite"
  run_suite "$folder/plain" --timeout-multiplier 3 --no-suite full-only
}

# combinations 1|product: of every two values of options, or of all of them
combinations() {
  say "== Combinations of options"
  MS_TEST_FULL=$1 run_some "$folder/plain" --suite full --timeout-multiplier 3 --num-processes $(($(nproc) + 1))
}

# What the window decides: how the program is built, its options, what is installed and exported. The rest is the code
# that the suite has tested.
without_window() {
  say "== Without the window"
  end_compiler
  compile_without_window
  run_some "$folder/batch" --suite windowless --timeout-multiplier 3
}

# The cases that the plain suite leaves out run here as well, so that the sanitizers see all code.
# Threads of OpenCL drivers have their own signal stack, which ASan would unmap. A small quarantine lets the test of
# resident memory see what the program keeps rather than what ASan keeps. Calls of __tls_get_addr are not intercepted:
# where thread-local storage begins 16 bytes into a page, the LeakSanitizer of gcc 12 takes the bytes before it for a
# header of glibc 2.19 and ends with "Tracer caught signal 11"; the heap leads to that storage as well.
sanitized() {
  say "== Under AddressSanitizer and UBSan"
  compile_sanitized
  # The same programs on the same device: the kernels that were compiled for the suite serve here too.
  ln -sfn "$folder/plain/tests/cache" "$folder/sanitized/tests/cache"
  options=detect_leaks=1:abort_on_error=0:allocator_may_return_null=1
  ASAN_OPTIONS=$options:use_sigaltstack=0:quarantine_size_mb=4:intercept_tls_get_addr=0 \
    LSAN_OPTIONS="suppressions=$here/tests/lsan.supp:print_suppressions=0" \
    UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1 MS_TEST_EVERY_CASE=1 \
    run_suite "$folder/sanitized" --timeout-multiplier 8 --no-suite plain --no-suite oclgrind --no-suite style
}

# fetch_runtime FOLDER: Intel's OpenCL runtime for processors, as wheels, within five minutes or not at all.
fetch_runtime() {
  [ -f "$1/ready" ] && return 0
  python3 -m venv "$1" &&
    timeout 300 "$1/bin/pip" install -q --retries 0 --timeout 10 intel-opencl-rt intel-cmplr-lib-rt &&
    [ -f "$1/lib/libintelocl.so" ] && mkdir -p "$1/vendors" &&
    echo "$1/lib/libintelocl.so" >"$1/vendors/intel.icd" && touch "$1/ready"
}

# fetch_ahead: starts to fetch both while other tests run, since that mostly waits for the network.
fetch_ahead() {
  runtime=${MS_INTEL_RUNTIME:-$folder/intel}
  fetch_runtime "$runtime" >"$folder/intel.txt" 2>&1 &
  runtime_fetched=$!
  fetch_opencv "$folder/opencv" >"$folder/opencv.txt" 2>&1 &
  opencv_fetched=$!
}

# second_runtime: the reductions on an OpenCL implementation that shares nothing with PoCL and has sub-groups. It brings
# a loader of its own, which the system's must precede. The limit keeps a slow compiler from holding up the rest.
second_runtime() {
  say "== On Intel's OpenCL runtime"
  if ! wait "$runtime_fetched"; then
    say "Its wheels (intel-opencl-rt, intel-cmplr-lib-rt) are not available here; this part is left out."
    return
  fi
  loader=$(ldconfig -p | sed -n 's/.*libOpenCL\.so\.1 .*=> //p' | head -n 1)
  OCL_ICD_VENDORS=$runtime/vendors LD_LIBRARY_PATH=$runtime/lib LD_PRELOAD=$loader MS_TEST_DEVICE=0:0 \
    run_some "$folder/plain" --timeout-multiplier 3 reduce swap sort histogram statistics reduce-sum reduce-min \
    reduce-minmax reduce-stddev
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
  say "== With the newest OpenCV"
  if ! wait "$opencv_fetched"; then
    say "Its wheel (opencv-python-headless) is not available here; this part is skipped."
    skipped=$((skipped + 1))
    return
  fi
  PYTHONPATH=$("$folder/opencv/bin/python" -c 'import sysconfig; print(sysconfig.get_path("platlib"))') \
    run_some "$folder/plain" --timeout-multiplier 3 peer
}

mutations_and_fuzz() {
  say "== Every OpenCL call fails, kills, and 10,000 images"
  MS_TEST_FULL=product run_some "$folder/plain" --timeout-multiplier 3 fault-opencl kills headless-memory
  say "== Mutations"
  run_some "$folder/plain" --benchmark --timeout-multiplier 0
  say "== Fuzz targets for five minutes each, and those that load other people's code for thirty"
  MS_FUZZ_SECONDS=300 run_some "$folder/sanitized" fuzz-experiment fuzz-image fuzz-manifest fuzz-message fuzz-metadata \
    fuzz-options fuzz-preset fuzz-report --timeout-multiplier 20
  MS_FUZZ_SECONDS=1800 run_some "$folder/sanitized" fuzz-pixbuf fuzz-profile --timeout-multiplier 60
}

other_systems() {
  other_totals=$folder/distributions.txt
  rm -f "$other_totals"
  MS_TEST_TOTALS=$other_totals sh "$here/tests/distributions.sh"
  grep -Ev '^[0-9]+ passed, ' "$other_totals" >>"$failures"
  # shellcheck disable=SC2046
  set -- $(awk '/^[0-9]+ passed, / { print $1, $3, $5 }' "$other_totals")
  passed=$((passed + ${1:-0}))
  failed=$((failed + ${2:-1}))
  skipped=$((skipped + ${3:-0}))
}

# on_device NAME: the suites of kernels; `mean` and `faults` among them need no other device.
on_device() {
  say "== On the device $1"
  MS_TEST_DEVICE=$1 run_some "$folder/plain" --suite opencl --timeout-multiplier 3
}

# A process of compile_ahead(), for which packages are installed.
if [ "$form" = --compile ]; then
  compile_without_window
  compile_sanitized
  exit
fi

failures=$(mktemp) || exit 1
trap 'end_compiler; rm -f "$failures"' EXIT
install_packages "$folder/packages.stamp" "$here/app/packages.txt" "$here/tests/packages.txt"
compile plain

case $form in
  suite)
    plain_suite
    ;;
  --full | --long)
    fetch_ahead
    compile_ahead
    if [ "$form" = --long ]; then combinations product; else combinations 1; fi
    without_window
    sanitized
    second_runtime
    newest_opencv
    if [ "$form" = --long ]; then
      mutations_and_fuzz
      other_systems
    fi
    ;;
  --device)
    on_device "${2:?--device takes a part of the name of a device}"
    ;;
  *)
    say "usage: sh tests/run.sh [--full | --long | --device NAME]"
    exit 2
    ;;
esac

printf '%d passed, %d failed, %d skipped\n' "$passed" "$failed" "$skipped" >>"$failures"
if [ -n "${MS_TEST_TOTALS:-}" ]; then cat "$failures" >>"$MS_TEST_TOTALS"; else cat "$failures"; fi
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
