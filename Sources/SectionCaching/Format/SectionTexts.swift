/// The identity, name and title of a section as bytes, which are copied from one directory to the next
/// without being decoded.
struct SectionTexts {
    /// The identity of the section.
    let identity: ArraySlice<UInt8>
    /// The name of the section.
    let name: ArraySlice<UInt8>
    /// The title of the section in an index bar.
    let indexTitle: ArraySlice<UInt8>
}

extension SectionTexts {
    init(identity: [UInt8], name: String, indexTitle: String) {
        self.init(
            identity: identity[...], name: Array(name.utf8)[...], indexTitle: Array(indexTitle.utf8)[...])
    }
}
