import Foundation
import Testing

/// Databases in the directory `SECTIONED_FETCH_DATA`, or in `shared/data` beside the checkout.
enum PublishedDatabase {
    /// The Chinook database; nil if it is missing.
    static let chinook: URL? = {
        let places = [
            ProcessInfo.processInfo.environment["SECTIONED_FETCH_DATA"].map { URL(filePath: $0) },
            RepositoryFile.url("../shared/data"),
        ].compactMap(\.self)
        return places.map { $0.appending(path: "chinook/Chinook_Sqlite.sqlite") }.first {
            FileManager.default.fileExists(atPath: $0.path)
        }
    }()
    static let reason: Comment =
        "SKIPPED: the database Chinook is missing. Set SECTIONED_FETCH_DATA to the directory of the data."
}
