import Foundation
import Testing

/// Files of programs that tests make and run.
///
/// Another process makes each file: a child that this process starts meanwhile would inherit a descriptor
/// that is open for writing, and Linux does not run a file that a process may write (`ETXTBSY`).
enum ProgramFile {
    /// Copies a program.
    static func copy(_ program: URL, to copy: URL) throws {
        let run = try ToolProcess.run(
            executable: URL(filePath: "/usr/bin/env"), ["install", "-m", "755", program.path, copy.path],
            command: "install")
        try #require(run.status == 0, "\(run)")
    }

    /// Makes a script.
    ///
    /// - Parameter shell: The program that runs the script.
    static func make(_ script: String, at url: URL, shell: String = "sh") throws {
        let text = url.appendingPathExtension("text")
        try Data("#!/usr/bin/env \(shell)\n\(script)\n".utf8).write(to: text)
        try copy(text, to: url)
    }
}
