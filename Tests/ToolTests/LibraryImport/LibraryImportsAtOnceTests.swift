import CheckSupport
import Foundation
import SectionedFetch
import Testing

/// Two processes that import into one store at the same time.
@Suite(.enabled(if: ForeignWriter.isAvailable, ForeignWriter.reason))
struct LibraryImportsAtOnceTests {
    private func start(_ path: String, _ store: String, _ options: [String]) throws -> Process {
        let process = Process()
        process.executableURL = URL(filePath: try ToolProcess.path("library-import"))
        process.arguments = [path, store, "--relationship", "author=Author", "--quiet"] + options
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        return process
    }

    private func content(_ keys: Range<Int>) -> String {
        "id,title,author\n" + keys.map { "\($0),Title \($0),A\($0 % 30)\n" }.joined()
    }

    @Test(.timeLimit(.minutes(3)))
    func `fifty rows of one and thousands of the other are all in the store`() throws {
        let seed = SeededGenerator.newSeed()
        var random = SeededGenerator(seed: seed)
        for round in 0..<8 {
            let file = try LibraryImportFile(content(0..<4_000))
            let small = file.directory.path("small.csv")
            try Data(content(3_975..<4_025).utf8).write(to: URL(filePath: small))
            let isSame = Bool.random(using: &random)
            let key = Bool.random(using: &random) ? ["--key", "id"] : ["--no-key"]
            let batch = ["200", "10000"].randomElement(using: &random) ?? "200"
            let first = key + ["--entity", "Book", "--batch", batch]
            let second = key + ["--entity", isSame ? "Book" : "Magazine"]
            let processes = [
                try start(file.path, file.storePath, first), try start(small, file.storePath, second),
            ]
            let killed = Int.random(in: 0..<4, using: &random)
            if killed < 2 {
                usleep(UInt32.random(in: 0..<300_000, using: &random))
                kill(processes[killed].processIdentifier, SIGKILL)
            }
            for (number, process) in processes.enumerated() {
                process.waitUntilExit()
                guard process.terminationReason == .uncaughtSignal else {
                    #expect(process.terminationStatus == 0, "seed \(seed), round \(round), \(number)")
                    continue
                }
                let again = try start(
                    number == 0 ? file.path : small, file.storePath, number == 0 ? first : second)
                again.waitUntilExit()
                // An import that was killed after its last commit is refused.
                let isRefused = again.terminationStatus == 2 && key == ["--no-key"]
                #expect(
                    again.terminationStatus == 0 || isRefused,
                    "seed \(seed), round \(round), \(number) again")
            }
            let counts = try ForeignWriter.run(
                "SELECT count(*), count(DISTINCT id), count(author) FROM Book; SELECT count(*), count(DISTINCT name) FROM Author; PRAGMA foreign_key_check"
                    + (isSame ? "" : "; SELECT count(*) FROM Magazine"), on: file.storePath)
            let books = isSame ? (key[0] == "--key" ? 4_025 : 4_050) : 4_000
            let distinct = isSame ? 4_025 : 4_000
            #expect(
                counts == "\(books)|\(distinct)|\(books)\n30|30\n\(isSame ? "" : "50\n")",
                "seed \(seed), round \(round), \(first) \(second)")
        }
    }

    @Test(.timeLimit(.minutes(3)), arguments: [["--batch", "100000"], ["--batch", "1500"]])
    func `one file without a key is imported once by two processes`(options: [String]) throws {
        for _ in 0..<4 {
            let file = try LibraryImportFile(content(0..<4_000))
            let copy = file.directory.path("copy.csv")
            try FileManager.default.copyItem(atPath: file.path, toPath: copy)
            let processes = try [file.path, copy].map {
                try start($0, file.storePath, ["--no-key", "--entity", "Book"] + options)
            }
            for process in processes { process.waitUntilExit() }
            #expect(processes.map(\.terminationStatus).sorted() == [0, 2])
            #expect(try ForeignWriter.run("SELECT count(*) FROM Book", on: file.storePath) == "4000\n")
        }
    }

    @Test(.timeLimit(.minutes(3)))
    func `an import that is undone while it runs says so, and no rows of it stay`() throws {
        let running = try RunningImport(["--batch", "1000"])
        try running.giveRows()
        let store = running.file.storePath
        let end = ContinuousClock.now + .seconds(120)
        while (try? running.file.rows("Song", ["id"]).isEmpty) ?? true {
            try #require(ContinuousClock.now < end)
            usleep(50_000)
        }
        let undo = try ToolProcess.run("library-import", ["undo", store, "1", "--force"])
        #expect(undo.status == 0, "\(undo)")
        try running.giveRows()
        let (status, errors) = try running.finish()
        #expect(status == 2 && errors.contains("Another process has undone import 1"), "\(errors)")
        #expect(!errors.contains("stay in the store"), "\(errors)")
        #expect(try ForeignWriter.run("SELECT count(*) FROM Song", on: store) == "0\n")
    }

    /// The first attempts to begin a transaction wait for five seconds.
    @Test(.timeLimit(.minutes(3)), arguments: [true, false])
    func `an import waits for a program that holds the lock for longer, and a signal ends the wait`(
        isInterrupted: Bool
    ) throws {
        let file = try LibraryImportFile(content(0..<10))
        #expect(try file.counts(["--key", "id"]).inserted == 10)
        try file.write(content(5..<20))
        let errors = file.directory.file("errors")
        try Data().write(to: errors)
        let process = Process()
        process.executableURL = URL(filePath: try ToolProcess.path("library-import"))
        process.arguments = [file.path, file.storePath, "--key", "id", "--entity", "Book"]
        process.standardOutput = FileHandle.nullDevice
        process.standardError = try FileHandle(forWritingTo: errors)
        try ForeignWriter.locking(file.storePath, allowsReading: true) {
            try process.run()
            while process.isRunning,
                try !String(contentsOf: errors, encoding: .utf8).contains(
                    "Waiting at most ten minutes for another program")
            { usleep(20_000) }
            if isInterrupted {
                process.interrupt()
                process.waitUntilExit()
            }
        }
        process.waitUntilExit()
        let text = try String(contentsOf: errors, encoding: .utf8)
        #expect(process.terminationStatus == (isInterrupted ? 130 : 0), "\(text)")
        let count = try ForeignWriter.run("SELECT count(*) FROM Book", on: file.storePath)
        #expect(count == (isInterrupted ? "10\n" : "20\n"), "\(text)")
    }
}
