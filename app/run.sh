#!/bin/sh
# SPDX-License-Identifier: MIT
# Installs what is missing (apt), compiles, and runs the program with the arguments given here.
set -eu
here=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
. "$here/app/setup.sh"

build_folder=${MESON_BUILD_FOLDER:-$here/build}
install_packages "$build_folder/packages.stamp" "$here/app/packages.txt"
build "$here" "$build_folder" -Dtests=false -Dbuildtype=release
# The program runs from its build folder, where its translations are as well.
MS_LOCALE_FOLDER=${MS_LOCALE_FOLDER:-$build_folder/data/po}
export MS_LOCALE_FOLDER
exec "$build_folder/app/meanshift-lab" "$@"
