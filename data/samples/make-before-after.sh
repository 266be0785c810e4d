#!/bin/sh
# SPDX-License-Identifier: MIT
# Makes the README's picture: a cut of the sample before and after the filter, side by side. Needs ImageMagick.
#   sh data/samples/make-before-after.sh [PROGRAM]
set -eu
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
program=${1:-$here/../../build/app/meanshift-lab}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$program" --headless "$here/harbour.png" --sp 10 --sr 20 --quiet -o "$folder/after.png"
cut=400x320+20+130
convert "$here/harbour.png" -crop "$cut" +repage "$folder/left.png"
convert "$folder/after.png" -crop "$cut" +repage "$folder/right.png"
convert "$folder/left.png" -size 4x320 xc:white "$folder/right.png" +append -strip "$here/harbour-before-after.png"
