/// The persistent identifiers of a table's records, which must be unique.
///
/// If the first record has none, the library was written by a program that makes none, and the numbers of
/// records take their place.
struct MusicIDs {
    /// The noun of a record.
    let noun: String
    /// The key with the identifier.
    let key: String
    /// The key with the number.
    let numberKey: String
    /// Whether numbers take the place of identifiers; nil before the first record.
    private var usesNumbers: Bool?
    /// The identifiers of 16 hexadecimal digits.
    private var numbers: Set<UInt64> = []
    private var others: Set<[UInt8]> = []

    /// Creates the identifiers of no records.
    init(noun: String, key: String, numberKey: String) {
        self.noun = noun
        self.key = key
        self.numberKey = numberKey
    }

    /// A sentence about the numbers that take the place of identifiers, or nil.
    var note: String? {
        guard usesNumbers == true else { return nil }
        return
            "The first \(noun) has no “\(key)”, so the “\(numberKey)” takes its place. If another export has other numbers, its records are new ones."
    }

    /// Returns the identifier of a record, or nil if it has none.
    mutating func identifier(of record: NamedRecord) -> [UInt8]? {
        let own = record.value(key.utf8)
        if usesNumbers == nil { usesNumbers = own == nil }
        return own ?? (usesNumbers == true ? record.value(numberKey.utf8) : nil)
    }

    /// Adds the identifier of a record, also to the record if it has none.
    ///
    /// - Returns: The reason why the record is bad, or nil if it has an identifier that no other one has.
    mutating func add(_ record: inout NamedRecord) -> RecordError.Reason? {
        if record.value(key.utf8) == nil, let number = identifier(of: record) {
            record.add(Array(key.utf8), number, .exactText)
        }
        usesNumbers = usesNumbers ?? false
        guard let text = record.value(key.utf8), !text.isEmpty else {
            return .markup("the \(noun) has no “\(key)”, which identifies it; export the library again")
        }
        let isNew =
            Self.number(text).map { numbers.insert($0).inserted } ?? others.insert(text).inserted
        guard !isNew else { return nil }
        let shown = String(decoding: text.prefix(40), as: UTF8.self)
        return .markup("the \(noun) repeats the “\(key)” \(shown) of an earlier one; remove one of the two")
    }

    /// Returns the number of 16 hexadecimal digits in capital letters, or nil for another text.
    static func number(_ text: [UInt8]) -> UInt64? {
        guard let value = UInt64(String(decoding: text, as: UTF8.self), radix: 16), self.text(value) == text
        else { return nil }
        return value
    }

    /// Returns the text of a number.
    static func text(_ value: UInt64) -> [UInt8] {
        let digits = Array(String(value, radix: 16, uppercase: true).utf8)
        return [UInt8](repeating: 0x30, count: 16 - digits.count) + digits
    }
}
