# shellcheck shell=bash
# Functions that the other scripts share. Sourced, not run.
#
# After `set_up`, the current directory is the root of the package, and everything that a build needs is
# installed.

repository=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd)

step() {
    printf '\n==> %s\n' "$*"
}

stop() {
    printf '\nStopped: %s\n' "$*" >&2
    exit 1
}

# The version of the Swift tools that Package.swift requires.
required_swift_major=6
required_swift_minor=2

check_swift() {
    command -v swift >/dev/null ||
        stop "swift is not on the search path. Install Swift $required_swift_major.$required_swift_minor or later from https://www.swift.org/install/, and run the script again."
    local version major minor
    version=$(swift --version 2>/dev/null | sed -n 's/.*Swift version \([0-9][0-9.]*\).*/\1/p' | head -n 1)
    major=${version%%.*}
    minor=${version#*.}
    minor=${minor%%.*}
    if ((${major:-0} < required_swift_major)) ||
        ((major == required_swift_major && ${minor:-0} < required_swift_minor)); then
        stop "Swift ${version:-of unknown version} is installed; $required_swift_major.$required_swift_minor or later is required (https://www.swift.org/install/)."
    fi
    echo "Swift $version"
}

# Prints the Debian names of the missing packages, one on each line.
missing_packages() {
    if command -v pkg-config >/dev/null; then
        pkg-config --exists sqlite3 || echo libsqlite3-dev
        pkg-config --exists lmdb || echo liblmdb-dev
    else
        # Without pkg-config, the libraries cannot be detected. Installing them twice does no harm.
        printf '%s\n' pkg-config libsqlite3-dev liblmdb-dev
    fi
    command -v sqlite3 >/dev/null || echo sqlite3
    # Only tests need these; without them some tests are skipped, and fail where CI is 1.
    if [[ -n ${needs_test_tools:-} ]]; then
        command -v tmux >/dev/null || echo tmux
        command -v python3 >/dev/null || echo python3
    fi
}

install_packages() {
    # `env` keeps the array from being empty, which some versions of bash reject before a command.
    local -a as_root=(env)
    if ((EUID != 0)); then
        command -v sudo >/dev/null ||
            stop "packages are missing and sudo is not installed. As root, run: apt-get install $*"
        as_root=(sudo env)
    fi
    echo "Installing with apt-get: $*"
    "${as_root[@]}" apt-get update -qq || echo "apt-get update failed; trying with the existing package lists."
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

# Prints the packages to install on systems without apt-get, and stops.
name_packages() {
    local command
    if command -v dnf >/dev/null; then
        command="dnf install sqlite-devel lmdb-devel pkgconf-pkg-config sqlite tmux python3"
    elif command -v pacman >/dev/null; then
        command="pacman -S sqlite lmdb pkgconf tmux python"
    elif command -v zypper >/dev/null; then
        command="zypper install sqlite3-devel lmdb-devel pkg-config sqlite3 tmux python3"
    elif command -v brew >/dev/null; then
        command="brew install sqlite lmdb pkg-config tmux python"
    else
        stop "install SQLite and LMDB with their headers, pkg-config and the sqlite3 shell, and run the script again. (The missing packages have these names in Debian: $*)"
    fi
    stop "some system packages are missing. This command should install them (not tested on this system): $command"
}

set_up() {
    cd -- "$repository" || stop "$repository cannot be entered"
    step "Checking the requirements"
    check_swift
    check_packages
}

# Prints the build options for release, on one line. A program that contains the Swift libraries starts faster
# than one that loads them at each start.
release_options() {
    local resources
    resources=$(swift -print-target-info | sed -n 's/.*"runtimeResourcePath": *"\(.*\)".*/\1/p')
    if [[ $(uname) == Linux && -e ${resources}_static/linux/libFoundation.a ]]; then
        echo --configuration release --static-swift-stdlib
    else
        echo --configuration release
    fi
}

# Builds products for release, one after the other: a build without names would also link GRDB's dynamic
# library, which cannot be linked with the static libraries.
build_for_release() {
    local -a options
    local product
    read -r -a options <<<"$(release_options)"
    if [[ ${options[*]} != *--static-swift-stdlib ]]; then
        echo "Swift's static library is not installed, so the tools use the shared one. They work the same, but each start takes some milliseconds longer."
    fi
    for product in "$@"; do build_product "$product" "${options[@]}"; done
}

# Builds one product with some options. The output of the compiler and the linker goes to a file; on a
# terminal, a counter shows the progress.
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
    echo "built $product"
}

# Prints the directory of programs that are built for release.
release_folder() {
    local folder
    local -a options
    read -r -a options <<<"$(release_options)"
    folder=$(swift build "${options[@]}" --show-bin-path)
    # The shorter name of the same directory.
    [[ ! .build/release -ef $folder ]] || folder=.build/release
    echo "$folder"
}
