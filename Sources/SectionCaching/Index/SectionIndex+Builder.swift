extension SectionIndex {
    /// A builder of an index in memory, section by section and row by row.
    public struct Builder {
        private var sections: [Section] = []
        @usableFromInline var rowIDs: [Int64] = []

        /// Creates a builder without sections and rows.
        public init() {}

        /// Begins the next section.
        ///
        /// - Parameters:
        ///   - identity: The identity of the section. The caller ensures that no other section has it.
        ///   - name: The name of the section.
        ///   - indexTitle: The title of the section in an index bar.
        public mutating func beginSection(identity: [UInt8], name: String, indexTitle: String) {
            closeSection()
            sections.append(
                Section(
                    identity: identity, name: name, indexTitle: indexTitle, rows: rowIDs.count..<rowIDs.count)
            )
        }

        /// Adds a row to the section that was begun last.
        ///
        /// - Parameter rowID: The ID of the row, which follows all earlier ones.
        /// - Complexity: O(1) on average.
        @inlinable
        public mutating func append(_ rowID: Int64) { rowIDs.append(rowID) }

        /// Returns the index. A builder with rows but no section is a programmer error and traps.
        ///
        /// - Complexity: O(1).
        public consuming func finish() -> SectionIndex {
            precondition(rowIDs.isEmpty || !sections.isEmpty, "Rows were added before a section was begun.")
            closeSection()
            return SectionIndex(backing: .memory(MemoryIndex(sections: sections, rowIDs: rowIDs)))
        }

        private mutating func closeSection() {
            guard let last = sections.popLast() else { return }
            sections.append(
                Section(
                    identity: last.identity, name: last.name, indexTitle: last.indexTitle,
                    rows: last.rows.lowerBound..<rowIDs.count))
        }
    }
}
