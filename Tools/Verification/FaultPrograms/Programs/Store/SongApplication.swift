import Foundation
import GRDB
import SectionedFetch

/// An application that passes its own connection to a container, and opens transactions on it.
struct SongApplication {
    let queue: DatabaseQueue
    let container: PersistentContainer

    /// - Parameter prepare: Prepares the connection before it is passed to the container.
    init(_ store: SongStore, _ prepare: (@Sendable (Database) throws -> Void)? = nil) throws {
        var configuration = Configuration()
        configuration.allowsUnsafeTransactions = true
        configuration.busyMode = .timeout(10)
        if let prepare { configuration.prepareDatabase(prepare) }
        queue = try DatabaseQueue(path: store.url.path, configuration: configuration)
        container = try PersistentContainer(
            writer: queue, model: store.tables.model(),
            options: StoreOptions(existingTables: store.tables.isExisting ? .tracked : nil))
    }
}
