import SectionedFetch

/// A text that equals only one of the same bytes, as in the store.
///
/// Swift's strings are equal as well where one writes an accented letter as a whole and the other as a letter
/// and an accent.
struct ExactText: Hashable {
    let text: String

    init(_ text: String) { self.text = text }

    static func == (first: ExactText, second: ExactText) -> Bool { first.text.hasBytes(of: second.text) }

    func hash(into hasher: inout Hasher) {
        var text = text
        text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }
}
