#!/bin/sh
# SPDX-License-Identifier: MIT
# Tools that read or watch the code for longer than tests may take; a finding is a failure.
#   sh tests/analyse.sh tsan        data races: encoders, batches, and the program on a folder of images, also on PoCL
#   sh tests/analyse.sh cppcheck    core and app
#   sh tests/analyse.sh tidy [FILE...]
#                                   clang-tidy with the set in .clang-tidy: all of core, or the files named
# MESON_BUILD_FOLDER names the build folder (default build-tests), where tests/run.sh has built the suite.
set -u
here=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
. "$here/app/setup.sh"
folder=${MESON_BUILD_FOLDER:-$here/build-tests}

# need PROGRAM PACKAGE
need() {
  command -v "$1" >/dev/null 2>&1 && return
  wanted=$2
  as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends "$2" >&2
}

# What is suppressed, since each is wrong about the code that it names:
#   invalidPointerCast   blocks of memory whose alignment malloc() or the decoder guarantees
#   missingReturn        Py_RETURN_NONE returns
#   uninitvar            a split has at least one device, so that its settings are set
#   ctunullpointer       every kind of report chart makes a chart
check_with_cppcheck() {
  need cppcheck cppcheck
  cd "$here" && cppcheck --quiet --enable=warning,performance,portability --std=c11 --library=gtk -I. -D__GNUC__ \
    '-DG_GNUC_PRINTF(a,b)=' --suppress=missingInclude --suppress=unknownMacro --suppress=invalidPointerCast \
    '--suppress=missingReturn:app/python/engine.c' '--suppress=uninitvar:core/filter/split/split.c' \
    '--suppress=ctunullpointer:core/chart/chart.c' --error-exitcode=1 core app
}

check_with_clang_tidy() {
  need clang-tidy clang-tidy
  cd "$here" || return 1
  [ $# -gt 0 ] || set -- $(find core -name '*.c')
  clang-tidy -p "$folder/plain" --quiet --extra-arg=-Wno-unknown-warning-option "$@"
}

# The library that explains GLib's locks to ThreadSanitizer is loaded behind ThreadSanitizer's own.
watch_threads() {
  G_SLICE=always-malloc TSAN_OPTIONS="exitcode=66 history_size=7" \
    LD_PRELOAD="$(cc -print-file-name=libtsan.so.2) $folder/tsan/tests/ms-tsan-glib.so" "$@"
}

check_with_tsan() {
  output=$(mktemp -d) || return 1
  status=0
  build "$here" "$folder/tsan" -Dwerror=true -Db_sanitize=thread -Db_lundef=false -Dgui=disabled
  for name in test-png-stream test-batch-run; do
    watch_threads "$folder/tsan/tests/$name" || status=1
  done
  for device in reference cpu; do
    watch_threads "$folder/tsan/app/meanshift-lab" --headless "$here/data/samples" --on-conflict overwrite \
      -o "$output" --device "$device" --sp 1 --jobs 3 --jobs-in-process || status=1
  done
  rm -r "$output"
  return $status
}

tool=${1:-}
[ $# -eq 0 ] || shift
case $tool in
  tsan) check_with_tsan ;;
  cppcheck) check_with_cppcheck ;;
  tidy) check_with_clang_tidy "$@" ;;
  *)
    say "usage: sh tests/analyse.sh tsan | cppcheck | tidy [FILE...]"
    exit 2
    ;;
esac
