#!/bin/sh
# SPDX-License-Identifier: MIT
# Installs what is missing (apt), and the Python package into a virtual environment: sh app/python/install.sh FOLDER
# Then FOLDER/bin/python has the module meanshift_lab.
set -eu
here=$(CDPATH='' cd -- "$(dirname -- "$0")/../.." && pwd)
. "$here/app/setup.sh"

folder=${1:?the folder of the virtual environment, which is made if it does not exist}
install_packages "$folder/packages.stamp" "$here/app/packages.txt" "$here/app/python/packages.txt"
python3 -m venv "$folder" >&2
"$folder/bin/pip" install "$here" >&2
