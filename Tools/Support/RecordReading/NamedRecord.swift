/// A record as a parser reads it: values with the names of their fields.
struct NamedRecord {
    /// A value of a field.
    struct Field {
        let name: [UInt8]
        var value: [UInt8]
        let kind: FieldKind
    }

    /// The line on which the record begins.
    var line: Int
    /// The fields, each name once.
    private(set) var fields: [Field] = []
    /// The text of the record, if it is kept.
    var text: [UInt8] = []
    /// The reason why the record is bad, or nil if it is good.
    var problem: RecordError.Reason?
    /// The number of the values of each repeated field.
    private var repetitions: [[UInt8]: Int] = [:]
    /// The positions of the fields by name, for a record with many fields.
    private var places: [[UInt8]: Int] = [:]
    /// The size of the names and values, in bytes.
    private(set) var size = 0

    /// The number of fields above which their positions are kept.
    private static let scannedCount = 32

    /// Creates a record without fields.
    init(line: Int) { self.line = line }

    /// The text between the values of a repeated field.
    static let separator = Array("; ".utf8)

    /// Gives the fields other names. Fields that get the same name become one with the values of all.
    mutating func renameFields(_ name: ([UInt8]) -> [UInt8]) {
        let previous = fields
        (fields, repetitions, places, size) = ([], [:], [:], 0)
        for field in previous {
            let name = name(field.name)
            if value(name) == nil {
                add(name, field.value, field.kind)
            } else {
                addRepeated(name, field.value, numbering: false)
            }
        }
    }

    /// Adds a value. A value that is too large makes the record bad.
    mutating func add(_ name: [UInt8], _ value: [UInt8], _ kind: FieldKind = .untyped) {
        if value.count > RecordLimits.fieldSize {
            refuse(.limit("a field of more than \(RecordLimits.fieldSize) bytes"))
        } else if fields.count >= RecordLimits.fieldCount {
            refuse(.limit("more than \(RecordLimits.fieldCount) fields"))
        } else if name.count > RecordLimits.nameSize {
            refuse(.limit("a field name of more than \(RecordLimits.nameSize) bytes"))
        } else if grows(by: name.count + value.count) {
            fields.append(Field(name: name, value: value, kind: kind))
            if fields.count > Self.scannedCount {
                if places.isEmpty {
                    for (place, field) in fields.enumerated() { places[field.name] = place }
                }
                places[name] = fields.count - 1
            }
        }
    }

    /// Adds to the size, and returns false and makes the record bad if it becomes too large.
    private mutating func grows(by count: Int) -> Bool {
        guard size + count <= RecordLimits.recordSize else {
            refuse(.limit("a record of more than \(RecordLimits.recordSize) bytes"))
            return false
        }
        size += count
        return true
    }

    private func place(_ name: some Sequence<UInt8>) -> Int? {
        if fields.count > Self.scannedCount { return places[Array(name)] }
        return fields.firstIndex { $0.name.elementsEqual(name) }
    }

    /// Adds a value of a field that may be repeated: later values are joined to the first one, or get names
    /// with their number, `AU.1`.
    mutating func addRepeated(_ name: [UInt8], _ value: [UInt8], numbering isNumbered: Bool) {
        guard let place = place(name) else { return add(name, value) }
        guard isNumbered else {
            let count = Self.separator.count + value.count
            if fields[place].value.count + count > RecordLimits.fieldSize {
                refuse(.limit("a field of more than \(RecordLimits.fieldSize) bytes"))
            } else if grows(by: count) {
                fields[place].value += Self.separator + value
            }
            return
        }
        let number = repetitions[name, default: 0] + 1
        repetitions[name] = number
        add(name + Array(".\(number)".utf8), value)
    }

    /// Makes the record bad, unless it is.
    mutating func refuse(_ reason: RecordError.Reason) { problem = problem ?? reason }

    /// Returns the value of a field, or nil if the record does not have it.
    func value(_ name: some Sequence<UInt8>) -> [UInt8]? {
        place(name).map { fields[$0].value }
    }
}

/// A parser of records that name their fields.
protocol NamedRecordParser: AnyObject {
    /// The bytes that are parsed.
    var source: ByteSource { get }
    /// The text around the records, or nil if a part of the file is not a file of the same format.
    var frame: RecordFrame? { get }
    /// A sentence for the user about text that was not read literally, or nil.
    var note: String? { get }
    /// The reason of a text that is not UTF-8, or nil for the usual one.
    var invalidTextReason: String? { get }

    /// Returns the next record, which may be bad, or nil after the last.
    ///
    /// - Throws: A fatal ``RecordError``.
    func next() throws(RecordError) -> NamedRecord?
}

extension NamedRecordParser {
    var note: String? { nil }
    var invalidTextReason: String? { nil }

    /// Returns a fatal error.
    func fatal(_ reason: RecordError.Reason, line: Int) -> RecordError {
        RecordError(file: source.path, line: line, reason: reason, isFatal: true)
    }
}
