import BenchmarkSupport
import Foundation

/// A program that imports a CSV file, with its whole process.
enum WholeImport: String, CaseIterable {
    /// `library-import`, which proposes the types and a key, and checks them.
    case tool
    /// The same file again, by its key.
    case again
    /// `library-import` with two relationships by name.
    case related
    /// `.import` of the `sqlite3` shell, which checks nothing.
    case shell
    /// Python's `csv` and `sqlite3`.
    case python

    var title: String {
        switch self {
        case .tool: "library-import, nothing given"
        case .again: "library-import, the same file again"
        case .related: "library-import, two relationships"
        case .shell: "sqlite3 .import"
        case .python: "Python's csv and sqlite3"
        }
    }

    /// The program of the system that runs the import; nil for the import tool.
    fileprivate var command: String? {
        switch self {
        case .tool, .again, .related: nil
        case .shell: "sqlite3"
        case .python: "python3"
        }
    }
}

/// Imports a CSV file of songs by different programs in turn.
struct WholeImportMeasurement {
    let folder: WorkFolder
    let programs: Programs
    let rows: Int

    private static let store = "whole.sqlite"
    private static let plain = "whole-plain.sqlite"

    /// Measures the whole processes, in milliseconds.
    ///
    /// - Returns: The times of the programs that are installed.
    func measure(rounds: Int) throws -> [WholeImport: Spread] {
        guard let tool = programs.importTool else { return [:] }
        let csv = folder.path("whole.csv")
        _ = try ChildProcess.run(tool, ["generate", csv, "--rows", String(rows)])
        defer { try? folder.remove("whole.csv") }
        let ways = WholeImport.allCases.filter { $0.command.map(Self.isInstalled) ?? true }
        var times: [WholeImport: [Double]] = [:]
        for round in 0...rounds {
            for way in ways {
                if way != .again { for name in [Self.store, Self.plain] { try folder.removeDatabase(name) } }
                let (program, arguments) = command(of: way, tool, csv)
                let process = try ChildProcess.run(program, arguments)
                // The first round is a warm-up.
                if round > 0 { times[way, default: []].append(process.milliseconds) }
            }
        }
        for name in [Self.store, Self.plain] { try folder.removeDatabase(name) }
        return times.mapValues(Spread.init)
    }

    private func command(of way: WholeImport, _ tool: String, _ csv: String) -> (String, [String]) {
        let store = folder.path(Self.store)
        let plain = folder.path(Self.plain)
        switch way {
        case .tool, .again: return (tool, [csv, store, "--entity", "Song"])
        case .related:
            return (
                tool,
                [csv, store, "--entity", "Song", "--relationship", "artist=Artist"]
                    + ["--relationship", "album=Album"]
            )
        case .shell:
            return (
                "/usr/bin/env", ["sqlite3", plain, "-cmd", ".mode csv", ".import '\(csv)' songs"]
            )
        case .python: return ("/usr/bin/env", ["python3", "-c", Self.script, csv, plain])
        }
    }

    private static let script = """
        import csv, sqlite3, sys
        rows = csv.reader(open(sys.argv[1], newline='', encoding='utf-8'))
        header = next(rows)
        database = sqlite3.connect(sys.argv[2])
        database.execute('CREATE TABLE songs (%s)' % ', '.join('"%s"' % name for name in header))
        database.executemany('INSERT INTO songs VALUES (%s)' % ', '.join('?' * len(header)), rows)
        database.commit()
        """

    private static func isInstalled(_ command: String) -> Bool {
        (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").contains {
            FileManager.default.isExecutableFile(atPath: "\($0)/\(command)")
        }
    }
}
