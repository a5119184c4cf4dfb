/// Fields of CSV.
package enum CSVText {
    /// Returns a field in its written form, in quotes if it needs them.
    ///
    /// - Parameter isFirstOfFile: Whether the field begins the file, whose first character shows its format.
    package static func field(_ text: String, isFirstOfFile: Bool) -> String {
        let isPadded = text.utf8.first == 0x20 || text.utf8.last == 0x20
        let resemblesOther = isFirstOfFile && !(text.first?.isLetter ?? false)
        guard text.isEmpty || isPadded || resemblesOther || text.utf8.contains(where: needsQuotes) else {
            return text
        }
        return "\"" + text.replacing("\"", with: "\"\"") + "\""
    }

    private static func needsQuotes(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: ","), UInt8(ascii: ";"), 0x00...0x1F: true
        default: false
        }
    }
}
