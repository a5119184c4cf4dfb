import ObjectModel

/// The objects that the functions of one connection reuse between calls. SQLite calls them one at a time.
final class KeyFunctionMemory {
    private var alphabets = ArgumentCache<Alphabet>()
    private var calendars = ArgumentCache<CivilCalendar?>()
    private var orders = ArgumentCache<LocalizedOrder>()
    private var divisions = ArgumentCache<NumberRanges?>()

    /// Returns the order of a locale.
    func order(locale: UnsafeRawBufferPointer) -> LocalizedOrder {
        orders.value(for: locale) { locale, _ in LocalizedOrder.under(locale: locale) }
    }

    /// Returns the alphabet of a locale.
    func alphabet(locale: UnsafeRawBufferPointer, style: UnsafeRawBufferPointer) -> Alphabet {
        alphabets.value(for: locale, style) { locale, style in
            Alphabet(locale: locale, style: Alphabet.Style(rawValue: style) ?? .together)
        }
    }

    /// Returns the calendar in a time zone.
    func calendar(timeZone: UnsafeRawBufferPointer) -> CivilCalendar? {
        calendars.value(for: timeZone) { timeZone, _ in CivilCalendar(timeZone: timeZone) }
    }

    /// Returns the ranges with a description.
    func ranges(_ description: UnsafeRawBufferPointer) -> NumberRanges? {
        divisions.value(for: description) { description, _ in NumberRanges(description) }
    }

    /// Returns the key by which a text is sorted in an alphabetic index: by its letter, then in the order of
    /// the locale without its leading marks, then by its bytes. Texts have equal keys only if their bytes are
    /// equal.
    func indexedKey(of text: UnsafeRawBufferPointer, locale: UnsafeRawBufferPointer) -> [UInt8] {
        let letter = Self.index.withUTF8Buffer { style in
            alphabet(locale: locale, style: UnsafeRawBufferPointer(style)).letter(for: text)
        }
        let order = order(locale: locale)
        // No key is the beginning of another: each ends in a zero byte, and letters contain none.
        var key = order.key(of: letter)
        key.append(0)
        let rest = LeadingMarks.skipping(text)
        order.withKey(of: rest) { key.append(contentsOf: $0) }
        if rest.count < text.count {
            key.append(0)
            key.append(contentsOf: text)
        }
        return key
    }

    private static let index: StaticString = "index"
}
