import ObjectStorage
import SectionCaching

/// Results that another thread computed from one state of the store, and that a fetch can use.
struct PreparedResults: Sendable {
    /// The sections and rows.
    let index: SectionIndex
    /// The states of the tables from which the results were computed.
    let tables: [StoreState.Table]
    /// The result of the thread's look-up in the cache; nil without a cache.
    let lookup: CacheLookup?
    /// The difference from the results that were shown when the thread began; nil if it is not known.
    var difference: ResultsDifference?
    /// The results that ``difference`` begins with.
    var old: ResultsIndex?
    /// All rows of a request with a limit or an offset; nil if they were not requested.
    var allRows: SectionIndex?
    /// The time that finding the rows took; nil if the cache had them.
    var fetchDuration: Duration?
}
