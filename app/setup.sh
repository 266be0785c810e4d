# SPDX-License-Identifier: MIT
# Shared by app/run.sh, tests/run.sh and the scripts that install (sourced, POSIX sh): installs what is missing,
# configures and compiles. Everything it says goes to standard error, so that the program's own output stays clean.

say() {
  printf '%s\n' "$*" >&2
}

# package_names FILE...: the names in the lists, without comments.
package_names() {
  sed -e 's/#.*//' -e '/^[[:space:]]*$/d' "$@"
}

as_root() {
  if [ "$(id -u)" -eq 0 ]; then
    "$@"
  elif command -v sudo >/dev/null 2>&1; then
    sudo "$@"
  else
    say "Installing packages needs root. Run as root or install sudo, or install by hand: $wanted"
    exit 1
  fi
}

missing_packages() {
  for package in $(package_names "$@"); do
    dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || printf '%s ' "$package"
  done
}

# install_packages STAMP FILE...: installs what the lists name and is missing; the stamp remembers a finished check.
install_packages() {
  stamp=$1
  shift
  if [ -f "$stamp" ] && cat "$@" | cmp -s - "$stamp"; then
    return
  fi
  if ! command -v apt-get >/dev/null 2>&1 || ! command -v dpkg-query >/dev/null 2>&1; then
    if command -v meson >/dev/null 2>&1 && pkg-config --exists OpenCL glib-2.0 libpng libjpeg 2>/dev/null; then
      return
    fi
    say "This system has no apt. Please install the equivalents of these Debian packages and run again:"
    package_names "$@" >&2
    exit 1
  fi
  wanted=$(missing_packages "$@")
  if [ -n "$wanted" ]; then
    say "Installing: $wanted"
    as_root apt-get update -q >&2 || exit 1
    # shellcheck disable=SC2086
    as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends $wanted >&2 || {
      say "Some packages could not be installed. See the lines above."
      exit 1
    }
  fi
  mkdir -p "$(dirname "$stamp")"
  cat "$@" >"$stamp"
}

# build SOURCE FOLDER [MESON OPTION...]: configures once, compiles what changed; quiet unless it fails.
build() {
  source_folder=$1
  build_folder=$2
  shift 2
  mkdir -p "$build_folder"
  log=$build_folder/setup.log
  if [ ! -f "$build_folder/build.ninja" ]; then
    say "Configuring $build_folder"
    meson setup "$build_folder" "$source_folder" "$@" >"$log" 2>&1 || {
      cat "$log" >&2
      exit 1
    }
  fi
  ninja -C "$build_folder" >"$log" 2>&1 || {
    cat "$log" >&2
    exit 1
  }
}
