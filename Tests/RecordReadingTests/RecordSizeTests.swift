import Foundation
import RecordReading
import Testing

/// The limits on the size of records that name their fields, which hold before anything is expanded.
@Suite struct RecordSizeTests {
    /// Expects that a record is bad because of its size and the next one is read, in little memory.
    private func expectLimit(
        _ text: String, at table: String? = nil, saying words: String, next: [String]? = nil,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        var options = RecordOptions()
        options.arrayPath = table
        let reading = try NamedReading(text, options: options)
        #expect(
            reading.errors.first.map { "\($0)".contains(words) } == true, "\(reading.errors.first as Any)",
            sourceLocation: sourceLocation)
        if let next {
            let values = reading.records.compactMap { $0["x"] ?? $0["title"] ?? $0["text"] ?? $0["Name"] }
            #expect(values == next, sourceLocation: sourceLocation)
        }
    }

    private static let large = String(repeating: "x", count: 500_000)

    @Test func `macros are not expanded beyond the size of a field and a record`() throws {
        let macro = "@string{m = {\(Self.large)}}\n"
        let many = Array(repeating: "m", count: 100_000).joined(separator: " # ")
        try expectLimit(
            "\(macro)@a{k, t = \(many)}\n@a{l, x = {1}}\n", saying: "a field of more than", next: ["1"])
        let fields = (0..<2_000).map { "t\($0) = m" }.joined(separator: ", ")
        let entries = String(repeating: "@a{k, \(fields)}\n", count: 20)
        try expectLimit("\(macro)\(entries)@a{l, x = {1}}\n", saying: "a record of more than", next: ["1"])
        let doubled = (0..<64).map { "@string{m\($0 + 1) = m\($0) # m\($0)}\n" }.joined()
        try expectLimit(
            "@string{m0 = {x}}\n\(doubled)@a{l, x = {1}}\n", saying: "a field of more than", next: ["1"])
    }

    @Test func `long names of macros and many fields take time that grows with the file alone`() throws {
        let macros = (0..<20_000).map { "@string{m\($0) = {x}}\n@a{k\($0), x = m\($0)}\n" }.joined()
        #expect(try NamedReading(macros).records.count == 20_000)
        let comments = String(repeating: "@comment{ @x{\n", count: 20_000)
        #expect(try NamedReading(comments + "}}").records.isEmpty)
        let values = String(repeating: "@a{k, t = {x\n", count: 20_000)
        #expect(try NamedReading(values).errors.count == 20_000)
        let fields = (0..<20_000).map { "t\($0) = {x}" }.joined(separator: ", ")
        try expectLimit("@a{k, \(fields)}\n@a{l, x = {1}}\n", saying: "more than 4096 fields", next: ["1"])
        #expect(
            try NamedReading("@a{k, x = {1}}\n" + String(repeating: "@", count: 200_000)).records.count == 1
        )
        let rows = "a,b\n1,2\n" + String(repeating: ",", count: 300_000) + "\n3,4\n"
        let file = try TemporaryFile(rows)
        let reading = Reading(try openRecords(path: file.path))
        #expect(reading.records.count == 2 && reading.errors.count == 1)
    }

    private static func marc(_ fields: String) -> String {
        """
        <collection xmlns="http://www.loc.gov/MARC21/slim"><record>\(fields)</record>
        <record><datafield tag="245"><subfield code="a">1</subfield></datafield></record></collection>
        """
    }

    @Test func `a record of MARCXML is bad beyond the limit, and the next one is read`() throws {
        let subfield = "<subfield code=\"q\">\(String(repeating: "x", count: 1_000))</subfield>"
        let field = "<datafield tag=\"999\">\(String(repeating: subfield, count: 20))</datafield>"
        try expectLimit(
            Self.marc(String(repeating: field, count: 300)), saying: "a record of more than", next: ["1"])
        let one = "<datafield tag=\"999\">\(String(repeating: subfield, count: 6_000))</datafield>"
        try expectLimit(Self.marc(one), saying: "a record of more than", next: ["1"])
        let empty = String(repeating: "<subfield code=\"q\"/>", count: 600_000)
        try expectLimit(
            Self.marc("<datafield tag=\"999\">\(empty)</datafield>"), saying: "a record of more than",
            next: ["1"])
    }

    private static func library(_ members: String) -> String {
        func track(_ id: String, _ members: String) -> String {
            "<key>\(id)</key><dict><key>Persistent ID</key><string>\(id)</string>\(members)</dict>"
        }
        return
            "<plist><dict><key>Tracks</key><dict>\(track("A", members))\(track("B", "<key>Name</key><string>1</string>"))</dict></dict></plist>"
    }

    @Test func `a track of a music library is bad beyond the limit, and the next one is read`() throws {
        let value = String(repeating: "x", count: 10_000)
        let members = (0..<500).map { "<key>k\($0)</key><string>\(value)</string>" }.joined()
        try expectLimit(Self.library(members), at: "Track", saying: "a record of more than", next: ["1"])
        let key = "<dict><key>\(Self.large)</key>"
        let nested = String(repeating: key, count: 20) + "<true/>" + String(repeating: "</dict>", count: 20)
        try expectLimit(
            Self.library("<key>k</key>\(nested)"), at: "Track", saying: "a key of more than", next: ["1"])
    }

    private static func outlines(_ body: String, before: String = "") -> String {
        "\(before)<opml version=\"2.0\"><body>\(body)</body></opml>"
    }

    @Test func `tags, comments and nested texts of outlines have limits`() throws {
        let long = String(repeating: "x", count: 5_000_000)
        for body in ["<outline text=\"\(long)\"/>", "<!-- \(long) --><outline text=\"a\"/>"] {
            try expectLimit(Self.outlines(body), saying: "a tag or a comment of more than")
        }
        let fine = String(repeating: "x", count: 900_000)
        let reading = try NamedReading(Self.outlines("<!-- \(fine) --><outline text=\"\(fine)\"/>"))
        #expect(reading.records.map { $0["text"]?.utf8.count } == [900_000])
        let nested =
            String(repeating: "<outline text=\"\(Self.large)\">", count: 40)
            + String(repeating: "</outline>", count: 40)
        try expectLimit(Self.outlines(nested), saying: "in others whose texts have more than")
        let outlines = String(repeating: "<outline text=\"1\"/>", count: 3)
        let declared =
            "<!DOCTYPE opml [<!ATTLIST outline big CDATA \"\(String(repeating: "x", count: 1_000))\">]>"
        try expectLimit(
            Self.outlines(outlines, before: declared), saying: "declares a value of the attribute “big”")
        let plain = "<!DOCTYPE opml [<!ATTLIST outline big CDATA #IMPLIED>]>"
        #expect(try NamedReading(Self.outlines(outlines, before: plain)).records.count == 3)
    }
}
