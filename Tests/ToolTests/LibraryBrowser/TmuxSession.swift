import Foundation
import Testing

/// A program in a terminal without a display: a separate `tmux` server with one window.
final class TmuxSession {
    static let reason: Comment =
        "SKIPPED: tmux is not installed, so there is no terminal to show a live list in. Tools/test installs it."

    private static let program: URL? = {
        for directory in (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":") {
            let url = URL(filePath: String(directory)).appending(path: "tmux")
            if FileManager.default.isExecutableFile(atPath: url.path) { return url }
        }
        return nil
    }()

    static var isAvailable: Bool { program != nil }

    private let socket: String
    private let server = Process()

    /// Starts a shell command in a directory. The shell continues after it, prints its exit status, and
    /// writes the terminal's settings before and after it to two files.
    init(_ directory: ScratchDirectory, width: Int = 100, height: Int = 30, _ command: String) throws {
        socket = directory.path("tmux-\(UInt32.random(in: 0 ... .max))")
        // Runs in the foreground: a server that became a daemon would keep open the file descriptors by which
        // Foundation detects the end of its parent.
        server.executableURL = Self.program
        server.arguments = ["-D", "-u", "-S", socket, "-f", "/dev/null"]
        server.environment = Self.environment
        server.standardInput = FileHandle.nullDevice
        server.standardOutput = FileHandle.nullDevice
        server.standardError = FileHandle.nullDevice
        try server.run()
        for _ in 0..<100 where !FileManager.default.fileExists(atPath: socket) {
            Thread.sleep(forTimeInterval: 0.05)
        }
        // The terminal does not depend on that of this process: it has UTF-8, and allows colours.
        try run([
            "new-session", "-d", "-x", "\(width)", "-y", "\(height)", "-s", "live",
            "-c", directory.url.path, "-e", "NO_COLOR=", "sh",
        ])
        try run(["set-option", "-g", "remain-on-exit", "on"])
        // The program must restore the previous contents of the screen.
        try type("PS1=; clear; printf 'before\\n'; stty -g >settings-before; \(command); ")
        try type("printf 'exit status %s\\n' $?; stty -g >settings-after\n")
    }

    deinit {
        // A server that is started on a thread with blocked signals blocks them as well, except SIGKILL.
        // The program in its window loses its terminal.
        kill(server.processIdentifier, SIGKILL)
        server.waitUntilExit()
    }

    private static let environment = ProcessInfo.processInfo.environment.merging([
        "TERM": "xterm-256color", "LC_ALL": "C.UTF-8",
    ]) { $1 }

    @discardableResult
    private func run(_ arguments: [String]) throws -> String {
        guard let program = Self.program else { throw ToolProcess.MissingTool(name: "tmux") }
        let run = try ToolProcess.run(
            executable: program, ["-u", "-S", socket] + arguments,
            environment: Self.environment, timeLimit: 20)
        try #require(run.status == 0, "\(run)")
        return run.output
    }

    /// Types text.
    func type(_ text: String) throws { try run(["send-keys", "-t", "live", "-l", text]) }

    /// Presses keys by their names, such as `Down` and `Enter`.
    func press(_ keys: String...) throws { try run(["send-keys", "-t", "live"] + keys) }

    /// Resizes the window.
    func resize(width: Int, height: Int) throws {
        try run(["resize-window", "-t", "live", "-x", "\(width)", "-y", "\(height)"])
    }

    /// Sends a signal to the program that the shell runs.
    func signal(_ name: String) throws {
        let shell = try run(["display-message", "-p", "-t", "live", "#{pane_pid}"]).filter(\.isNumber)
        let script = """
            for process in /proc/[0-9]*; do
                [ "$(cut -d ' ' -f 4 "$process/stat" 2>/dev/null)" = "$1" ] && kill -"$2" "${process##*/}"
            done; true
            """
        let run = try ToolProcess.run(
            executable: URL(filePath: "/bin/sh"), ["-c", script, "sh", shell, name])
        try #require(run.status == 0, "\(run)")
    }

    /// Returns the lines on the screen.
    ///
    /// - Parameter styled: Whether the lines include the codes of reversed and bold text.
    func screen(styled: Bool = false) throws -> [String] {
        let text = try run(["capture-pane", "-p"] + (styled ? ["-e"] : []) + ["-t", "live"])
        return text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    }

    /// Waits until the screen satisfies a condition, for at most twenty seconds.
    @discardableResult
    func wait(
        for what: Comment, sourceLocation: SourceLocation = #_sourceLocation,
        _ isRight: ([String]) throws -> Bool
    ) throws -> [String] {
        var lines: [String] = []
        for _ in 0..<200 {
            lines = try screen()
            if try isRight(lines) { return lines }
            Thread.sleep(forTimeInterval: 0.1)
        }
        Issue.record(
            "The screen never showed \(what):\n\(lines.joined(separator: "\n"))",
            sourceLocation: sourceLocation)
        throw Unseen()
    }

    struct Unseen: Error {}
}
