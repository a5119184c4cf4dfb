import ArgumentParser
import SectionedFetch
import TerminalTable
import ToolSupport

extension LibraryBrowser {
    /// The number of rows that are read at a time, about a screen.
    private static let batchSize = 50

    /// Shows the list on the whole terminal until a key or a signal ends it.
    ///
    /// - Throws: ``ToolFailure``, ``ToolDefect``, ``ObjectStorageError``; `ExitCode` with 128 plus the number
    ///   of the signal, as shells report it.
    func runLive() throws {
        // These steps precede everything that starts threads or changes the settings of the terminal.
        try LiveTerminal.check()
        let input = LiveInput(signals: try SignalPipe())
        var isOver = false
        while !isOver {
            let database = try openStore(of: opening.kind(of: store, self.database))
            try database.checkEntity(request.entity)
            if let survey = database.survey { note(survey) }
            let container = database.container
            isOver = try container.explaining { try follow(container, input) }
            if isOver { noteChoice(container.model) }
        }
    }

    /// Shows the list until it ends.
    ///
    /// - Returns: False if the store was read without locks and changed, so that it must be opened again.
    private func follow(_ container: PersistentContainer, _ input: LiveInput) throws -> Bool {
        var list = try request.request(in: container)
        list.fetchRequest.fetchBatchSize = Self.batchSize
        let columns = try Column.columns(columns, for: list, in: container)
        let caches = SectionCacheStore(directory: cacheDirectory.directory)
        let controller = try FetchedResultsController(
            fetchRequest: list.fetchRequest, context: container.newContext(),
            sectionNameKeyPath: list.sectionKey, cacheName: try cache.map { try CacheName($0) },
            cacheStore: caches)
        let watch = try ChangeWatch(controller.managedObjectContext)
        let table = try LiveTable(controller, columns: columns)
        let ending = try show(list, table, watch, input)
        // Saves end with the process. An index that was not saved is computed at the next start.
        caches.waitForWrites()
        if case .signal(let number) = ending { throw ExitCode(128 + number) }
        if case .storeChanged = ending { return false }
        return true
    }

    /// Runs the list and restores the terminal before it returns or throws.
    private func show(
        _ list: ListRequest, _ table: LiveTable, _ watch: ChangeWatch, _ input: LiveInput
    ) throws -> LiveBrowser.Ending {
        let terminal = try LiveTerminal()
        defer { terminal.restore() }
        return try LiveBrowser(list, table, watch, terminal, input).run()
    }
}
