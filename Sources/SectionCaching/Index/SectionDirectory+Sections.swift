extension SectionDirectory {
    /// Returns the decoded section at a position.
    func section(at position: Int) -> SectionIndex.Section {
        let texts = texts(ofSection: position)
        return SectionIndex.Section(
            identity: Array(texts.identity), name: String(decoding: texts.name, as: UTF8.self),
            indexTitle: String(decoding: texts.indexTitle, as: UTF8.self),
            rows: firstRow(ofSection: position)..<firstRow(ofSection: position + 1))
    }
}
