import ObjectStorage

/// The state of a controller that follows changes.
///
/// Three parts change independently of each other:
///
/// ```
///   results    current ── becomeDue ──► due(style) ── beginComparison ──► current
///              current ── showFirstScreen ──► firstScreen ── becomeDueForFetch ──► due(events)
///   activity   idle ── beginReport ──► reporting ── endReport ──► idle
///   failures   none ── keepComparisonFailure, mergeFailed ──► failed ── comparisonSucceeded, merged ──► none
/// ```
///
/// A comparison that fails leaves the results as they are, and any later event makes them due again.
struct FollowingState {
    /// The relation of the shown results to the store.
    private var results = ResultsRelation.current
    /// Whether the controller is fetching or reporting. Events that arrive meanwhile are reported afterwards.
    private(set) var isReporting = false
    /// Whether changes are followed without being reported.
    private(set) var isSilent = false
    /// Whether a change that the app shows already could not be computed. The next change then contains it.
    private var hasUnknownSilence = false
    /// The error that prevented the changes since the last report from being computed. It stays until they
    /// have been computed.
    private(set) var comparisonFailure: ObjectStorageError?
    /// The error that prevented the context from merging commits of other contexts or programs. It stays
    /// until the context has merged them.
    private(set) var mergeFailure: ObjectStorageError?

    private enum ResultsRelation {
        /// The results were compared with the store after the last change that concerns them.
        case current
        /// The results must be compared with the store, and the change is reported in a style.
        case due(ReportStyle)
        /// The results are the first rows of a list. Changes are not followed until the list is found.
        case firstScreen
    }

    /// A way of reporting a change.
    enum ReportStyle {
        case events
        /// Not at all if it consists of these saves, because the app shows their changes already.
        case nothing(but: [TableTransition])
        /// As a reload: the app shows part of the change already, and events could only be relative to that
        /// part.
        case reload
    }

    // MARK: Results

    /// Whether the results must be compared with the store.
    var isDue: Bool { if case .due = results { true } else { false } }

    /// Marks the results as due after a change that concerns them.
    mutating func becomeDue() {
        switch results {
        case .current: results = .due(isSilent ? .nothing(but: []) : .events)
        case .due(.nothing) where !isSilent: results = .due(.events)
        case .due, .firstScreen: break
        }
    }

    /// Marks the results as due because the app fetches, which also replaces a first screen.
    mutating func becomeDueForFetch() {
        if case .firstScreen = results { results = .due(.events) } else { becomeDue() }
    }

    /// Notes that the results are a first screen.
    mutating func showFirstScreen() { results = .firstScreen }

    /// Marks the results as due for a report in a style, in place of an earlier one.
    mutating func becomeDue(_ style: ReportStyle) { results = .due(style) }

    /// Notes a save of the context.
    mutating func saved(_ save: StoreChanges) {
        guard isSilent, case .due(.nothing(let saves)) = results else { return }
        results = .due(.nothing(but: saves + save.tables))
    }

    /// Notes a merge of a commit of others that concerns the results.
    mutating func mergedRows() {
        if isSilent, case .due(.nothing) = results { results = .due(.reload) }
    }

    /// Begins a comparison: the results are no longer due.
    ///
    /// - Returns: The style in which the change is reported.
    mutating func beginComparison() -> ReportStyle {
        let style: ReportStyle = if case .due(let style) = results { style } else { .events }
        results = .current
        // After a failure this change contains the earlier one as well. If one of them is reported and the
        // other is not, only a reload is correct.
        let isMixed = if case .nothing = style { comparisonFailure != nil } else { hasUnknownSilence }
        return isMixed ? .reload : style
    }

    /// Notes that the change was computed.
    mutating func comparisonSucceeded() {
        hasUnknownSilence = false
        comparisonFailure = nil
    }

    /// Notes that a change could not be computed.
    ///
    /// - Parameter style: The style in which the change would have been reported.
    mutating func comparisonFailed(of style: ReportStyle) {
        if case .events = style { return }
        hasUnknownSilence = true
    }

    /// Keeps the error of a comparison until another comparison succeeds.
    mutating func keepComparisonFailure(_ error: ObjectStorageError) { comparisonFailure = error }

    /// Notes that the results were found anew, or removed.
    mutating func foundAnew() {
        results = .current
        hasUnknownSilence = false
        comparisonFailure = nil
    }

    // MARK: Activity

    /// Begins a fetch or a report.
    ///
    /// - Returns: The activity before, for ``endReport(_:)``.
    @discardableResult
    mutating func beginReport() -> Bool {
        defer { isReporting = true }
        return isReporting
    }

    /// Ends a fetch or a report.
    mutating func endReport(_ wasReporting: Bool = false) { isReporting = wasReporting }

    /// Begins changes that the app shows already.
    mutating func beginSilence() { isSilent = true }

    /// Ends changes that the app shows already.
    mutating func endSilence() { isSilent = false }

    // MARK: Failures of merging

    /// Keeps the error of a merge until the context merges.
    mutating func mergeFailed(_ error: ObjectStorageError) { mergeFailure = error }

    /// Notes a merge, which includes the commits that could not be merged before. The failure of a store
    /// whose file was replaced stays, because the contents of the new file are never merged.
    mutating func merged() {
        if mergeFailure?.code != .storeReplaced { mergeFailure = nil }
    }
}
