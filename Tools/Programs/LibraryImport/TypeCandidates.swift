import RecordReading
import SectionedFetch

/// The types that hold all texts of a column, so that each text survives in the style of the column.
///
/// The first candidate is the narrowest: a value that it does not hold widens the column to the next one that
/// holds all values, and finally to string.
struct TypeCandidates {
    private var styles: [(type: AttributeType, style: TextStyle)] =
        [.integer64, .double, .decimal, .boolean, .date, .uuid].map { ($0, .any) }
    private(set) var count = 0

    /// The narrowest type that holds all texts; string without texts.
    var type: AttributeType { count == 0 ? .string : styles.first?.type ?? .string }

    /// Whether another text can change the type.
    var isOpen: Bool { !styles.isEmpty }

    /// Adds a text of the column.
    ///
    /// - Parameters:
    ///   - text: A text that is not empty.
    ///   - kind: The kind of the value in the file. A text of JSON is neither a number nor a Boolean value,
    ///     and its numbers are compared by their values.
    mutating func add(_ text: UnsafeRawBufferPointer, kind: FieldKind = .untyped) {
        count += 1
        guard isOpen else { return }
        switch kind {
        case .untyped: addUntyped(text)
        case .text:
            styles.removeAll { [.integer64, .double, .decimal, .boolean].contains($0.type) }
            addUntyped(text)
        case .number: styles.removeAll { !Self.holds(number: text, $0.type) }
        case .exactText: styles.removeAll()
        case .date:
            styles.removeAll { $0.type != .date }
            addUntyped(text)
        case .boolean: styles.removeAll { $0.type != .boolean }
        }
    }

    /// Returns whether a type holds a number of a format with types, such as JSON.
    private static func holds(number text: UnsafeRawBufferPointer, _ type: AttributeType) -> Bool {
        switch type {
        case .integer64: TextStyle.integer(text) != nil
        case .double: !FieldConversion.changes(number: text, as: .double)
        case .decimal: FieldConversion.value(text, as: .decimal) != nil
        default: false
        }
    }

    private mutating func addUntyped(_ text: UnsafeRawBufferPointer) {
        let isInteger = TextStyle.integer(text) != nil
        var ofDouble: TextStyle?
        var remaining = 0
        for position in styles.indices {
            var (type, style) = styles[position]
            let found: TextStyle?
            switch type {
            case .integer64: found = isInteger ? .any : nil
            // The text of an integer is a decimal number and no value of the later types.
            case .decimal where isInteger: found = .any
            // A double with a fraction is written as a decimal number is, unless it has an exponent.
            case .decimal where ofDouble == .any && !text.contains(UInt8(ascii: "e")): found = .any
            case .boolean where isInteger, .date where isInteger, .uuid where isInteger: found = nil
            default: found = TextStyle(text, as: type)
            }
            if type == .double { ofDouble = found }
            guard let found, let common = style.common(with: found) else { continue }
            style = common
            styles[remaining] = (type, style)
            remaining += 1
        }
        styles.removeSubrange(remaining...)
    }
}
