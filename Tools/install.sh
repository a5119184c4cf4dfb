# shellcheck shell=bash
# Functions that install programs with their manual pages and completions. Sourced after setup.sh, not run.

# The programs that users run.
user_programs="library-import library-browser cache-inspector model-tool"

# Prints the absolute path of a directory that need not exist.
absolute_path() {
    [[ -n $1 ]] || stop "the prefix is empty. Pass the path of a directory, such as ~/.local."
    case $1 in
    /*) printf '%s\n' "${1%/}" ;;
    *) printf '%s\n' "$PWD/${1%/}" ;;
    esac
}

# Prints the files of an installation of a program that do not depend on its commands, below the prefix.
installed_files() {
    printf '%s\n' "bin/$1" "share/bash-completion/completions/$1" "share/zsh/site-functions/_$1" \
        "share/fish/vendor_completions.d/$1.fish"
}

# Installs the programs of a folder below a prefix. Everything is made in a directory below the prefix first,
# so that a failure changes nothing, and each file is renamed to its place, so that none is incomplete.
install_into() {
    local folder=$1 prefix=$2 program file stage
    local -a names
    read -r -a names <<<"$user_programs"
    for program in "${names[@]}"; do
        [[ -x $folder/$program ]] || stop "$folder/$program does not exist. Nothing was installed."
    done
    mkdir -p -- "$prefix" || stop "$prefix cannot be created. Pass a directory that can be written."
    stage=$(mktemp -d -- "$prefix/.sectioned-fetch.XXXXXX") ||
        stop "$prefix cannot be written. Pass another directory, or install as its owner."
    # shellcheck disable=SC2064
    trap "rm -rf -- $(printf '%q' "$stage")" EXIT
    trap 'exit 130' INT
    trap 'exit 143' TERM
    mkdir -p -- "$stage/bin" "$stage/share/man/man1" "$stage/share/bash-completion/completions" \
        "$stage/share/zsh/site-functions" "$stage/share/fish/vendor_completions.d"
    for program in "${names[@]}"; do
        make_files "$folder" "$program" "$stage" ||
            stop "$program could not be prepared. Nothing was installed."
    done
    while IFS= read -r file; do
        if ! mkdir -p -- "$prefix/$file" || [[ ! -w $prefix/$file ]]; then
            stop "$prefix/$file is not a directory that can be written. Nothing was installed."
        fi
    done < <(cd -- "$stage" && find bin share -type d)
    while IFS= read -r file; do
        [[ ! -d $prefix/$file ]] || stop "$prefix/$file is a directory. Nothing was installed."
    done < <(cd -- "$stage" && find bin share -type f)
    while IFS= read -r file; do
        mv -f -- "$stage/$file" "$prefix/$file" ||
            stop "$prefix/$file cannot be replaced. Check the permissions, and install again."
    done < <(cd -- "$stage" && find share bin -type f | sort -r)
    remove_old_pages "$prefix" "$stage"
    echo "Installed ${names[*]} in $prefix/bin, with manual pages and completions."
    case :$PATH: in
    *":$prefix/bin:"*) ;;
    *) echo "$prefix/bin is not on the search path. Add it to PATH to run the programs by their names." ;;
    esac
}

# Makes the files of a program in a directory.
make_files() {
    local folder=$1 program=$2 stage=$3
    cp -- "$folder/$program" "$stage/bin/$program" && chmod 755 -- "$stage/bin/$program" &&
        "$stage/bin/$program" --generate-manual "$stage/share/man/man1" &&
        "$stage/bin/$program" --generate-completion-script bash \
            >"$stage/share/bash-completion/completions/$program" &&
        "$stage/bin/$program" --generate-completion-script zsh >"$stage/share/zsh/site-functions/_$program" &&
        "$stage/bin/$program" --generate-completion-script fish \
            >"$stage/share/fish/vendor_completions.d/$program.fish" &&
        [[ -e $stage/share/man/man1/$program.1 ]] &&
        (cd -- "$stage/share/man/man1" && printf '%s\n' "$program"*.1) >>"$stage/pages"
}

# Removes the manual pages of commands that the programs no longer have.
remove_old_pages() {
    local prefix=$1 pages=$2/pages program page
    for program in $user_programs; do
        for page in "$prefix/share/man/man1/$program"-*.1; do
            [[ -e $page ]] || continue
            grep -qxF -- "$(basename -- "$page")" "$pages" || rm -f -- "$page"
        done
    done
}

# Removes what `install_into` installed, and the directories that are empty then.
uninstall_from() {
    local prefix=$1 program file
    for program in $user_programs; do
        while IFS= read -r file; do
            rm -f -- "$prefix/$file" || stop "$prefix/$file cannot be removed."
        done < <(installed_files "$program")
        rm -f -- "$prefix/share/man/man1/$program.1" "$prefix/share/man/man1/$program"-*.1 ||
            stop "the manual pages of $program cannot be removed."
    done
    for file in bin share/man/man1 share/man share/bash-completion/completions share/bash-completion \
        share/zsh/site-functions share/zsh share/fish/vendor_completions.d share/fish share; do
        rmdir -- "$prefix/$file" 2>/dev/null || true
    done
    echo "Removed the programs, manual pages and completions from $prefix."
}
