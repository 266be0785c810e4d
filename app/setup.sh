# SPDX-License-Identifier: MIT
# Shared by app/run.sh, tests/run.sh and the scripts that install (sourced, POSIX sh): installs what is missing,
# configures and compiles. Everything it says goes to standard error, so that the program's own output stays clean.

say() {
  printf '%s\n' "$*" >&2
}

# package_names COLUMN FILE...: the names in a column of the lists, each once.
package_names() {
  names_column=$1
  shift
  awk -v column="$names_column" '{ sub(/#.*/, "") } NF && $column != "-" && !seen[$column]++ { print $column }' "$@"
}

# install_line FILE...: what installs the lists where there is no apt.
install_line() {
  if command -v zypper >/dev/null 2>&1; then
    echo zypper install $(package_names 4 "$@")
  elif command -v pacman >/dev/null 2>&1; then
    echo pacman -S --needed $(package_names 3 "$@")
  elif command -v dnf >/dev/null 2>&1; then
    echo dnf install $(package_names 2 "$@")
  else
    echo the equivalents of these packages of Debian: $(package_names 1 "$@")
  fi
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

# missing_packages FILE...: Debian's names of what is not installed, as they stand in the lists.
missing_packages() {
  for package in $(package_names 1 "$@"); do
    dpkg-query -W -f='${Status}' "${package%\?}" 2>/dev/null | grep -q 'ok installed' || echo "$package"
  done
}

# available_packages NAME...: the names without ?; what has one is left out where this version of Debian lacks it.
available_packages() {
  for package; do
    name=${package%\?}
    if [ "$name" != "$package" ] && ! apt-get install --simulate -qq "$name" >/dev/null 2>&1; then
      say "This distribution has no $name: what needs it is skipped."
    else
      echo "$name"
    fi
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
    say "This system has no apt. Please install as root, and run again:"
    say "$(install_line "$@")"
    exit 1
  fi
  wanted=$(missing_packages "$@" | tr '\n' ' ')
  # Where a package with ? alone is missing, it may well not exist, so nobody is asked to become root.
  case $wanted in
    *[!?]' '*) as_root apt-get update -q >&2 || exit 1 ;;
  esac
  # shellcheck disable=SC2086
  wanted=$(available_packages $wanted | tr '\n' ' ')
  if [ -n "$wanted" ]; then
    say "Installing: $wanted"
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
