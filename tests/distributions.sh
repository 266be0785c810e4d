#!/bin/sh
# SPDX-License-Identifier: MIT
# Runs the first command of the README and the tests of `tests/run.sh --bare` on bare systems, which it makes and
# removes; with --whole both commands of the README, that is, the whole suite, and the tests of kernels on Mesa's
# llvmpipe (Mesa 22.3 on Debian 12):
#   sh tests/distributions.sh [--whole] [bookworm | trixie | forky]...      (without a name: all three)
# It needs root with debootstrap, or else podman or docker. What debootstrap made, with the packages that the commands
# install, is kept for a month in ${XDG_CACHE_HOME:-~/.cache}/meanshift-lab, until the lists of packages change; all
# else is removed, also after a failure or a signal. The last commit is what is tested. The last lines are those of
# tests/run.sh, with the name of the system before what failed; the first command counts as one test. With
# MS_TEST_TOTALS=FILE they are added to that file.
set -u
here=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
. "$here/app/setup.sh"
lists="$here/app/packages.txt $here/tests/packages.txt $here/tests/packages-bare.txt"
cache=${XDG_CACHE_HOME:-$HOME/.cache}/meanshift-lab
# For one system, which needs some five minutes on two cores, with the whole suite ten.
limit=40m

# ---- In the bare system ----

# run_commands SUITE COMMAND: the first command of the README, then COMMAND, or its second one where that is README.
# Prints what tests/run.sh tells MS_TEST_TOTALS behind the name of the system.
run_commands() {
  cd "$here" || exit 1
  commands=$(sed -n '/^## Two commands/,/^## /s/^    sh /sh /p' README.md)
  if [ "$2" = README ]; then
    commands=$(printf '%s\n%s' "$commands" 'sh tests/run.sh --mesa')
  else
    commands=$(printf '%s\n%s' "$(echo "$commands" | head -n 1)" "$2")
  fi
  totals=$(mktemp)
  first=$(echo "$commands" | head -n 1)
  if sh -c "$first" && [ -s filtered.png ]; then
    echo "1 passed, 0 failed, 0 skipped" >"$totals"
  else
    printf '%s\n' "failed: $first" "0 passed, 1 failed, 0 skipped" >"$totals"
  fi
  MS_TEST_TOTALS=$totals sh -c "$(echo "$commands" | tail -n +2)"
  sed "s/^/$1: /" "$totals"
}

# ---- In namespaces of its own, so that its mounts and processes end with it ----

# in_root ROOT COMMAND [ARGUMENT...]
in_root() {
  in_root=$1
  shift
  chroot "$in_root" env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin "$@"
}

# make_base SUITE FOLDER ARCHIVE: keeps the archive of the bare system and the packages, where dpkg need not wait for
# the disk. The script of sid makes every Debian; that of the suite is missing where debootstrap is older. Mirrors keep
# an index of testing beyond its date; its signature is checked all the same.
make_base() {
  [ -z "$(find "$3" -mtime -30 2>/dev/null)" ] || return 0
  rm -f "$cache/$1"*.tar
  mkdir -p "$cache" && debootstrap --variant=minbase "$1" "$2" http://deb.debian.org/debian sid &&
    rm -rf "$2/var/cache/apt/archives" && echo force-unsafe-io >"$2/etc/dpkg/dpkg.cfg.d/fast" &&
    echo 'Acquire::Check-Valid-Until "false";' >"$2/etc/apt/apt.conf.d/fast" &&
    enter "$2" && in_root "$2" sh /source/tests/distributions.sh --install && leave "$2" &&
    tar -C "$2" -cf "$2.tar" . && rm -rf "$2" && mv "$2.tar" "$3"
}

# enter ROOT: what the commands need there. PoCL reads the processors from /sys since version 6.
enter() {
  cp -R "$work/source" "$1/source" && cp -L /etc/resolv.conf "$1/etc/resolv.conf" && mount -t proc proc "$1/proc" &&
    mount -t sysfs -o ro sysfs "$1/sys" && mount -t devpts -o newinstance,ptmxmode=666 devpts "$1/dev/pts" &&
    mount -t tmpfs -o mode=1777 shm "$1/dev/shm"
}

leave() {
  umount "$1/dev/shm" "$1/dev/pts" "$1/sys" "$1/proc" && in_root "$1" apt-get clean && rm -rf "$1/source"
}

# run_in_root SUITE WORK COMMAND: makes the system and runs the commands in it.
run_in_root() {
  work=$2
  # shellcheck disable=SC2086
  archive=$cache/$1-$(cat $lists | sha256sum | cut -c1-16).tar
  make_base "$1" "$2/$1" "$archive" && mkdir "$2/$1" && tar -C "$2/$1" -xf "$archive" && enter "$2/$1" &&
    in_root "$2/$1" sh /source/tests/distributions.sh --commands "$1" "$3"
  exit
}

case ${1:-} in
  --commands)
    run_commands "$2" "$3"
    exit
    ;;
  --install)
    # shellcheck disable=SC2086
    install_packages /tmp/packages.stamp $lists
    exit
    ;;
  --enter)
    run_in_root "$2" "$3" "$4"
    ;;
esac

# ---- Outside ----

# find_way: debootstrap where it can be used, otherwise the tool that makes containers, or nothing.
find_way() {
  if [ "$(id -u)" -eq 0 ] && command -v debootstrap >/dev/null && unshare -mpf true 2>/dev/null; then
    echo debootstrap
    return
  fi
  for tool in podman docker; do
    if "$tool" info >/dev/null 2>&1; then
      echo "$tool"
      return
    fi
  done
}

# start SUITE: replaces the shell.
start() {
  if [ "$way" = debootstrap ]; then
    exec timeout --kill-after=1 "$limit" unshare --mount --pid --fork --kill-child \
      sh "$here/tests/distributions.sh" --enter "$1" "$work" "$second"
  fi
  tar -C "$work" -cf "$work/source.tar" source
  exec timeout --kill-after=1 "$limit" "$way" run --rm --interactive --name "$container" "debian:$1" \
    sh -c "tar -C / -xf - && exec sh /source/tests/distributions.sh --commands $1 '$second'" <"$work/source.tar"
}

# stop: ends what start() began. A killed client leaves its container behind.
stop() {
  kill "$1" 2>/dev/null
  wait "$1"
  [ "$way" = debootstrap ] || "$way" rm --force "$container" >/dev/null 2>&1
}

# run_suite SUITE: adds its lines to $totals.
run_suite() {
  say "== On a bare $1"
  start "$1" >"$work/log" 2>&1 &
  runner=$!
  wait "$runner"
  status=$?
  runner=
  cat "$work/log"
  sed -n "s/^$1: //p" "$work/log" >"$work/parts"
  grep -Ev '^[0-9]+ passed, ' "$work/parts" | sed "s/^/$1: /" >>"$totals"
  grep -E '^[0-9]+ passed, ' "$work/parts" >>"$totals"
  if [ "$(grep -Ec '^[0-9]+ passed, ' "$work/parts")" -lt 2 ]; then
    printf '%s\n' "$1: ended with status $status before its tests did" "0 passed, 1 failed, 0 skipped" >>"$totals"
  fi
  rm -rf "${work:?}/$1"
}

second='sh tests/run.sh --bare'
if [ "${1:-}" = --whole ]; then
  second=README
  shift
fi
[ $# -gt 0 ] || set -- bookworm trixie forky
way=$(find_way)
runner=
work=$(mktemp -d -p "${TMPDIR:-/var/tmp}" meanshift-lab.XXXXXX) || exit 1
container=$(basename "$work")
totals=$work/totals
# Processes that are just ending may still write.
trap '[ -z "$runner" ] || stop "$runner"; rm -rf "$work" || { sleep 2; rm -rf "$work"; }' EXIT
trap 'exit 130' HUP INT TERM

: >"$totals"
mkdir "$work/source"
[ -z "$way" ] || git -C "$here" archive HEAD | tar -C "$work/source" -xf -
for suite; do
  if [ -n "$way" ]; then
    run_suite "$suite"
  else
    say "A bare $suite needs root with debootstrap, or podman or docker: it is skipped."
    echo "0 passed, 0 failed, 1 skipped" >>"$totals"
  fi
done

awk '/^[0-9]+ passed, / { passed += $1; failed += $3; skipped += $5; next }
  { print }
  END { printf "%d passed, %d failed, %d skipped\n", passed, failed, skipped }' "$totals" >"$work/sum"
if [ -n "${MS_TEST_TOTALS:-}" ]; then cat "$work/sum" >>"$MS_TEST_TOTALS"; else cat "$work/sum"; fi
grep -q ' 0 failed, ' "$work/sum"
