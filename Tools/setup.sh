# shellcheck shell=bash
# What quickstart, build and test have in common. Sourced, not run.
#
# Afterwards the current directory is the root of the package, and everything that a build needs is there.

repository=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd)

step() {
    printf '\n==> %s\n' "$*"
}

stop() {
    printf '\nStopped: %s\n' "$*" >&2
    exit 1
}

# The manifest asks for this version of the Swift tools.
required_swift_major=6
required_swift_minor=2

check_swift() {
    command -v swift >/dev/null ||
        stop "no swift on the search path. Install Swift $required_swift_major.$required_swift_minor or later from https://www.swift.org/install/ and start again."
    local version major minor
    version=$(swift --version 2>/dev/null | sed -n 's/.*Swift version \([0-9][0-9.]*\).*/\1/p' | head -n 1)
    major=${version%%.*}
    minor=${version#*.}
    minor=${minor%%.*}
    if ((${major:-0} < required_swift_major)) ||
        ((major == required_swift_major && ${minor:-0} < required_swift_minor)); then
        stop "Swift ${version:-of unknown version} is here; $required_swift_major.$required_swift_minor or later is needed (https://www.swift.org/install/)."
    fi
    echo "Swift $version"
}

# Prints, one on a line, the Debian names of the packages that are not there.
missing_packages() {
    if command -v pkg-config >/dev/null; then
        pkg-config --exists sqlite3 || echo libsqlite3-dev
        pkg-config --exists lmdb || echo liblmdb-dev
    else
        # Without it, nobody can tell whether the libraries are there. To install them twice does no harm.
        printf '%s\n' pkg-config libsqlite3-dev liblmdb-dev
    fi
    command -v sqlite3 >/dev/null || echo sqlite3
    # Only the tests of the live list need it, which are skipped without.
    [[ -z ${needs_tmux:-} ]] || command -v tmux >/dev/null || echo tmux
}

install_packages() {
    # `env` is there because a list of words in front of a command must not be empty in every bash.
    local -a as_root=(env)
    if ((EUID != 0)); then
        command -v sudo >/dev/null ||
            stop "these packages are missing and there is no sudo. As root, run: apt-get install $*"
        as_root=(sudo env)
    fi
    echo "Installing with apt-get: $*"
    "${as_root[@]}" apt-get update -qq || echo "apt-get update failed; trying with the lists that are here."
    "${as_root[@]}" DEBIAN_FRONTEND=noninteractive \
        apt-get install -y -qq --no-install-recommends "$@" >/dev/null ||
        stop "apt-get could not install: $*"
}

check_packages() {
    local missing
    missing=$(missing_packages | tr '\n' ' ')
    if [[ -n $missing ]]; then
        command -v apt-get >/dev/null || name_packages "$missing"
        local -a packages
        read -r -a packages <<<"$missing"
        install_packages "${packages[@]}"
        missing=$(missing_packages | tr '\n' ' ')
        [[ -z $missing ]] || stop "still missing after the installation: $missing"
    fi
    echo "SQLite $(pkg-config --modversion sqlite3), LMDB $(pkg-config --modversion lmdb)"
}

# On systems without apt-get, says what to install and stops.
name_packages() {
    local command
    if command -v dnf >/dev/null; then
        command="dnf install sqlite-devel lmdb-devel pkgconf-pkg-config sqlite tmux"
    elif command -v pacman >/dev/null; then
        command="pacman -S sqlite lmdb pkgconf tmux"
    elif command -v zypper >/dev/null; then
        command="zypper install sqlite3-devel lmdb-devel pkg-config sqlite3 tmux"
    elif command -v brew >/dev/null; then
        command="brew install sqlite lmdb pkg-config tmux"
    else
        stop "please install SQLite and LMDB with their headers, pkg-config and the sqlite3 shell, and start again. (Debian's names of what is missing: $*)"
    fi
    stop "some system packages are missing. This should install them (not tested on this system): $command"
}

set_up() {
    cd -- "$repository" || stop "$repository cannot be entered"
    step "Checking what is needed"
    check_swift
    check_packages
}

# How programs are built for release, on one line. One that carries the Swift libraries starts faster than one that
# looks for them at each start.
release_options() {
    local resources
    resources=$(swift -print-target-info | sed -n 's/.*"runtimeResourcePath": *"\(.*\)".*/\1/p')
    if [[ $(uname) == Linux && -e ${resources}_static/linux/libFoundation.a ]]; then
        echo --configuration release --static-swift-stdlib
    else
        echo --configuration release
    fi
}

# Builds some products for release, one after the other: a build without names would also link GRDB's dynamic library,
# which cannot be linked with the static libraries.
build_for_release() {
    local -a options
    local product
    read -r -a options <<<"$(release_options)"
    if [[ ${options[*]} != *--static-swift-stdlib ]]; then
        echo "Swift's static library is not installed, so the tools use the shared one: they work the same, but each start takes some milliseconds longer."
    fi
    for product in "$@"; do build_product "$product" "${options[@]}"; done
}

# Builds one product with some options. What the compiler and the linker say goes to a file, and on the terminal a
# counter moves.
build_product() {
    local product=$1 log=.build/release-build.txt line
    shift
    mkdir -p .build
    if ! swift build "$@" --product "$product" 2>&1 | while IFS= read -r line; do
        printf '%s\n' "$line" >&3
        if [[ -t 1 && $line =~ ^\[[0-9]+/[0-9]+\] ]]; then
            printf '\r%s %s ' "$product" "${BASH_REMATCH[0]}"
        fi
    done 3>"$log"; then
        printf '\n'
        cat "$log" >&2
        stop "$product could not be built"
    fi
    [[ ! -t 1 ]] || printf '\r\033[K'
    echo "$product is built"
}

# Prints where programs that are built for release are.
release_folder() {
    local folder
    local -a options
    read -r -a options <<<"$(release_options)"
    folder=$(swift build "${options[@]}" --show-bin-path)
    # The same place under a shorter name.
    [[ ! .build/release -ef $folder ]] || folder=.build/release
    echo "$folder"
}
