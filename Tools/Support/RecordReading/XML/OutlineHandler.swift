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

    /// Begins an element.
    func begin(_ name: String, _ attributes: [XMLAttribute], line: Int) throws(XMLRefusal) {
        depth += 1
        if depth == 1, name != "opml" {
            throw XMLRefusal(reason: "the document is “\(name)”, not “opml”")
        }
        if name == "body" { isInBody = true }
        guard name == "outline", isInBody else { return }
        children[children.count - 1] += 1
        let text =
            attributes.first { $0.name.elementsEqual("text".utf8) }
            ?? attributes.first {
                $0.name.elementsEqual("title".utf8)
            }
        var record = NamedRecord(line: line)
        let parent = open.last?.text
        open.append((children[children.count - 1], text?.value ?? []))
        children.append(0)
        record.add(Self.place, Array(open.map { "\($0.number)" }.joined(separator: ".").utf8), .exactText)
        if let parent { record.add(Self.parent, parent, .exactText) }
        for attribute in attributes { record.add(Self.name(attribute.name), attribute.value) }
        records.append(record)
    }

    /// Ignores text, which outlines do not have.
    func addText(_ text: UnsafeRawBufferPointer) {}

    /// Ends an element.
    func end(_ name: String, line: Int) {
        depth -= 1
        if name == "body" { isInBody = false }
        guard name == "outline", isInBody, !open.isEmpty else { return }
        open.removeLast()
        children.removeLast()
    }

    private static let place = Array("place".utf8)
    private static let parent = Array("parent".utf8)

    /// Returns the name of an attribute's field, which is another one than those of the outline itself.
    private static func name(_ name: [UInt8]) -> [UInt8] {
        name == place || name == parent ? name + Array("Attribute".utf8) : name
    }
}
