extension CSVReader {
    /// Returns unique names for the columns of a header.
    ///
    /// The first column with a name keeps it. Further columns with that name get the number of the column
    /// as a suffix, and a column without a name is called `column` and its number.
    ///
    /// - Complexity: O(*n*) in the number of columns.
    static func numbered(_ names: [String]) -> [String] {
        // Compared by bytes, so that canonically equivalent names are different. A numbered name is never
        // equal to the name of another column.
        let given = Set(names.map { Array($0.utf8) })
        var taken: Set<[UInt8]> = []
        return names.enumerated().map { position, name in
            if !name.isEmpty, taken.insert(Array(name.utf8)).inserted { return name }
            var numbered = name.isEmpty ? "column\(position + 1)" : "\(name)_\(position + 1)"
            while given.contains(Array(numbered.utf8)) || taken.contains(Array(numbered.utf8)) {
                numbered += "_\(position + 1)"
            }
            taken.insert(Array(numbered.utf8))
            return numbered
        }
    }

    /// The first name of the header that looks like a value, a number or a date, or nil if none does.
    ///
    /// Whole numbers that only grow or only shrink, such as years, are names of columns as well.
    public var valueInHeader: String? {
        guard hasHeaderNames else { return nil }
        let values = fieldNames.filter(Self.isValue)
        let numbers = values.compactMap { Int($0) }
        if numbers.count == values.count, numbers.count >= 3 {
            let pairs = zip(numbers, numbers.dropFirst())
            if pairs.allSatisfy(<) || pairs.allSatisfy(>) { return nil }
        }
        return values.first
    }

    /// Returns whether a name is a decimal number, a date of numbers, or an email address.
    private static func isValue(_ name: String) -> Bool {
        let bytes = Array(name.utf8)
        guard !bytes.isEmpty, bytes.count <= 40 else { return false }
        if Double(name) != nil, bytes.contains(where: { (0x30...0x39).contains($0) }) {
            return bytes.allSatisfy { (0x30...0x39).contains($0) || "+-.eE".utf8.contains($0) }
        }
        let parts = bytes.split(whereSeparator: { "-/.".utf8.contains($0) }).map { $0.prefix { $0 > 0x20 } }
        let isDate =
            parts.count == 3 && parts.dropLast().allSatisfy { $0.allSatisfy { (0x30...0x39).contains($0) } }
            && parts[2].first.map { (0x30...0x39).contains($0) } == true
            && [nil, UInt8(ascii: "T")].contains(parts[2].drop { (0x30...0x39).contains($0) }.first)
            && (parts[0].count == 4 || parts[2].count == 4 || parts.allSatisfy { $0.count == 2 })
        return isDate
            || (bytes.contains(UInt8(ascii: "@")) && bytes.contains(UInt8(ascii: "."))
                && !bytes.contains(0x20))
    }
}
