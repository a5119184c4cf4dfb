public import ObjectStorage

extension SectionKey {
    /// Groups by several keys: two rows are in one section if all keys have the same values.
    ///
    /// ```swift
    /// let key = SectionKey.combined([.path(\Song.genre), .decade(of: \Song.released, in: .gmt)])
    /// ```
    ///
    /// The name of a section consists of its names by all keys, separated by commas. The rows must be sorted
    /// by the keys first, in any sequence.
    ///
    /// - Parameter keys: The keys, without declared sections. A combined key is replaced by its parts.
    public static func combined(_ keys: [SectionKey]) -> Self {
        Self(combining: keys.flatMap(\.simple), isNested: false)
    }

    /// Returns a key of nested sections: each section of this key has subsections by another key.
    ///
    /// ```swift
    /// let outline = SectionKey.path("artist.name").subdivided(by: .path("album"))
    /// ```
    ///
    /// The rows must be sorted by this key first, then by the other. The controller's sections are those of
    /// this key, and ``SectionInfo/subsections`` leads to the subsections. Index paths of changes have three
    /// components: section, subsection, row.
    ///
    /// - Parameter key: The key of the subsections. Neither key has declared sections or is subdivided
    ///   itself.
    public func subdivided(by key: SectionKey) -> Self { Self(combining: [self, key], isNested: true) }

    /// Returns the values by which the rows of a section are grouped: one for each part of a combined key,
    /// and one for any other key.
    ///
    /// - Parameter section: A section of results with this key, not a subsection.
    /// - Complexity: O(*b*) in the number of bytes of the values.
    public func values<Object: ManagedObject>(of section: SectionInfo<Object>) -> [StoredValue] {
        guard let key = section.key else { return [] }
        guard !parts.isEmpty, !isNested, case .blob(let bytes) = key else { return [key] }
        return CombinedValue.values(in: bytes) ?? [key]
    }

    /// The parts of a combined key; for any other key, only the key itself.
    private var simple: [SectionKey] { parts.isEmpty || isNested ? [self] : parts }
}
