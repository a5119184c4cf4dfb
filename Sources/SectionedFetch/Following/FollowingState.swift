import ObjectStorage

/// The relation of the shown results to the store while changes are followed.
///
/// ```
///              event of the request                take()
///   current ───────────────────────► due(style) ──────────► current, and a comparison begins
///                                     │      ▲
///                                     └──────┘ further events, which may change the style
/// ```
///
/// A comparison that fails leaves the results as they are, and any later event makes them due again.
enum FollowingState {
    /// The results were compared with the store after the last change that concerns them.
    case current
    /// The results must be compared with the store, and the change is reported in a style.
    case due(ReportStyle)

    /// A way of reporting a change.
    enum ReportStyle {
        case events
        /// Not at all if it consists of these saves, because the app shows their changes already.
        case nothing(but: [TableTransition])
        /// As a reload: the app shows part of the change already, and events could only be relative to that
        /// part.
        case reload
    }

    /// Whether the results must be compared with the store.
    var isDue: Bool { if case .due = self { true } else { false } }

    /// The transition for a change that concerns the results.
    ///
    /// - Parameter isSilent: Whether the app makes the change itself and shows it already.
    mutating func becomeDue(isSilent: Bool) {
        switch self {
        case .current: self = .due(isSilent ? .nothing(but: []) : .events)
        case .due(.nothing) where !isSilent: self = .due(.events)
        case .due: break
        }
    }

    /// The transition for a save of the app's own changes, which it shows already.
    mutating func addSilentSave(_ save: StoreChanges) {
        if case .due(.nothing(let saves)) = self { self = .due(.nothing(but: saves + save.tables)) }
    }

    /// The transition for a commit of others that was merged while the app made its own changes.
    mutating func addSilentMerge() {
        if case .due(.nothing) = self { self = .due(.reload) }
    }

    /// The transition to a comparison.
    ///
    /// - Returns: The style of the report.
    mutating func take() -> ReportStyle {
        defer { self = .current }
        if case .due(let style) = self { return style }
        return .events
    }
}
