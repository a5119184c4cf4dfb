import RecordReading
import SectionedFetch

extension RecordReader {
    /// Lends the text of a field in the form of the attribute's type; nil for no value.
    ///
    /// - Parameters:
    ///   - form: The form of the text, or nil if it is that of the type.
    ///   - body: Called once, unless the text is not in the form.
    /// - Returns: Whether the text is in the form.
    @discardableResult
    func lendBytes(
        ofField field: Int, in form: TextForm?, to body: (UnsafeRawBufferPointer?) -> Void
    ) -> Bool {
        var isInForm = true
        lendBytes(ofField: field) { bytes in
            if let form { isInForm = form.lend(bytes, to: body) } else { body(bytes) }
        }
        return isInForm
    }
}

extension TextForm {
    /// Lends a text in the form of the attribute's type: nil for no value.
    ///
    /// - Parameters:
    ///   - text: The text of the column, or nil for no value.
    ///   - body: Called once, unless the text is not in this form.
    /// - Returns: Whether the text is in this form.
    func lend(_ text: UnsafeRawBufferPointer?, to body: (UnsafeRawBufferPointer?) -> Void) -> Bool {
        guard var text else {
            body(nil)
            return true
        }
        if isTrimmed == true { text = Self.trimmed(text) }
        if isUnquoted == true, let inner = Self.unquoted(text) {
            return inner.withUnsafeBytes { lendInner($0, to: body) }
        }
        return lendInner(text, to: body)
    }

    private func lendInner(
        _ text: UnsafeRawBufferPointer, to body: (UnsafeRawBufferPointer?) -> Void
    ) -> Bool {
        if let noValue, noValue.contains(where: { $0.utf8.elementsEqual(text) }) {
            body(nil)
            return true
        }
        guard number != nil || date != nil || boolean != nil else {
            body(text)
            return true
        }
        let trimmed = FieldConversion.trimmed(text)
        guard !trimmed.isEmpty else {
            body(nil)
            return true
        }
        guard let plain = plain(trimmed) else { return false }
        plain.withUnsafeBytes { body($0) }
        return true
    }

    /// Returns the text of a number, a date or a Boolean value in the form of the attribute's type; nil if it
    /// is not in this form.
    private func plain(_ text: UnsafeRawBufferPointer) -> [UInt8]? {
        if let number { return number.plain(text) }
        if let date { return date.seconds(text).flatMap(ISO8601Text.text).map { Array($0.utf8) } }
        guard let boolean else { return nil }
        if boolean.yes.utf8.elementsEqual(text) { return Array("true".utf8) }
        return boolean.no.utf8.elementsEqual(text) ? Array("false".utf8) : nil
    }

    /// Returns the bytes without blanks, line ends and no-break spaces at both ends.
    static func trimmed(_ text: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        var text = text
        func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }
        while true {
            if let first = text.first, isBlank(first) {
                text = UnsafeRawBufferPointer(rebasing: text.dropFirst())
            } else if let last = text.last, isBlank(last) {
                text = UnsafeRawBufferPointer(rebasing: text.dropLast())
            } else if text.starts(with: noBreakSpace) {
                text = UnsafeRawBufferPointer(rebasing: text.dropFirst(2))
            } else if text.count >= 2, text.suffix(2).elementsEqual(noBreakSpace) {
                text = UnsafeRawBufferPointer(rebasing: text.dropLast(2))
            } else {
                return text
            }
        }
    }

    private static let noBreakSpace: [UInt8] = [0xC2, 0xA0]

    /// Returns the text between the quotes of a text such as `="0123"`; nil for another text.
    static func unquoted(_ text: UnsafeRawBufferPointer) -> [UInt8]? {
        guard text.count >= 3, text.starts(with: "=\"".utf8), text.last == UInt8(ascii: "\"") else {
            return nil
        }
        var inner: [UInt8] = []
        var isQuote = false
        for byte in text[2..<text.count - 1] {
            if isQuote {
                guard byte == UInt8(ascii: "\"") else { return nil }
                isQuote = false
                inner.append(byte)
            } else if byte == UInt8(ascii: "\"") {
                isQuote = true
            } else {
                inner.append(byte)
            }
        }
        return isQuote ? nil : inner
    }
}
