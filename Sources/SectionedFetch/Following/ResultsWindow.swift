import SectionCaching

/// The index of all rows of a request with a limit or an offset, from which its window is taken after each
/// change.
struct ResultsWindow {
    /// All rows that the request would find without its limit and offset, in the state of the results.
    let index: SectionIndex
    /// Finds rows in the index and updates the index.
    let editor: SectionIndexEditor
}
