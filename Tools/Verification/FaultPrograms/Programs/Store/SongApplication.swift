import Foundation
import GRDB
import SectionedFetch

/// A program that hands its own connection over, and opens transactions on it as it likes.
struct SongApplication {
    let queue: DatabaseQueue
    let container: PersistentContainer

    /// - Parameter prepare: What the program does with its connection before it hands it over.
    init(_ store: SongStore, _ prepare: (@Sendable (Database) throws -> Void)? = nil) throws {
        var configuration = Configuration()
        configuration.allowsUnsafeTransactions = true
        configuration.busyMode = .timeout(10)
        if let prepare { configuration.prepareDatabase(prepare) }
        queue = try DatabaseQueue(path: store.url.path, configuration: configuration)
        container = try PersistentContainer(
            writer: queue, model: store.tables.model(),
            options: StoreOptions(existingTables: store.tables.isOwners ? .tracked : nil))
    }
}
