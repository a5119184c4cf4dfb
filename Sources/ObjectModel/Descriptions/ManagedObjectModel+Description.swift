extension ManagedObjectModel: CustomStringConvertible {
    /// The model as readable text: a line for each entity, followed by an indented line for each property.
    ///
    /// ```
    /// Artwork
    ///   title: string = “”, indexed
    ///   year: integer32?
    ///   artist → Artist.artworks?
    ///   tags → many Tag.artworks
    /// Print: Artwork
    ///   edition: integer16
    /// ```
    public var description: String { entities.map(\.description).joined(separator: "\n") }
}
