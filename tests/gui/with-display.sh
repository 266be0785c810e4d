#!/bin/sh
# SPDX-License-Identifier: MIT
# Runs a command on a display of its own, which ends with it: with-display.sh COMMAND [ARGUMENT...]
# MS_TEST_SCREEN sets the size (default 1600x1200). GTK animates nothing, so that no test waits for it, and keys do not
# repeat (-r), which on a busy machine they would before they are released.
set -eu

folder=$(mktemp -d)
mkfifo "$folder/display"
Xvfb -displayfd 3 -r -screen 0 "${MS_TEST_SCREEN:-1600x1200}x24" -nolisten tcp 3>"$folder/display" 2>"$folder/log" &
server=$!
trap 'kill "$server" 2>/dev/null || true; wait "$server" 2>/dev/null || true; rm -rf "$folder"' EXIT
trap 'exit 130' INT TERM

if ! read -r number <"$folder/display"; then
  cat "$folder/log" >&2
  echo "with-display.sh: Xvfb did not start" >&2
  exit 1
fi

mkdir "$folder/gtk-3.0"
printf '[Settings]\ngtk-enable-animations=0\ngtk-cursor-blink=0\n' >"$folder/gtk-3.0/settings.ini"
export XDG_CONFIG_DIRS="$folder"
DISPLAY=:$number
export DISPLAY
export GDK_BACKEND=x11
export GSETTINGS_BACKEND="${GSETTINGS_BACKEND:-memory}"
export NO_AT_BRIDGE="${NO_AT_BRIDGE:-1}"
unset WAYLAND_DISPLAY
"$@"
