import Foundation
import Testing

/// The commands that the README shows for the databases of other programs.
@Suite struct ReadmeDatabaseTests {
    /// The arguments of the README's commands on a file, in order, with the programs.
    private static func commands(on file: String) throws -> [[String]] {
        try RepositoryFile.text("README.md").split(separator: "\n").compactMap { line in
            guard line.hasPrefix(".build/release/"), line.contains(" \(file)") else { return nil }
            let command = line.prefix { $0 != "#" }.dropFirst(".build/release/".count)
            return command.split(separator: " ").map(String.init)
        }
    }

    private func run(_ commands: [[String]], in directory: ScratchDirectory) throws -> [ToolRun] {
        try commands.map { command in
            let arguments = command.dropFirst().map { argument in
                [".sqlite", ".store"].contains { argument.hasSuffix($0) }
                    ? directory.path(argument) : argument
            }
            let run = try ToolProcess.run(command[0], arguments, timeLimit: 120)
            #expect(run.status == 0 && !run.output.isEmpty, "\(run)")
            return run
        }
    }

    @Test(.enabled(if: CoreDataSamples.folder != nil, CoreDataSamples.reason))
    func `the commands on a Core Data store complete, and change nothing in it`() throws {
        let directory = try ScratchDirectory()
        let copy = try CoreDataSamples.copy("duckduckgo-bookmarks/Bookmarks_V3.sqlite", to: directory)
        for suffix in ["", "-wal", "-shm"] {
            try FileManager.default.moveItem(
                atPath: copy + suffix, toPath: directory.path("Bookmarks.sqlite") + suffix)
        }
        let before = try ScratchDirectory.contents(of: directory.url)
        let commands = try Self.commands(on: "Bookmarks.sqlite")
        try #require(commands.count == 4)
        let runs = try run(commands, in: directory)
        let count = try ForeignWriter.run(
            "SELECT count(*) FROM BookmarkEntity", on: directory.path("Bookmarks.store"))
        #expect(count == "10\n" && runs[1].output.contains("10"), "\(runs[1])")
        let after = try ScratchDirectory.contents(of: directory.url).filter { before[$0.key] != nil }
        #expect(after == before)
    }

    @Test(.enabled(if: PublishedDatabase.chinook != nil, PublishedDatabase.reason))
    func `the commands on any database complete`() throws {
        let directory = try ScratchDirectory()
        let chinook = try #require(PublishedDatabase.chinook)
        try FileManager.default.copyItem(atPath: chinook.path, toPath: directory.path("Chinook.sqlite"))
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o600], ofItemAtPath: directory.path("Chinook.sqlite"))
        let commands = try Self.commands(on: "Chinook.sqlite")
        try #require(commands.count == 3)
        let runs = try run(commands, in: directory)
        let artists = try ForeignWriter.run(
            "SELECT count(DISTINCT ArtistId) FROM Album", on: directory.path("Chinook.sqlite"))
        #expect(runs[1].output.contains("\(artists.dropLast()) sections"), "\(runs[1].output.suffix(300))")
    }
}
