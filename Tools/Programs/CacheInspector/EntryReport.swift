import SectionCaching
import ToolSupport

/// The description of an entry as text and as JSON.
struct EntryReport {
    let entry: CacheEntry
    let showsSections: Bool
    var showsPlot = false

    /// The text, one fact in each line.
    var lines: [String] {
        var facts = [
            ("request", entry.request?.summary ?? "unreadable"),
            ("parts", entry.request.map { $0.parts.map(\.name).joined(separator: ", ") } ?? "unreadable"),
        ]
        if let index = entry.index {
            facts.append(
                (
                    "rows",
                    "\(Quantity.count(index.numberOfRows)) in \(Quantity.count(index.numberOfSections, "section"))"
                ))
        }
        facts.append(("size", size))
        facts.append(("saved by", "commit \(Quantity.count(entry.sequence))"))
        if let token = entry.token {
            facts.append(("store", token.storeIdentity.hexadecimalText))
            facts.append(("schema", token.schemaDigest.hexadecimalText))
            for dependency in token.dependencies {
                facts.append(("stamp of", "\(dependency.name): \(dependency.state.hexadecimalText)"))
            }
        }
        facts.append(("state", entry.isIntact ? "intact" : "DAMAGED"))
        var table = TextTable(alignments: [.left, .left])
        let heading =
            "\(TerminalText.escaped(entry.name.rawValue)), entry \(entry.fingerprint.shortDescription)"
        return [heading] + table.lines(facts.map { ["  " + $0.0, $0.1] }) + sectionLines + plotLines
    }

    private var size: String {
        let chunks = Quantity.count(entry.numberOfChunks, "chunk")
        var text =
            "\(Quantity.bytes(entry.byteCount)): sections \(Quantity.bytes(entry.directoryByteCount)), rows in \(chunks)"
        if let rows = entry.index?.numberOfRows, rows > 0 {
            let hundredths = (entry.byteCount - entry.directoryByteCount) * 100 / rows
            text += ", \(hundredths / 100).\(hundredths % 100 < 10 ? "0" : "")\(hundredths % 100) bytes a row"
        }
        return text
    }

    private var sectionLines: [String] {
        guard showsSections, let index = entry.index else { return [] }
        var table = TextTable(alignments: [.right, .left, .left])
        return table.lines(
            (0..<index.numberOfSections).map { position in
                let section = index.section(at: position)
                return [
                    "    " + Quantity.count(section.rows.count), section.indexTitle,
                    CachedSectionName(section).shown,
                ]
            })
    }

    private var plotLines: [String] {
        guard showsPlot, let index = entry.index else { return [] }
        let terminal = Terminal()
        var plot = BarPlot(count: index.numberOfSections, maximumCount: BarPlot.usualCount)
        for position in 0..<index.numberOfSections {
            let section = index.section(at: position)
            plot.add(CachedSectionName(section).shown, section.rows.count)
        }
        return plot.lines(width: terminal.width - 4).map { "    " + $0 }
    }

    /// The JSON object.
    var json: JSONValue {
        var members: [JSONValue.Member] = [
            .init("name", .string(entry.name.rawValue)),
            .init("fingerprint", .string(entry.fingerprint.description)),
            .init("request", .string(ifPresent: entry.request?.summary)),
            .init("parts", entry.request.map { .array($0.parts.map(Self.json)) } ?? .null),
            .init("numberOfRows", entry.index.map { .count($0.numberOfRows) } ?? .null),
            .init("numberOfSections", entry.index.map { .count($0.numberOfSections) } ?? .null),
            .init("byteCount", .count(entry.byteCount)),
            .init("directoryByteCount", .count(entry.directoryByteCount)),
            .init("numberOfChunks", .count(entry.numberOfChunks)),
            .init("sequence", .count(entry.sequence)),
            .init("token", entry.token.map(Self.json) ?? .null),
            .init("isIntact", .boolean(entry.isIntact)),
        ]
        if showsSections, let index = entry.index {
            let sections = (0..<index.numberOfSections).map { Self.json(index.section(at: $0)) }
            members.append(.init("sections", .array(sections)))
        }
        return .object(members)
    }

    private static func json(_ part: CanonicalRequest.Part) -> JSONValue {
        ["name": .string(part.name), "bytes": .string(part.bytes.hexadecimalText)]
    }

    private static func json(_ section: SectionIndex.Section) -> JSONValue {
        .object(
            CachedSectionName(section).members + [
                .init("indexTitle", .string(section.indexTitle)),
                .init("identity", .string(section.identity.hexadecimalText)),
                .init("numberOfRows", .count(section.rows.count)),
            ])
    }

    private static func json(_ token: StoreToken) -> JSONValue {
        [
            "storeIdentity": .string(token.storeIdentity.hexadecimalText),
            "schemaDigest": .string(token.schemaDigest.hexadecimalText),
            "dependencies": .array(
                token.dependencies.map { dependency in
                    ["name": .string(dependency.name), "state": .string(dependency.state.hexadecimalText)]
                }),
        ]
    }
}
