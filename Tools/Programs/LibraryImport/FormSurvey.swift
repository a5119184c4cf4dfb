import SectionedFetch
import ToolSupport

/// The forms in which all texts of a column may write numbers, dates or Boolean values, and the words for no
/// value among them.
///
/// A form is found only if every text has it, and only an option or a mapping applies it.
struct FormSurvey {
    /// A form that all texts have, and the digest of the values that it gives.
    private struct Candidate<Form> {
        let form: Form
        var digest = 0
        var style = TextStyle.any
    }

    /// A form of the column.
    struct Finding {
        let form: TextForm
        let type: AttributeType
        /// A text that the type changes, as a double changes the text 1.10; nil if it changes none.
        let changedText: String?
        /// A text of the column.
        let example: String
    }

    private static let wordsForNoValue: Set<String> = [
        "NULL", "null", "Null", "NA", "N/A", "n/a", "#N/A", "\\N", "-", "--", "–", "—", "?", "None", "none",
        "nil", "(null)", "NaN", "nan", ".", "unknown",
    ]
    private static let booleanForms = [
        ("yes", "no"), ("y", "n"), ("t", "f"), ("on", "off"), ("ja", "nein"), ("oui", "non"), ("sí", "no"),
    ].flatMap { yes, no in
        [
            BooleanForm(yes: yes, no: no), BooleanForm(yes: yes.uppercased(), no: no.uppercased()),
            BooleanForm(
                yes: yes.prefix(1).uppercased() + yes.dropFirst(),
                no: no.prefix(1).uppercased() + no.dropFirst()),
        ]
    }

    private var words: [String] = []
    private var isTrimmed = false
    private var isUnquoted = false
    /// Whether all texts are in the quotes that spreadsheets write.
    private var isAlwaysUnquoted = true
    private var plain = TypeCandidates()
    private var numbers = NumberForm.common.map { Candidate(form: $0) }
    private var dates = DateForm.common.map { Candidate(form: $0) }
    private var booleans = Self.booleanForms
    /// The Boolean words that occur.
    private var seen: Set<String> = []
    /// Whether all texts are numbers, which a double may change.
    private var isNumeric = true
    private var style = TextStyle.any
    private var changedText: String?
    private var changedNumbers: [String: String] = [:]
    private var count = 0
    private var example = ""

    /// Whether all texts so far have a form in common.
    var isOpen: Bool {
        plain.isOpen || isNumeric || isAlwaysUnquoted || !numbers.isEmpty || !dates.isEmpty
            || !booleans.isEmpty
    }

    /// Adds a text of the column.
    mutating func add(_ text: UnsafeRawBufferPointer) {
        guard isOpen else { return }
        let trimmed = TextForm.trimmed(text)
        if trimmed.count != text.count { isTrimmed = true }
        if let inner = TextForm.unquoted(trimmed) {
            isUnquoted = true
            inner.withUnsafeBytes { addInner($0) }
        } else {
            if !trimmed.isEmpty { isAlwaysUnquoted = false }
            addInner(trimmed)
        }
    }

    private mutating func addInner(_ text: UnsafeRawBufferPointer) {
        guard !text.isEmpty else { return }
        let shown = String(decoding: text.prefix(60), as: UTF8.self)
        if Self.wordsForNoValue.contains(shown) {
            if !words.contains(shown) { words.append(shown) }
            return
        }
        if count == 0 { example = shown }
        count += 1
        plain.add(text)
        if isNumeric {
            isNumeric = Self.isNumber(text)
            if let common = TextStyle(text, as: .double)?.common(with: style) {
                style = common
            } else if changedText == nil {
                changedText = shown
            }
        }
        addNumber(text, shown)
        dates = dates.compactMap { candidate in
            candidate.form.seconds(text).map {
                Candidate(form: candidate.form, digest: Self.combined(candidate.digest, $0.hashValue))
            }
        }
        booleans.removeAll { $0.yes != shown && $0.no != shown }
        if !booleans.isEmpty { seen.insert(shown) }
    }

    private mutating func addNumber(_ text: UnsafeRawBufferPointer, _ shown: String) {
        var remaining: [Candidate<NumberForm>] = []
        for var candidate in numbers {
            guard let plain = candidate.form.plain(text), plain.withUnsafeBytes(Self.isNumber) else {
                continue
            }
            candidate.digest = Self.combined(candidate.digest, plain.hashValue)
            let style = plain.withUnsafeBytes { TextStyle($0, as: .double) }
            if let common = style?.common(with: candidate.style) {
                candidate.style = common
            } else if changedNumbers[candidate.form.example] == nil {
                changedNumbers[candidate.form.example] = shown
            }
            remaining.append(candidate)
        }
        numbers = remaining
    }

    /// Returns whether a text is a number and not a code, such as a telephone number or digits after a zero.
    private static func isNumber(_ text: UnsafeRawBufferPointer) -> Bool {
        let digits = text.first == UInt8(ascii: "-") ? text.dropFirst() : text[...]
        guard let first = digits.first, (0x30...0x39).contains(first) || first == UInt8(ascii: ".") else {
            return false
        }
        if first == 0x30, let second = digits.dropFirst().first, (0x30...0x39).contains(second) {
            return false
        }
        return FieldConversion.number(text) != nil
    }

    private static func combined(_ first: Int, _ second: Int) -> Int {
        var hasher = Hasher()
        hasher.combine(first)
        hasher.combine(second)
        return hasher.finalize()
    }
}

extension FormSurvey {
    /// The form of the texts; nil if they have none, or if several forms give different values.
    var finding: Finding? {
        guard count > 0 else { return nil }
        var form = TextForm()
        form.noValue = words.isEmpty ? nil : words
        form.isTrimmed = isTrimmed ? true : nil
        form.isUnquoted = isUnquoted ? true : nil
        func found(_ type: AttributeType, _ changedText: String? = nil) -> Finding {
            Finding(form: form, type: type, changedText: changedText, example: example)
        }
        if plain.type != .string { return found(plain.type) }
        if booleans.count == 1, seen.count == 2 {
            form.boolean = booleans[0]
            return found(.boolean)
        }
        if let date = Self.only(dates) {
            form.date = date
            return found(.date)
        }
        if isNumeric { return found(.double, changedText) }
        if let number = Self.only(numbers) {
            form.number = number
            return found(.double, changedNumbers[number.example])
        }
        return isUnquoted && isAlwaysUnquoted ? found(.string) : nil
    }

    /// The patterns that all texts have and that give different dates; empty if there are fewer than two.
    var ambiguousDates: [String] {
        guard count > 0, let first = dates.first, Self.only(dates) == nil else { return [] }
        let other = dates.first { $0.digest != first.digest }
        return [first.form.pattern] + (other.map { [$0.form.pattern] } ?? [])
    }

    /// Returns the first of several forms that give equal values.
    private static func only<Form>(_ candidates: [Candidate<Form>]) -> Form? {
        guard let first = candidates.first, candidates.allSatisfy({ $0.digest == first.digest }) else {
            return nil
        }
        return first.form
    }
}
