/// What tells a section apart and what it is called, as bytes: copied from one directory to the next without
/// being decoded.
struct SectionTexts {
    /// What tells it apart.
    let identity: ArraySlice<UInt8>
    /// What it is called.
    let name: ArraySlice<UInt8>
    /// Its title in an index bar.
    let indexTitle: ArraySlice<UInt8>
}

extension SectionTexts {
    init(identity: [UInt8], name: String, indexTitle: String) {
        self.init(
            identity: identity[...], name: Array(name.utf8)[...], indexTitle: Array(indexTitle.utf8)[...])
    }
}
