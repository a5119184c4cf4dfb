extension CSVReader {
    /// Names that differ, of a header's names.
    ///
    /// The first column of a name keeps it; others of the same name get the number of their column behind it,
    /// and one without a name is called `column` and its number.
    ///
    /// - Complexity: O(*n*) in the number of columns.
    static func numbered(_ names: [String]) -> [String] {
        // By their bytes: names that only read the same are two. No number leads to the name of another
        // column.
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
