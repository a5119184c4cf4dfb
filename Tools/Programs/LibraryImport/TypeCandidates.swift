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
    /// - Parameter text: A text that is not empty.
    mutating func add(_ text: UnsafeRawBufferPointer) {
        count += 1
        guard isOpen else { return }
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
