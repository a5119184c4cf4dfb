import ArgumentParser

/// The completion script for Bash, in which the command `import` may be left out.
extension LibraryImport {
    /// Prints the completion script if the arguments ask for that of Bash, and returns whether they do.
    static func printsCompletions(_ arguments: [String]) -> Bool {
        guard arguments == ["--generate-completion-script", "bash"] else { return false }
        print(completionScript(for: .bash) + defaultCommandScript)
        return true
    }

    /// The function that completes a command line without a command.
    ///
    /// The argument parser's script completes only commands at the first word, and nothing after a file.
    private static var defaultCommandScript: String {
        let commands = configuration.subcommands.compactMap { $0.configuration.commandName } + ["help"]
        return """

            # A first word that is not a command belongs to “import”, or to “move” if there is the option --from.
            _library-import_default() {
                local -r commands=' \(commands.joined(separator: " ")) '
                local command=import word
                if [[ ${COMP_WORDS[1]:-} != -* && $COMP_CWORD -eq 1 ]]; then
                    COMPREPLY=($(compgen -W "$commands" -- "$2"))
                    while IFS= read -r word; do COMPREPLY+=("$word"); done < <(compgen -f -- "$2")
                    return
                fi
                if [[ $commands != *" ${COMP_WORDS[1]:-} "* ]]; then
                    for word in "${COMP_WORDS[@]:1:COMP_CWORD}"; do
                        [[ $word != --from* ]] || command=move
                    done
                    COMP_WORDS=("${COMP_WORDS[0]}" "$command" "${COMP_WORDS[@]:1}")
                    COMP_CWORD=$((COMP_CWORD + 1))
                fi
                _library-import "$@"
            }

            complete -o filenames -F _library-import_default library-import
            """
    }
}
