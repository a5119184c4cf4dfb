import ArgumentParser
import ToolSupport

/// Imports of many files in one process, for programs that verify imports.
///
/// Options are parsed once for all files with the same ones, because the argument parser takes longer in a
/// debug build than the import of a small file.
package struct ImportTrials {
    private var commands: [[String]: ImportCommand] = [:]

    /// Creates trials without parsed options.
    package init() {}

    /// Imports a file as `library-import` does, and returns the exit status. The output is that of the tool.
    ///
    /// - Parameters:
    ///   - file: The path of the file.
    ///   - store: The path of the store.
    ///   - rejects: The path of the file for rejected records.
    ///   - arguments: The other arguments.
    package mutating func status(
        importing file: String, into store: String, rejects: String, _ arguments: [String]
    ) -> Int32 {
        do {
            var command: ImportCommand
            if let known = commands[arguments] {
                command = known
            } else {
                guard
                    let parsed = try ImportCommand.parseAsRoot([file, store] + arguments) as? ImportCommand
                else { return ToolExit.usage }
                command = parsed
                commands[arguments] = parsed
            }
            (command.paths, command.rejects) = ([file, store], rejects)
            try command.run()
            return ToolExit.success
        } catch {
            return LibraryImport.report(error)
        }
    }
}
