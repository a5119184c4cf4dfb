import Foundation
import SectionedFetch

/// A store with some songs and artists, properly closed.
enum SampleStore {
    /// The number of rows.
    static let size = 66

    static func make(at url: URL) throws {
        let model = try ManagedObjectModel(entities: [
            EntityDescription(
                name: "Song",
                attributes: [
                    AttributeDescription(name: "title", type: .string, isOptional: true, isIndexed: true),
                    AttributeDescription(name: "genre", type: .string, isOptional: true),
                    AttributeDescription(name: "year", type: .integer32, isOptional: true),
                    AttributeDescription(name: "length", type: .double, isOptional: true),
                    AttributeDescription(name: "added", type: .date, isOptional: true),
                    AttributeDescription(name: "cover", type: .binaryData, isOptional: true),
                    AttributeDescription(name: "identifier", type: .uuid, isOptional: true),
                ],
                relationships: [.toOne("artist", to: "Artist", inverse: "songs")]),
            EntityDescription(
                name: "Artist", attributes: [AttributeDescription(name: "name", type: .string)],
                relationships: [.toMany("songs", to: "Song", inverse: "artist")]),
        ])
        let container = try PersistentContainer(url: url, model: model)
        try container.write { writer in
            let artists = try writer.table("Artist")
            let keys = try (0..<6).map { try artists.insert([.text("Artist \($0)")]) }
            let songs = try writer.table("Song")
            for number in 0..<60 {
                _ = try songs.insert([
                    .text("Song \(number)"), .text(["Jazz", "Folk", "Rock"][number % 3]),
                    .integer(Int64(1_900 + number)), .real(Double(number) / 4),
                    .real(Double(number) * 86_400),
                    .blob(Array(repeating: UInt8(number), count: number * 20)),
                    .blob(Array(repeating: UInt8(number), count: 16)), .integer(keys[number % 6]),
                ])
            }
        }
    }
}
