import Foundation
import Testing

/// The sample catalogue in a store, listed by another program as the oracle for a live list.
struct WorksOnScreen {
    let directory: ScratchDirectory
    private static let catalogue = RepositoryFile.url("Tools/Support/SampleCatalogue")

    var store: String { directory.path("works.store") }

    init() throws {
        directory = try ScratchDirectory()
        try importWorks(from: Self.catalogue.appending(path: "works.csv").path)
    }

    /// Imports a file with the catalogue's columns in a separate process.
    func importWorks(from path: String) throws {
        let mapping = Self.catalogue.appending(path: "mapping.json").path
        let run = try ToolProcess.run("library-import", [path, store, "--mapping", mapping])
        try #require(run.status == 0, "\(run)")
    }

    /// Returns the command that lists the works live.
    func command(_ options: String = "") throws -> String {
        let tool = try ToolProcess.path("library-browser")
        return
            "'\(tool)' works.store --entity Work --group-by language --sort language,title --columns title --cache works --cache-directory caches --live \(options)"
    }

    struct Section {
        let name: String
        var titles: [String]
    }

    /// Returns the sections as the `sqlite3` shell reads them.
    func sections() throws -> [Section] {
        let listing = try ForeignWriter.run(
            "SELECT hex(language), hex(title) FROM Work ORDER BY language, title, objectID", on: store)
        var sections: [Section] = []
        for line in listing.split(separator: "\n") {
            let fields = line.split(separator: "|", omittingEmptySubsequences: false).map(Self.text)
            if sections.last?.name != fields[0] { sections.append(Section(name: fields[0], titles: [])) }
            sections[sections.count - 1].titles.append(fields[1])
        }
        return sections
    }

    private static func text(_ hexadecimal: Substring) -> String {
        let digits = hexadecimal.compactMap(\.hexDigitValue)
        return String(
            decoding: stride(from: 0, to: digits.count, by: 2).map {
                UInt8(digits[$0] << 4 | digits[$0 + 1])
            },
            as: UTF8.self)
    }

    /// Returns all lines of the list on a screen of sufficient height, without the index bar. The screen
    /// truncates texts that are longer than a column.
    static func lines(_ sections: [Section]) -> [String] {
        sections.flatMap { section in
            let header = "\(shown(section.name.isEmpty ? "\"\"" : section.name))  \(section.titles.count)"
            return [header] + section.titles.map { "  " + shown($0) }
        }
    }

    /// Returns a text with its control characters escaped.
    static func shown(_ text: String) -> String {
        text.replacingOccurrences(of: "\n", with: "\\n").replacingOccurrences(of: "\u{1B}", with: "\\u{1B}")
            .replacingOccurrences(of: "\u{7}", with: "\\u{7}")
    }

    /// Whether a line of the screen is an expected one, followed by spaces and an index title of at most two
    /// columns.
    static func isLine(_ line: String, _ expected: String) -> Bool {
        // Titles that are longer than a column are truncated, so that only their beginning is compared.
        if expected.count > 40, line.contains("…") {
            return line.hasPrefix(String(expected.prefix(20)))
        }
        guard line.hasPrefix(expected) else { return false }
        let rest = line.dropFirst(expected.count).drop { $0 == " " }
        return rest.count <= 2
    }

    /// Whether the upper lines of a screen are the titles of the columns, a header, and the list from a line
    /// on. The header is that of the section of this line, and one of the rows is marked as the chosen one.
    static func isList(
        _ screen: [String], _ sections: [Section], from start: Int, height: Int
    ) -> Bool {
        let all = lines(sections)
        guard screen.count >= height, start < all.count, screen[0].hasPrefix("  title") else { return false }
        let screen = screen.dropFirst().map { $0.hasPrefix("> ") ? "  " + $0.dropFirst(2) : $0 }
        guard let header = all[...start].last(where: { !$0.hasPrefix("  ") }) else { return false }
        let rows = all[start...].prefix(height - 2)
        return isLine(screen[0], header) && zip(screen.dropFirst(), rows).allSatisfy { isLine($0, $1) }
    }
}
