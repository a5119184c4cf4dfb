/// The records of MARCXML, with the columns of MARC 21.
final class MARCXMLHandler: XMLRecordHandler {
    /// The records that are complete.
    var records: [NamedRecord] = []
    private let columns: MARCColumns
    private let numbersElements: Bool
    private var record: NamedRecord?
    private var tag = ""
    private var code: UInt8 = 0
    private var subfields: [(code: UInt8, value: ArraySlice<UInt8>)] = []
    private var text: [UInt8]?
    /// The size of the record's texts and names, in bytes.
    private var size = 0

    /// Creates a handler.
    init(_ columns: MARCColumns, numbersElements: Bool) {
        self.columns = columns
        self.numbersElements = numbersElements
    }

    private func value(_ name: String, _ attributes: [XMLAttribute]) -> [UInt8]? {
        attributes.first { $0.name.elementsEqual(name.utf8) }?.value
    }

    /// Begins an element.
    func begin(_ name: String, _ attributes: [XMLAttribute], line: Int) {
        switch name {
        case "record":
            record = NamedRecord(line: line)
            size = 0
            return
        case "leader": text = []
        case "controlfield", "datafield":
            tag = String(decoding: value("tag", attributes) ?? [], as: UTF8.self)
            if tag.utf8.count != 3 {
                record?.refuse(.markup("a \(name) has no tag of three characters; correct the record"))
            }
            subfields = []
            text = name == "controlfield" ? [] : nil
        case "subfield":
            let found = value("code", attributes) ?? []
            if found.count != 1 {
                record?.refuse(
                    .markup("a subfield of \(tag) has no code of one character; correct the record"))
            }
            code = found.first ?? 0
            text = []
        default: break
        }
    }

    /// Adds text of a field.
    func addText(_ bytes: UnsafeRawBufferPointer) {
        guard let count = text?.count, count <= RecordLimits.fieldSize, grows(by: bytes.count) else { return }
        text?.append(contentsOf: bytes)
    }

    /// Adds to the size of the record, and returns false and makes it bad if it becomes too large.
    private func grows(by count: Int) -> Bool {
        size += count
        if size <= RecordLimits.recordSize { return true }
        record?.refuse(.limit("a record of more than \(RecordLimits.recordSize) bytes"))
        return false
    }

    /// Ends an element.
    func end(_ name: String, line: Int) {
        // An element has a size as well, because all of a field are kept.
        guard name == "record" || grows(by: name.utf8.count), var current = record else { return }
        record = nil
        switch name {
        case "leader":
            columns.add("LDR", control: (text ?? [])[...], to: &current, numbering: numbersElements)
        case "controlfield":
            columns.add(tag, control: (text ?? [])[...], to: &current, numbering: numbersElements)
        case "subfield": subfields.append((code, (text ?? [])[...]))
        case "datafield": columns.add(tag, subfields, to: &current, numbering: numbersElements)
        case "record":
            records.append(current)
            return
        default: break
        }
        if name != "datafield" { text = nil }
        record = current
    }
}
