#!/bin/sh
# SPDX-License-Identifier: MIT
# Tools that read or watch the code for longer than tests may take; a finding is a failure.
#   sh tests/analyse.sh tsan        data races: encoders, batches, and the program on a folder of images, also on PoCL
#   sh tests/analyse.sh cppcheck    core and app
#   sh tests/analyse.sh tidy [FILE...]
#                                   clang-tidy with the set in .clang-tidy: core, app and ui, or the files named
#   sh tests/analyse.sh valgrind    memcheck on batches in one process and with a worker, on PoCL with an empty cache
#   sh tests/analyse.sh coverage    the lines of core that the suite runs without the window: the share of each
#                                   file below 85 %, then that of all; less than 92 % in all is a failure
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
#   uninitvar            there is at least one thread
check_with_cppcheck() {
  need cppcheck cppcheck
  cd "$here" && cppcheck --quiet --enable=warning,performance,portability --std=c11 --library=gtk -I. -D__GNUC__ \
    '-DG_GNUC_PRINTF(a,b)=' --suppress=missingInclude --suppress=unknownMacro --suppress=invalidPointerCast \
    '--suppress=uninitvar:core/image/colour/colour.c' \
    --error-exitcode=1 core app
}

# check_with_clang_tidy FILE...: without files, those of the product.
check_with_clang_tidy() {
  need clang-tidy clang-tidy
  cd "$here" || return 1
  [ $# -gt 0 ] || set -- $(find core app ui -name '*.c' ! -path core/api/example.c)
  # Meson names a precompiled header, which clang-tidy cannot read, without its folder. What clang warns of in headers
  # of libraries is no error where the build has -Werror.
  printf '%s\n' "$@" | xargs -P "$(nproc)" -n 8 clang-tidy -p "$folder/suite" --quiet \
    --extra-arg=-Wno-unknown-warning-option --extra-arg=-Wno-error --extra-arg=-I"$here/core/precompiled" \
    --extra-arg=-I"$here/ui/precompiled"
}

# The library that explains GLib's locks to ThreadSanitizer is loaded behind ThreadSanitizer's own.
watch_threads() {
  G_SLICE=always-malloc TSAN_OPTIONS="exitcode=66 history_size=7 suppressions=$here/tests/tsan.supp" \
    LD_PRELOAD="$(cc -print-file-name=libtsan.so.2) $folder/tsan/tests/ms-tsan-glib.so" "$@"
}

check_with_tsan() {
  output=$(mktemp -d) || return 1
  status=0
  build "$here" "$folder/tsan" -Dwerror=true -Db_sanitize=thread -Db_lundef=false -Dgui=disabled
  watch_threads "$folder/tsan/tests/test-image" -p /png-stream || status=1
  watch_threads "$folder/tsan/tests/test-batch" -p /batch -p /memory-cap || status=1
  watch_threads "$folder/tsan/tests/test-batch-isolation" || status=1
  for device in reference cpu; do
    watch_threads "$folder/tsan/app/meanshift-lab" --headless "$here/data/samples" --on-conflict overwrite \
      -o "$output" --device "$device" --sp 1 --jobs 3 || status=1
  done
  rm -r "$output"
  return $status
}

# small_images PROGRAM FOLDER: six pictures of 30 to 65 pixels.
small_images() {
  MS_PROGRAM=$1 MS_SOURCE_ROOT=$here PYTHONPATH=$here/tests/app PYTHONDONTWRITEBYTECODE=1 python3 -c '
import sys, headless
for i in range(6):
    headless.write_png(f"{sys.argv[1]}/p{i}.png", 40 + 5 * i, 30 + 3 * i, seed=i)' "$2"
}

# The linker that PoCL calls is not the program's. One OpenCL program serves every size of image, because LLVM takes a
# minute or more to compile it here; leaks are what AddressSanitizer looks for.
# under_memcheck CACHE PROGRAM [ARGUMENT...]
under_memcheck() {
  cache=$1
  shift
  G_SLICE=always-malloc XDG_CACHE_HOME=$cache/own POCL_CACHE_DIR=$cache/pocl POCL_WORK_GROUP_SPECIALIZATION=0 \
    POCL_WORK_GROUP_METHOD=loops valgrind --quiet --error-exitcode=66 --leak-check=no --trace-children=yes \
    --trace-children-skip='*/ld,*/*-ld,*/ld.*' --num-callers=30 --suppressions="$here/tests/valgrind.supp" "$@"
}

# The last way begins with an empty cache as the first does, so that a worker compiles as well.
check_with_valgrind() {
  need valgrind valgrind
  program=$folder/suite/app/meanshift-lab
  images=$(mktemp -d) || return 1
  output=$(mktemp -d) || return 1
  status=0
  mkdir "$output/new"
  small_images "$program" "$images" || status=1
  for way in "--format png" "--format jpeg --stats --histogram" \
    "--jobs 2 --format tiff"; do
    say "== $way"
    case $way in *tiff*) rm -r "$output/cache" ;; esac
    # shellcheck disable=SC2086
    under_memcheck "$output/cache" "$program" --headless "$images" --manifest "$output/lines" \
      --on-conflict overwrite -o "$output/new" --device cpu --sp 3 --timeout 1h $way >"$output/numbers" || status=1
  done
  rm -r "$output" "$images"
  return $status
}

# Counters are atomic, because threads share them; without optimisation every line keeps its counter. A process that a
# test kills while it adds its counters can leave a file of them broken: what libgcov says of that is kept from standard
# error, which tests read, and such a file counts too little. Tests that lack the right to write those files fail here;
# tests/run.sh decides which tests pass.
measure_coverage() {
  need gcovr gcovr
  build "$here" "$folder/coverage" -Dwerror=true -Db_coverage=true -Doptimization=0 -Dc_args=-fprofile-update=atomic \
    -Dgui=disabled -Dgegl=disabled -Dprecompiled-headers=true
  find "$folder/coverage" -name '*.gcda' -delete
  export GCOV_ERROR_FILE="$folder/coverage/gcov.txt"
  meson test -C "$folder/coverage" --no-rebuild --num-processes 2 --timeout-multiplier 10 \
    --no-suite unsanitized --no-suite oclgrind --no-suite style --no-suite fuzz >&2
  meson test -C "$folder/coverage" --no-rebuild --timeout-multiplier 10 headless-lab headless-memory >&2
  cd "$here" && gcovr --root . --filter 'core/' --exclude core/api/example.c --object-directory "$folder/coverage" \
    --gcov-ignore-parse-errors --csv "$folder/coverage/core.csv" "$folder/coverage" || return 1
  python3 - "$folder/coverage/core.csv" <<'END'
import csv, sys
files = [(row["filename"], int(row["line_total"]), int(row["line_covered"]))
         for row in csv.DictReader(open(sys.argv[1])) if int(row["line_total"])]
for name, total, covered in sorted(files, key=lambda file: file[2] / file[1]):
    if covered < 0.85 * total:
        print(f"{100 * covered / total:5.1f} %  {total - covered:4d} of {total:4d} lines not run  {name}")
share = 100 * sum(file[2] for file in files) / sum(file[1] for file in files)
print(f"{share:.1f} % of {sum(file[1] for file in files)} lines of core")
sys.exit(share < 92)
END
}

tool=${1:-}
[ $# -eq 0 ] || shift
case $tool in
  tsan) check_with_tsan ;;
  cppcheck) check_with_cppcheck ;;
  tidy) check_with_clang_tidy "$@" ;;
  valgrind) check_with_valgrind ;;
  coverage) measure_coverage ;;
  *)
    say "usage: sh tests/analyse.sh tsan | cppcheck | tidy [FILE...] | valgrind | coverage"
    exit 2
    ;;
esac
