import SectionedFetch
import TerminalTable
import ToolSupport

/// `library-browser --live`: a list on the whole screen that follows the store while other programs write to
/// it.
final class LiveBrowser {
    /// What keys mean just now.
    enum Mode: Hashable {
        case list
        case help
        /// The next key is an index title.
        case jumping
        /// Keys are the text to search; the row that was chosen before comes back when the search is given
        /// up.
        case searching(from: Int)
    }

    /// How a live list ends.
    enum Ending {
        case quit
        case signal(Int32)
    }

    /// An escape sequence arrives as a whole, or nearly.
    private static let escapeTimeout = Duration.milliseconds(50)
    /// How long the controller waits, after it could not follow a change, for the next try.
    private static let pauseAfterFailure = Duration.seconds(1)

    let table: LiveTable
    let terminal: LiveTerminal
    let list: ListRequest
    var mode = Mode.list
    var search: LiveSearch?
    /// What the last line says until the next key.
    var message: String?
    /// The widths of columns, which only grow.
    var layout: TextTable
    /// How long the last merge with changes took, the table's part included.
    var lastMergeDuration: Duration?
    /// Why the store could not be looked at.
    var watchFailure: ObjectStorageError?
    private let input: LiveInput
    private let watch: ChangeWatch
    private var decoder = KeyDecoder()
    private var ending: Ending?
    /// Whether the text was changed since it was last searched.
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
        search = LiveSearch(table.controller, columns: table.columns)
        layout = Self.layout(of: table.columns)
        resizeTable()
    }

    /// Shows the list until it is told to end.
    ///
    /// - Throws: ``ToolFailure`` if the terminal fails; ``ToolDefect`` if the table refuses what it is told
    ///   of a change.
    func run() throws -> Ending {
        while true {
            try draw()
            let pause = table.failure == nil ? watch.timeUntilNextTry : Self.pauseAfterFailure
            let timeout = decoder.isWaiting ? Self.escapeTimeout : pause
            switch try input.wait(timeout, watch) {
            case .bytes(let bytes): decoder.keys(bytes).forEach(press)
            case .signals(let numbers): try receive(numbers)
            case .end: return .quit
            case .news: break
            case .timeout: decoder.finish().forEach(press)
            }
            if let ending { return ending }
            if isSearchDue { searchForText() }
            followChanges()
            if let defect = table.defect { throw ToolDefect(defect.message) }
        }
    }

    /// Ends the list after this round.
    func end(_ ending: Ending) { self.ending = ending }

    /// Takes another text to search, once all keys that were typed are taken.
    func search(for text: String) {
        search?.search(for: text)
        isSearchDue = true
    }

    private func receive(_ numbers: [Int32]) throws(ToolFailure) {
        if let number = numbers.first(where: { $0 != SignalPipe.resizing }) { return end(.signal(number)) }
        try terminal.resize()
        layout = Self.layout(of: table.columns)
        resizeTable()
    }

    private func resizeTable() {
        table.viewport.resize(height: terminal.height - Self.statusHeight)
    }

    private func followChanges() {
        let batches = table.numberOfBatches
        let start = ContinuousClock.now
        do throws(ObjectStorageError) {
            if let changes = try watch.mergeNews() {
                table.refreshCells(after: changes)
            } else if table.failure != nil {
                // Nothing new happened, and the controller waits for an event.
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

    /// Takes note of how looking at the store went. Of a file that was replaced the old one is shown to the
    /// end.
    private func note(_ failure: ObjectStorageError?) {
        if watchFailure?.code != .storeReplaced { watchFailure = failure }
    }

    private func searchForText() {
        isSearchDue = false
        guard case .searching(let origin) = mode else { return }
        find { (search, viewport) throws(ObjectStorageError) in try search.match(from: origin, in: viewport) }
    }

    /// Chooses what a search finds, or says that it finds nothing.
    func find(_ body: (inout LiveSearch, Viewport) throws(ObjectStorageError) -> RowPath?) {
        guard var search, !search.text.isEmpty else { return }
        do throws(ObjectStorageError) {
            let path = try body(&search, table.viewport)
            message = path == nil ? "Nothing is found." : nil
            if let path { table.viewport.choose(path) }
        } catch {
            message = "The search failed: \(TerminalText.escaped(error.message))"
        }
        self.search = search
    }
}
