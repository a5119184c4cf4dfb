import CheckSupport
import Foundation
import Testing

/// A file of the real libraries.
struct RealLibrary: Sendable, CustomTestStringConvertible {
    /// The path below the directory of the data.
    let path: String
    /// The number of its records.
    let count: Int
    /// The options that the file needs.
    var arguments: [String] = []
    /// The array of a JSON file.
    var array: String?
    /// The formats in which the first records are exported.
    var formats = ["csv", "jsonl"]

    static let all = [
        RealLibrary(path: "goodbooks/books.csv", count: 10_000),
        RealLibrary(path: "tate/artist_data.csv", count: 3_532, formats: ["tsv"]),
        RealLibrary(path: "tate/artworks_sample.jsonl", count: 4_071, formats: ["jsonl"]),
        RealLibrary(path: "moma/Artists.csv", count: 14_839, formats: ["json"]),
        RealLibrary(path: "moma/Artists.json", count: 14_839, formats: ["csv"]),
        RealLibrary(path: "moma/Artworks.csv", count: 123_919, arguments: ["--key", "ObjectID"]),
        RealLibrary(
            path: "itunes-py4e/tracks.csv", count: 351, arguments: ["--no-header"], formats: ["tsv"]),
        RealLibrary(
            path: "chinook/ChinookData.json", count: 3_503, arguments: ["--at", "Track"], array: "Track",
            formats: ["jsonl"]),
        RealLibrary(
            path: "chinook/ChinookData.json", count: 59, arguments: ["--at", "Customer"], array: "Customer",
            formats: ["csv"]),
        RealLibrary(
            path: "chinook/ChinookData.json", count: 8_715, arguments: ["--at", "PlaylistTrack"],
            array: "PlaylistTrack", formats: ["json"]),
    ]

    /// The number of records of a file that are imported by default.
    static let limit = 300
    static let isWhole = ProcessInfo.processInfo.environment["SECTIONED_FETCH_WHOLE_DATA"] == "1"
    static let reason: Comment =
        "SKIPPED: the real libraries or python3 are missing. Set SECTIONED_FETCH_DATA to their directory."

    static let directory: URL? = {
        let directories = [
            ProcessInfo.processInfo.environment["SECTIONED_FETCH_DATA"].map { URL(filePath: $0) },
            RepositoryFile.url("../shared/data"),
        ]
        return directories.compactMap { $0?.standardizedFileURL }.first {
            FileManager.default.fileExists(atPath: $0.appending(path: "goodbooks/books.csv").path)
        }
    }()

    var name: String { String(path.split(separator: "/").last ?? "") }
    var testDescription: String { path + (array.map { " \($0)" } ?? "") }

    /// Writes the first records of CSV and JSON, or all, as they are in the file, and returns their number.
    @discardableResult
    func write(to destination: String) throws -> Int {
        let program = """
            import csv, itertools, json, sys
            source, destination, array, header, limit = sys.argv[1:]
            limit = int(limit)
            with open(source, newline="", encoding="utf-8") as file:
                text = file.read()
            if source.endswith(".csv"):
                lines = [line + "\\n" for line in text.split("\\n")]
                reader = csv.reader(iter(lines))
                if header == "yes": next(reader)
                count = sum(1 for row in itertools.islice(reader, limit) if row)
                text = "".join(lines[:reader.line_num])
            elif source.endswith(".jsonl"):
                lines = [line for line in text.split("\\n") if line][:limit]
                count, text = len(lines), "\\n".join(lines)
            else:
                records = json.loads(text.lstrip("\\ufeff"))
                records = (records[array] if array else records)[:limit]
                count = len(records)
                text = json.dumps({array: records} if array else records, ensure_ascii=False, indent=1)
            with open(destination, "w", newline="", encoding="utf-8") as file:
                file.write(text)
            print(count)
            """
        let directory = try #require(Self.directory)
        guard ["csv", "json", "jsonl"].contains(name.split(separator: ".").last ?? "") else {
            // A file of another format is small, and is imported as a whole.
            try FileManager.default.copyItem(
                at: directory.appending(path: path), to: URL(filePath: destination))
            return count
        }
        let hasHeader = !arguments.contains("--no-header")
        let lines = try Python.lines(
            of: program, directory.appending(path: path).path, destination, array ?? "",
            hasHeader ? "yes" : "no", "\(Self.isWhole ? 10_000_000 : Self.limit)")
        return try #require(lines.first.flatMap { Int($0) })
    }

    /// Returns `equal`, or the first difference between the rows and the models of two stores.
    static func difference(between first: String, and second: String) throws -> String {
        let program = """
            import itertools, json, sqlite3, sys
            stores = [sqlite3.connect("file:%s?mode=ro" % path, uri=True) for path in sys.argv[1:]]
            models = [json.loads(store.execute("SELECT model FROM sc_store").fetchone()[0]) for store in stores]
            if models[0] != models[1]:
                print("the models differ", models)
                sys.exit()
            for entity in models[0]:
                query = 'SELECT * FROM "%s" ORDER BY objectID' % entity["name"]
                rows = itertools.zip_longest(*(store.execute(query) for store in stores))
                for number, (one, other) in enumerate(rows):
                    # 1 and 1.0 are equal in Python.
                    if one != other or list(map(type, one)) != list(map(type, other)):
                        print("row", number + 1, one, other)
                        sys.exit()
            print("equal")
            """
        return try Python.lines(of: program, first, second).first ?? ""
    }
}
