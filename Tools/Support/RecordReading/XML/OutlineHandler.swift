/// The records of an OPML document: one for each outline, with its attributes, its place and its parent.
final class OutlineHandler: XMLRecordHandler {
    /// The records that are complete.
    var records: [NamedRecord] = []
    private var depth = 0
    /// The outlines that are open: their numbers among their siblings, and their texts.
    private var open: [(number: Int, text: [UInt8])] = []
    /// The number of the last child of each open outline, and before them that of the body.
    private var children = [0]
    private var isInBody = false
    /// The size of the texts of the open outlines, in bytes.
    private var openSize = 0

    /// Begins an element.
    func begin(_ name: String, _ attributes: [XMLAttribute], line: Int) throws(XMLRefusal) {
        depth += 1
        // Some programs write elements and attributes in other letter case.
        let name = name.lowercased()
        if depth == 1, name != "opml" {
            throw XMLRefusal(reason: "the document is “\(name)”, not “opml”")
        }
        if name == "body" { isInBody = true }
        guard name == "outline", isInBody else { return }
        children[children.count - 1] += 1
        let attributes = attributes.map { XMLAttribute(name: Self.usualName($0.name), value: $0.value) }
        func value(_ name: String) -> [UInt8]? {
            attributes.first { $0.name.elementsEqual(name.utf8) }?.value
        }
        let text = value("text") ?? value("title") ?? []
        openSize += text.count
        guard openSize <= RecordLimits.recordSize else {
            throw XMLRefusal(
                reason: "an outline in others whose texts have more than \(RecordLimits.recordSize) bytes")
        }
        var record = NamedRecord(line: line)
        let parent = open.last?.text
        open.append((children[children.count - 1], text))
        children.append(0)
        record.add(Self.place, Array(open.map { "\($0.number)" }.joined(separator: ".").utf8), .exactText)
        if let parent { record.add(Self.parent, parent, .exactText) }
        for attribute in attributes {
            let name = Self.name(attribute.name)
            if let other = record.value(name) {
                if other != attribute.value {
                    record.refuse(.duplicateName(String(decoding: name, as: UTF8.self)))
                }
            } else {
                record.add(name, attribute.value)
            }
        }
        records.append(record)
    }

    /// Ignores text, which outlines do not have.
    func addText(_ text: UnsafeRawBufferPointer) {}

    /// Ends an element.
    func end(_ name: String, line: Int) {
        depth -= 1
        let name = name.lowercased()
        if name == "body" { isInBody = false }
        guard name == "outline", isInBody, !open.isEmpty else { return }
        openSize -= open.removeLast().text.count
        children.removeLast()
    }

    /// The attributes of OPML, by their names in lowercase.
    private static let usualNames = Dictionary(
        uniqueKeysWithValues: [
            "text", "title", "type", "xmlUrl", "htmlUrl", "url", "category", "description", "language",
            "version",
            "created", "isComment", "isBreakpoint",
        ].map { (Array($0.lowercased().utf8), Array($0.utf8)) })

    /// Returns the usual spelling of an attribute's name; other names as they are.
    private static func usualName(_ name: [UInt8]) -> [UInt8] {
        guard name.count <= 16 else { return name }
        return usualNames[name.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }] ?? name
    }

    private static let place = Array("place".utf8)
    private static let parent = Array("parent".utf8)

    /// Returns the name of an attribute's field, with a suffix if the outline has a field of that name.
    private static func name(_ name: [UInt8]) -> [UInt8] {
        name == place || name == parent ? name + Array("Attribute".utf8) : name
    }
}
