/// The text of one Swift file, and the same text with its comments and string literals blanked out.
///
/// The blanking recognizes line comments, nested block comments, plain, multi-line and raw strings, and
/// interpolations (whose inside is code again). It does not recognize regular expression literals.
struct SourceText {
    let lines: [Substring]
    /// The same lines as ``lines``, without comments and without the contents of string literals.
    let codeLines: [Substring]

    init(_ text: String) {
        lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        var blanker = Blanker(text)
        blanker.blankCode(untilClosingParenthesis: false)
        codeLines = String(decoding: blanker.output, as: UTF8.self)
            .split(separator: "\n", omittingEmptySubsequences: false)
    }
}

private struct Blanker {
    private let input: [UInt8]
    private var position = 0
    private(set) var output: [UInt8] = []

    init(_ text: String) {
        input = Array(text.utf8)
        output.reserveCapacity(input.count)
    }

    /// Copies code up to the end, or up to the parenthesis that closes an interpolation.
    mutating func blankCode(untilClosingParenthesis: Bool) {
        var depth = 0
        while position < input.count {
            if starts(with: "//") {
                blank { !$0.starts(with: "\n") }
            } else if starts(with: "/*") {
                blankBlockComment()
            } else if let numberOfSigns = openingOfString() {
                blankString(numberOfSigns: numberOfSigns)
            } else {
                let byte = input[position]
                if byte == UInt8(ascii: "(") {
                    depth += 1
                } else if byte == UInt8(ascii: ")") {
                    if untilClosingParenthesis && depth == 0 { return }
                    depth -= 1
                }
                output.append(byte)
                position += 1
            }
        }
    }

    private func starts(with text: String) -> Bool {
        input[position...].starts(with: text.utf8)
    }

    private mutating func blankOne() {
        output.append(input[position] == UInt8(ascii: "\n") ? UInt8(ascii: "\n") : UInt8(ascii: " "))
        position += 1
    }

    private mutating func blank(while condition: (Blanker) -> Bool) {
        while position < input.count && condition(self) {
            blankOne()
        }
    }

    private mutating func blank(_ count: Int) {
        for _ in 0..<count where position < input.count {
            blankOne()
        }
    }

    private mutating func blankBlockComment() {
        var depth = 0
        repeat {
            if starts(with: "/*") {
                depth += 1
                blank(2)
            } else if starts(with: "*/") {
                depth -= 1
                blank(2)
            } else {
                blankOne()
            }
        } while depth > 0 && position < input.count
    }

    /// The number of `#` before the quotation mark of a string that begins here.
    private func openingOfString() -> Int? {
        let signs = input[position...].prefix { $0 == UInt8(ascii: "#") }.count
        let quote = position + signs
        return quote < input.count && input[quote] == UInt8(ascii: "\"") ? signs : nil
    }

    private mutating func blankString(numberOfSigns: Int) {
        let signs = String(repeating: "#", count: numberOfSigns)
        blank(numberOfSigns)
        let quotes = starts(with: "\"\"\"") ? "\"\"\"" : "\""
        blank(quotes.utf8.count)
        while position < input.count && !starts(with: quotes + signs) {
            if starts(with: "\\" + signs + "(") {
                blank(2 + numberOfSigns)
                blankCode(untilClosingParenthesis: true)
                blank(1)
            } else if starts(with: "\\" + signs) {
                blank(2 + numberOfSigns)
            } else {
                blankOne()
            }
        }
        blank(quotes.utf8.count + numberOfSigns)
    }
}
