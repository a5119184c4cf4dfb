# shellcheck shell=bash
# What quickstart and test have in common. Sourced, not run.
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
