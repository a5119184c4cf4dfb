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
}
