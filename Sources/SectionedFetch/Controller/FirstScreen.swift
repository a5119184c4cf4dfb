/// The description of provisional results: the first rows of a list whose other rows are being computed.
public struct FirstScreen: Hashable, Sendable {
    /// The number of rows of each section of the first screen in the whole list; nil if it is not known yet.
    /// ``SectionInfo/numberOfObjects`` counts only the rows that are there.
    public let sectionCounts: [Int?]
}
