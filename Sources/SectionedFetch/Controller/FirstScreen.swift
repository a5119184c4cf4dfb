/// The description of provisional results: the first rows of a list whose other rows are being computed.
public struct FirstScreen: Hashable, Sendable {
    /// The number of rows of each section of the first screen in the whole list; nil if it was not counted,
    /// because that could take as long as the list. ``SectionInfo/numberOfObjects`` is the number of rows in
    /// the first screen.
    public let sectionCounts: [Int?]
}
