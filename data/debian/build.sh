#!/bin/sh
# SPDX-License-Identifier: MIT
# Builds the Debian packages into a folder: sh data/debian/build.sh FOLDER [DPKG-BUILDPACKAGE OPTION...]
# dpkg-buildpackage wants debian/ at the top of the sources, so it works on a copy of the tracked files. DEBFULLNAME and
# DEBEMAIL name who makes the packages, as they do for other tools of Debian.
set -eu
here=$(CDPATH='' cd -- "$(dirname -- "$0")/../.." && pwd)
: "${DEBEMAIL:?DEBEMAIL must hold the mail address of the packages' maintainer}"
mkdir -p "$1"
folder=$(CDPATH='' cd -- "$1" && pwd)
shift

version=$(sed -n '1s/.*(\(.*\)-[^-]*).*/\1/p' "$here/data/debian/changelog")
tree=$folder/meanshift-lab-$version
rm -rf "$tree"
mkdir "$tree"
git -C "$here" ls-files -z -- ':!data/debian' | tar -C "$here" --null --files-from=- -cf - | tar -xf - -C "$tree"
tar -C "$folder" -czf "$folder/meanshift-lab_$version.orig.tar.gz" "meanshift-lab-$version"
cp -R "$here/data/debian" "$tree/debian"
rm "$tree/debian/build.sh"
maintainer="${DEBFULLNAME:-The Meanshift Lab authors} <$DEBEMAIL>"
sed -i "s/@MAINTAINER@/$maintainer/" "$tree/debian/control" "$tree/debian/changelog"
cd "$tree"
exec dpkg-buildpackage --unsigned-source --unsigned-changes "$@"
