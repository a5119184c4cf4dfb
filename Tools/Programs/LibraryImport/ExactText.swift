import SectionedFetch

/// A string that is compared by its UTF-8 bytes, as the store compares texts.
///
/// Swift's `String` compares by canonical equivalence: a precomposed accented letter equals the letter
/// followed by a combining accent.
struct ExactText: Hashable {
    let text: String

    init(_ text: String) { self.text = text }

    static func == (first: ExactText, second: ExactText) -> Bool { first.text.hasBytes(of: second.text) }

    func hash(into hasher: inout Hasher) {
        var text = text
        text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }
}
