import ObjectStorage

/// The titles of an index bar.
extension FetchedResultsController {
    /// The titles for an index bar.
    ///
    /// With an ``indexAlphabet``, they are its letters, including those without a section, and `#` before
    /// them if a section precedes the letters. Otherwise they are the titles of the sections in order,
    /// without repeats.
    ///
    /// - Complexity: O(*s*) in the number of sections.
    public var sectionIndexTitles: [String] {
        guard let sections else { return [] }
        if let indexAlphabet {
            let hasRest = sections.contains { letter(of: $0, in: indexAlphabet) == IndexAlphabet.rest }
            return (hasRest ? [IndexAlphabet.rest] : []) + indexAlphabet.letters
        }
        var seen: Set<String> = []
        return sections.map(\.indexTitle).filter { !$0.isEmpty && seen.insert($0).inserted }
    }

    /// Returns the position of the first section with an index title.
    ///
    /// With an ``indexAlphabet``, a letter without a section leads to the section at which its rows would
    /// be: the next one, or the last section for letters after all others. Otherwise the result is nil for a
    /// title that no section has.
    ///
    /// - Parameter title: The title that was selected.
    /// - Returns: The position; nil if there are no sections.
    /// - Complexity: O(*s*) in the number of sections.
    public func section(forSectionIndexTitle title: String) -> Int? {
        guard let sections else { return nil }
        guard let indexAlphabet else { return sections.firstIndex { $0.indexTitle == title } }
        // A section without a name has no letter.
        let letters = sections.map { letter(of: $0, in: indexAlphabet) }
        if let position = letters.firstIndex(of: title) { return position }
        let known = letters.compactMap(\.self)
        let isDescending =
            if let first = known.first, let last = known.last {
                indexAlphabet.isAscending(last, first)
            } else { false }
        let next = letters.firstIndex { letter in
            guard let letter else { return false }
            return isDescending
                ? indexAlphabet.isAscending(letter, title) : indexAlphabet.isAscending(title, letter)
        }
        return next ?? sections.indices.last
    }

    /// Returns the position of the first section with an index title, as
    /// ``section(forSectionIndexTitle:)`` does.
    ///
    /// - Parameters:
    ///   - title: The title that was selected.
    ///   - position: The position of the title in ``sectionIndexTitles``. It is ignored because titles are
    ///     unique there; the parameter exists because table views pass it.
    /// - Complexity: O(*s*) in the number of sections.
    public func section(forSectionIndexTitle title: String, at position: Int) -> Int? {
        section(forSectionIndexTitle: title)
    }

    /// Returns the index title for a section's name: the delegate's, or by default the name's first character
    /// in upper case, or the whole name if it is a letter of an alphabet.
    ///
    /// - Parameter name: The name of a section. The results need not have a section of this name.
    /// - Returns: The title; nil for an empty name to which the delegate gives no title.
    public func sectionIndexTitle(forSectionName name: String) -> String? {
        delegateTitle(name) ?? (name.isEmpty ? nil : SectionName.indexTitle(of: name, key: sectionKey))
    }

    /// Returns the letter of a section in an alphabet: that of the delegate's title, or by default of the
    /// name; nil for a section without a name.
    private func letter(of section: SectionInfo<Object>, in alphabet: IndexAlphabet) -> String? {
        let text = delegateTitle(section.name) ?? section.name
        return text.isEmpty ? nil : alphabet.letter(for: text)
    }
}
