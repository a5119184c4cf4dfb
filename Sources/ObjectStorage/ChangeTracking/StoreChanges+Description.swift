extension StoreChanges: CustomStringConvertible {
    /// The changed objects and entities as text: `inserted Song/3; updated Artist/1; any of Album`.
    ///
    /// - Complexity: O(*n* log *n*) in the number of listed objects.
    public var description: String {
        func list(_ objectIDs: Set<ObjectID>) -> String {
            objectIDs.map(\.description).sorted { ($0.utf8.count, $0) < ($1.utf8.count, $1) }
                .joined(separator: ", ")
        }
        var parts: [String] = []
        if !insertedObjectIDs.isEmpty { parts.append("inserted \(list(insertedObjectIDs))") }
        if !updatedObjectIDs.isEmpty { parts.append("updated \(list(updatedObjectIDs))") }
        if !deletedObjectIDs.isEmpty { parts.append("deleted \(list(deletedObjectIDs))") }
        if !changedEntityNames.isEmpty {
            parts.append("any of \(changedEntityNames.sorted().joined(separator: ", "))")
        }
        return parts.isEmpty ? "no changes" : parts.joined(separator: "; ")
    }
}
