/// The persistent identifiers of a table's records, each of which must have its own.
struct MusicIDs {
    /// The noun of a record.
    let noun: String
    /// The key with the identifier.
    let key: String
    /// The identifiers of 16 hexadecimal digits.
    private var numbers: Set<UInt64> = []
    private var others: Set<[UInt8]> = []

    /// Creates the identifiers of no records.
    init(noun: String, key: String) {
        self.noun = noun
        self.key = key
    }

    /// Adds the identifier of a record.
    ///
    /// - Returns: The reason why the record is bad, or nil if it has an identifier that no other one has.
    mutating func add(_ record: NamedRecord) -> RecordError.Reason? {
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
