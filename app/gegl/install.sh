#!/bin/sh
# SPDX-License-Identifier: MIT
# Installs what is missing (apt), builds the operation meanshift-lab:mean-shift with the library inside, and puts it
# where GEGL, and so GIMP, looks for operations of this user. Removing that one file uninstalls it.
set -eu
here=$(CDPATH='' cd -- "$(dirname -- "$0")/../.." && pwd)
. "$here/app/setup.sh"

build_folder=${MESON_BUILD_FOLDER:-$here/build-gegl}
operations=${XDG_DATA_HOME:-$HOME/.local/share}/gegl-0.4/plug-ins
install_packages "$build_folder/packages.stamp" "$here/app/packages.txt" "$here/app/gegl/packages.txt"
build "$here" "$build_folder" -Dbuildtype=release -Ddefault_library=static -Dgegl=enabled -Dtests=false -Dgui=disabled \
  -Dpython=disabled
mkdir -p "$operations"
cp "$build_folder/app/gegl/meanshift-lab.so" "$operations/"
say "Installed $operations/meanshift-lab.so"
