import RecordReading
import SectionedFetch

/// The types of one column's texts, and the text that widened the type last.
struct TypeSurvey {
    /// The position of the attribute in the mapping.
    let position: Int
    /// The position of the column in the file.
    let field: Int
    private let form: TextForm?
    private var candidates = TypeCandidates()
    /// The type before the first text that widened it after the records from which mappings are proposed, and
    /// the last such text.
    private(set) var widening: (type: AttributeType, text: String, line: Int)?
    /// Whether a text is 0, a text is 1, and a text is neither.
    private var bits = (hasZero: false, hasOne: false, hasOther: false)

    /// Creates a survey of a column.
    ///
    /// - Parameter form: The form of the texts, or nil if it is that of the types.
    init(position: Int, field: Int, form: TextForm?) {
        self.position = position
        self.field = field
        self.form = form
    }

    /// The narrowest type that holds all texts.
    var type: AttributeType { candidates.type }
    /// Whether all texts are 0 or 1, and one of them is repeated.
    var isBinary: Bool { bits.hasZero && bits.hasOne && !bits.hasOther && candidates.count > 2 }
    /// Whether another text can change the type.
    var isOpen: Bool { candidates.isOpen }

    /// Adds the text of the current record.
    ///
    /// - Parameter isLate: Whether the record is beyond those from which mappings are proposed.
    mutating func add(_ reader: any RecordReader, isLate: Bool) {
        guard isOpen else { return }
        let (type, count) = (candidates.type, candidates.count)
        var text: String?
        let kind = reader.kind(ofField: field)
        reader.lendBytes(ofField: field, in: form) { bytes in
            guard let bytes, !bytes.isEmpty else { return }
            candidates.add(bytes, kind: kind)
            if !bits.hasOther { addBit(bytes) }
            if isLate, count > 0, candidates.type != type {
                text = String(decoding: bytes.prefix(60), as: UTF8.self)
            }
        }
        if let text { widening = (widening?.type ?? type, text, reader.line) }
    }

    private mutating func addBit(_ text: UnsafeRawBufferPointer) {
        switch (text.count, text.first) {
        case (1, UInt8(ascii: "0")): bits.hasZero = true
        case (1, UInt8(ascii: "1")): bits.hasOne = true
        default: bits.hasOther = true
        }
    }
}
