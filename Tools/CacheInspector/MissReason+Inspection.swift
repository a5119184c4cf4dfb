import SectionCaching

extension MissReason {
    /// Whether the reason is something that should not be, rather than the way of things.
    var isDamage: Bool {
        switch self {
        case .corrupt, .forged, .contradicted: true
        default: false
        }
    }

    /// Whether the directory could not be used, so that nothing is known of its entries.
    var isOfDirectory: Bool {
        switch self {
        case .unsupportedFileSystem, .off: true
        default: false
        }
    }

    /// Whether rows changed and nothing else, so that a start may make the entry right where looking alone cannot.
    var isOfData: Bool {
        switch self {
        case .dataChanged, .unsealed: true
        default: false
        }
    }

    /// What the reason makes of an entry, in a word: in capitals what should not be.
    var state: String {
        switch self {
        case .absent, .requestChanged: "absent"
        case .storeReplaced: "foreign"
        case .corrupt: "DAMAGED"
        case .forged: "FORGED"
        case .contradicted: "WRONG"
        case .untracked: "untracked"
        case .unsupportedFileSystem, .off: "off"
        case .environmentChanged, .dataChanged, .schemaChanged, .formatMismatch, .unsaved, .unsealed: "stale"
        }
    }

    /// The reason in words that hold for a program that only looks: it did not try to seal anything.
    var inspected: String {
        guard case .unsealed(let names) = self else { return description }
        return
            "another program changed the data or the schema (\(names.joined(separator: ", "))), and none of ours fetched since"
    }
}
