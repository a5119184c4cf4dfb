import SectionedFetch
import TerminalTable
import ToolSupport

/// `library-browser --live`: a list on the whole screen that follows the store while other programs write to
/// it.
final class LiveBrowser {
    /// The current meaning of keys.
    enum Mode: Hashable {
        case list
        /// Pages over the list, the last of which is shown.
        case page
        /// The next key is an index title.
        case jumping
        /// Keys edit the search text. Cancelling the search selects the given row, the one before the search.
        case searching(from: Int)
    }

    /// The cause of a live list's end.
    enum Ending {
        case quit
        case signal(Int32)
        /// Another program wrote to a store that is read without locks, which must be opened again.
        case storeChanged
    }

    /// The time after which an escape character without a sequence is the Escape key. The bytes of a sequence
    /// arrive together, or nearly so.
    private static let escapeTimeout = Duration.milliseconds(50)
    /// The time between a change that the controller could not follow and the next attempt.
    private static let pauseAfterFailure = Duration.seconds(1)

    let table: LiveTable
    let terminal: LiveTerminal
    let list: ListRequest
    var mode = Mode.list
    /// The pages over the list: help, status, and details of objects.
    var pages: [LivePage] = []
    /// The first column that is shown.
    var firstColumn = 0
    var search: LiveSearch?
    /// The text of the last line until the next key.
    var message: String?
    /// The layout of the columns, whose widths only grow.
    var layout: TextTable
    /// The duration of the last merge with changes, including the table's update.
    var lastMergeDuration: Duration?
    /// The error of the last merge, or nil if it succeeded.
    var watchFailure: ObjectStorageError?
    /// The failure of the store's files, or nil while they are there.
    var fileFailure: String?
    private let input: LiveInput
    private let watch: ChangeWatch
    private let files: StoreFileWatch
    private var decoder = KeyDecoder()
    private var ending: Ending?
    /// Whether the search text changed since the last search.
    private var isSearchDue = false

    init(
        _ list: ListRequest, _ table: LiveTable, _ watch: ChangeWatch, _ terminal: LiveTerminal,
        _ input: LiveInput
    ) {
        self.list = list
        self.table = table
        self.terminal = terminal
        self.input = input
        self.watch = watch
        files = StoreFileWatch(table.controller.managedObjectContext.container)
        search = LiveSearch(table.controller, columns: table.columns)
        layout = Self.layout(of: table.columns)
        resizeTable()
    }

    /// Shows the list until a key or a signal ends it.
    ///
    /// - Throws: ``ToolFailure`` if the terminal fails; ``ToolDefect`` if the table refuses a reported
    ///   change.
    func run() throws -> Ending {
        while true {
            try draw()
            let pause =
                table.failure == nil ? watch.timeUntilNextTry ?? StoreFileWatch.pause : Self.pauseAfterFailure
            let timeout = decoder.isWaiting ? Self.escapeTimeout : pause
            switch try input.wait(timeout, watch) {
            case .bytes(let bytes): try decoder.keys(bytes).forEach(press)
            case .signals(let numbers): try receive(numbers)
            case .end: return .quit
            case .news: break
            case .timeout: try decoder.finish().forEach(press)
            }
            if let ending { return ending }
            if isSearchDue, !input.hasBytes {
                // A search of many rows takes a while, and the typed text appears before.
                try draw()
                searchForText(untilKey: true)
            }
            followChanges()
            fileFailure = files.failure
            if let defect = table.defect { throw ToolDefect(defect.message) }
        }
    }

    /// Ends the list after the current iteration of ``run()``.
    func end(_ ending: Ending) { self.ending = ending }

    /// Sets the search text. The search runs after all pending keys are processed.
    func search(for text: String) {
        search?.search(for: text)
        isSearchDue = true
    }

    private func receive(_ numbers: [Int32]) throws(ToolFailure) {
        let harmless = [SignalPipe.resizing, SignalPipe.stopping, SignalPipe.continuing]
        if let number = numbers.first(where: { !harmless.contains($0) }) { return end(.signal(number)) }
        if numbers.contains(SignalPipe.stopping) {
            try terminal.suspend()
        } else if numbers.contains(SignalPipe.continuing) {
            try terminal.resume()
        } else {
            try terminal.resize()
        }
        fitTable()
    }

    /// Fits the table to the size of the terminal.
    func fitTable() {
        layout = Self.layout(of: table.columns)
        resizeTable()
    }

    private func resizeTable() {
        table.viewport.resize(height: terminal.height - Self.statusHeight - titleHeight)
    }

    private func followChanges() {
        let batches = table.numberOfBatches
        let start = ContinuousClock.now
        do throws(ObjectStorageError) {
            if let changes = try watch.mergeNews() {
                table.refreshCells(after: changes)
            } else if table.failure != nil {
                // Without an external change, the controller would not retry before the next event.
                try table.controller.performFetch(reportsChange: true)
            }
            note(nil)
        } catch {
            note(error)
        }
        guard table.numberOfBatches != batches else { return }
        lastMergeDuration = .now - start
        search?.listDidChange()
    }

    /// Records the result of a merge.
    private func note(_ failure: ObjectStorageError?) {
        watchFailure = failure
        if failure?.code == .storeChanged { end(.storeChanged) }
    }

    /// Completes a search for the text that was typed, before its row is chosen.
    func finishSearch() {
        guard isSearchDue else { return }
        searchForText(untilKey: false)
    }

    private func searchForText(untilKey endsAtKey: Bool) {
        isSearchDue = false
        guard case .searching(let origin) = mode else { return }
        search?.isInterrupted = { [input] in endsAtKey && input.hasBytes }
        defer {
            search?.isInterrupted = { false }
            // An interrupted search begins again after the keys.
            isSearchDue = search?.isStale ?? false
        }
        find { (search, viewport) throws(ObjectStorageError) in try search.match(from: origin, in: viewport) }
    }

    /// Selects the row that a search finds, or shows a message if it finds none.
    func find(_ body: (inout LiveSearch, Viewport) throws(ObjectStorageError) -> RowPath?) {
        guard var search, !search.text.isEmpty else { return }
        do throws(ObjectStorageError) {
            let path = try body(&search, table.viewport)
            message = path == nil && !search.isStale ? "No match." : nil
            if let path { table.viewport.choose(path) }
        } catch {
            message = "The search failed: \(TerminalText.escaped(error.message))"
            search.cancel()
        }
        self.search = search
    }
}
