import Foundation
import Testing

/// The article “Command-Line Tools” has a row for each option of each tool.
@Suite struct OptionArticleTests {
    private static let tools = ["library-import", "library-browser", "cache-inspector", "model-tool"]

    /// Returns the long names of the options that a tool displays, in all its commands.
    private static func options(of tool: String) throws -> Set<String> {
        let help = try ToolProcess.run(tool, ["--experimental-dump-help"]).jsonObject()
        func options(_ command: [String: Any]) -> Set<String> {
            let arguments = command["arguments"] as? [[String: Any]] ?? []
            let names = arguments.filter { $0["shouldDisplay"] as? Bool == true }.flatMap {
                ($0["names"] as? [[String: Any]] ?? []).filter { $0["kind"] as? String == "long" }
                    .compactMap { $0["name"] as? String }
            }
            let commands = command["subcommands"] as? [[String: Any]] ?? []
            return commands.reduce(into: Set(names)) { $0.formUnion(options($1)) }
        }
        return options(try #require(help["command"] as? [String: Any]))
    }

    /// Returns the options in the first columns of the article's tables, by the heading of the section.
    private static func rows() throws -> [String: Set<String>] {
        let article = try RepositoryFile.text("Sources/SectionedFetch/Documentation.docc/CommandLineTools.md")
        var rows: [String: Set<String>] = [:]
        var heading = ""
        for line in article.split(separator: "\n") {
            if line.hasPrefix("## ") { heading = String(line.dropFirst(3)) }
            guard line.hasPrefix("| `--") else { continue }
            let names = line.split(separator: "|")[0].matches(of: /`--([a-z-]+)`/).map { String($0.1) }
            rows[heading, default: []].formUnion(names)
        }
        return rows
    }

    @Test(arguments: tools)
    func `each option of a tool has a row, and each row of the tool is one of its options`(
        tool: String
    ) throws {
        let options = try Self.options(of: tool)
        #expect(options.count > 5)
        let rows = try Self.rows()
        let own = try #require(rows[tool])
        let shared = rows.filter { !Self.tools.contains($0.key) }.values.reduce(into: Set()) {
            $0.formUnion($1)
        }
        #expect(options.subtracting(own).subtracting(shared) == [])
        #expect(own.subtracting(options) == [])
    }

    @Test func `each row for several tools is an option of a tool`() throws {
        let all = try Self.tools.reduce(into: Set()) { $0.formUnion(try Self.options(of: $1)) }
        let shared = try Self.rows().filter { !Self.tools.contains($0.key) }
        #expect(shared.count == 2)
        for (heading, options) in shared { #expect(options.subtracting(all) == [], "\(heading)") }
    }
}
