import SectionCaching

/// The index of all rows of a request with a limit or an offset, from which its window is taken after each
/// change.
struct ResultsWindow {
    /// All rows that the request would find without its limit and offset, in the state of the results.
    let index: SectionIndex
    /// Finds rows in the index and updates the index.
    let editor: SectionIndexEditor

    /// Keeps an index that an editor made.
    init(_ index: SectionIndex, editor: SectionIndexEditor) { (self.index, self.editor) = (index, editor) }

    /// Keeps an index that was computed.
    init(_ index: SectionIndex) { self.init(index, editor: SectionIndexEditor(index)) }
}
