import SectionedFetch
import ToolSupport

extension Listing {
    /// The number of rows that are read and laid out at a time, so that the first rows appear immediately.
    private static let rowsPerPart = 20
    /// The width beyond which a value is shortened, in columns.
    private static let maximumCellWidth = 48
    /// The indentation of rows below a heading, and of subsections below their section.
    private static let indentation = "    "

    /// Prints the listing as text.
    ///
    /// - Throws: ``ToolFailure``, ``ObjectStorageError``.
    func printText() throws {
        let terminal = Terminal()
        let isHeldBack = try controller.managedObjectContext.isBlockingWriters()
        var screen = Screen(terminal: terminal, beforeOpening: beforeOpening, isHeldBack: isHeldBack)
        let positions = try sectionPositions()
        screen.print(terminal.styled(TerminalText.escaped(heading), .bold))
        if let properties { screen.print(terminal.styled(TerminalText.escaped(properties), .faint)) }
        if let lookup = controller.cacheLookup, let name = controller.cacheName {
            let words = TerminalText.escaped(described(lookup.description, lookup))
            let text = "Cache “\(TerminalText.escaped(name.rawValue))”: \(words)"
            screen.print(lookup.isHit ? terminal.styled(text, .good) : text)
        }
        var table = TextTable(alignments: columns.map(\.alignment), maximumCellWidth: Self.maximumCellWidth)
        var unreadable = UnreadableRows()
        var first = firstRows(of: positions, &unreadable)[...]
        if !first.isEmpty, !columns.isEmpty {
            let depth = request.subgroup == nil ? 1 : 2
            table.measure(Array(first))
            for line in table.lines([columns.map(\.property.path)], maximumWidth: width(terminal, depth)) {
                let indentation = String(repeating: Self.indentation, count: depth)
                screen.print(terminal.styled(indentation + line, .faint))
            }
        }
        for position in positions where !screen.isClosed {
            let section = sections[position]
            if request.sectionKey != nil {
                screen.print("")
                screen.print(sectionHeading(section, terminal))
            }
            guard let subsections = section.subsections else {
                printRows(of: section, &first, in: &table, on: &screen, terminal, &unreadable)
                continue
            }
            for subsection in subsections where !screen.isClosed {
                screen.print(Self.indentation + subsectionHeading(subsection, terminal))
                printRows(of: subsection, &first, depth: 2, in: &table, on: &screen, terminal, &unreadable)
            }
        }
        screen.print("")
        var outcome: SaveOutcome?
        if isHeldBack {
            outcome = try finishSaving()
            try controller.managedObjectContext.setQueryGeneration(from: nil)
            screen.release()
        }
        let times = screen.timesOfFirstScreen
        let parts = [
            "First screen after \(Quantity.duration(times.sinceProcessStart)) since the process began",
            "\(Quantity.duration(times.sinceOpening)) since opening the store",
        ]
        screen.print(terminal.styled(parts.joined(separator: ", ") + ".", .faint))
        screen.flush()
        if !isHeldBack { outcome = try finishSaving() }
        switch outcome {
        case .saved: screen.print(terminal.styled("The sections are saved for the next start.", .faint))
        case .notSaved(let reason):
            screen.print("The sections are not saved: \(TerminalText.escaped(reason)).")
        case nil: break
        }
        try screen.finish()
        try unreadable.check(controller.managedObjectContext.container)
    }

    /// The properties of the entity, if no option of the request names one.
    private var properties: String? {
        guard describesProperties else { return nil }
        let model = controller.managedObjectContext.container.model
        return model.entity(named: request.fetchRequest.entityName).map(EntityReport.summary)
    }

    private var heading: String {
        let rows = Quantity.count(controller.fetchedObjects?.count ?? 0, "row")
        // The description of such a request says that there is one section.
        guard request.sectionKey != nil else { return "\(shownRequest): \(rows)" }
        let sections = Quantity.count(sections.count, "section")
        let subsections = numberOfSubsections.map { " with \(Quantity.count($0, "subsection"))" } ?? ""
        return "\(shownRequest): \(rows) in \(sections)\(subsections)"
    }

    private func sectionHeading(_ section: SectionInfo<ManagedObject>, _ terminal: Terminal) -> String {
        let count = Quantity.count(section.numberOfObjects)
        let name = TerminalText.escaped(shownName(of: section))
        return terminal.styled(name, .bold) + "  " + terminal.styled(count, .faint)
    }

    private func subsectionHeading(_ section: SectionInfo<ManagedObject>, _ terminal: Terminal) -> String {
        let container = controller.managedObjectContext.container
        let name = TerminalText.escaped(request.shownName(ofSubsection: section, in: container))
        return terminal.styled(name, .bold) + "  "
            + terminal.styled(Quantity.count(section.numberOfObjects), .faint)
    }

    /// Returns the cells of the first rows that are printed, about a screen, which determine the widths of
    /// the columns.
    private func firstRows(of positions: [Int], _ unreadable: inout UnreadableRows) -> [[String]] {
        var rows: [[String]] = []
        for position in positions {
            let section = sections[position]
            for part in section.subsections.map(Array.init) ?? [section] {
                let objects = part.objects
                for row in 0..<min(numberOfRows, objects.count) {
                    guard rows.count < Self.rowsPerPart else { return rows }
                    rows.append(columns.map { cell(objects[row], $0, &unreadable) })
                }
            }
        }
        return rows
    }

    private func width(_ terminal: Terminal, _ depth: Int) -> Int {
        terminal.isTerminal ? max(1, terminal.width - Self.indentation.count * depth) : .max
    }

    /// Prints the first rows of a section.
    ///
    /// - Parameters:
    ///   - first: The cells of rows that were read before, from which those of this section are removed.
    ///   - depth: The number of headings above the rows.
    private func printRows(
        of section: SectionInfo<ManagedObject>, _ first: inout ArraySlice<[String]>, depth: Int = 1,
        in table: inout TextTable,
        on screen: inout Screen,
        _ terminal: Terminal, _ unreadable: inout UnreadableRows
    ) {
        let objects = section.objects
        let end = min(numberOfRows, objects.count)
        var start = 0
        let indentation = String(repeating: Self.indentation, count: depth)
        while start < end, !screen.isClosed {
            let part = start..<min(start + Self.rowsPerPart, end)
            let rows = part.map { position in
                first.popFirst() ?? columns.map { cell(objects[position], $0, &unreadable) }
            }
            for line in table.lines(rows, maximumWidth: width(terminal, depth)) {
                screen.print(indentation + line)
            }
            start = part.upperBound
        }
    }

    private func cell(
        _ object: ManagedObject, _ column: Column, _ unreadable: inout UnreadableRows
    ) -> String {
        do throws(ObjectStorageError) {
            return ValueText.text(try column.property.value(for: object), of: column.property)
        } catch {
            unreadable.note(error)
            return "?"
        }
    }
}

/// Standard output that records the time at which its first screen was written.
private struct Screen {
    struct Times {
        let sinceProcessStart: Duration
        let sinceOpening: Duration
    }

    private let beforeOpening: ContinuousClock.Instant
    private let height: Int
    private var output = StandardOutput()
    private var numberOfLines = 0
    private var times: Times?

    /// Creates a screen.
    ///
    /// - Parameter isHeldBack: Whether output is buffered until ``release()``.
    init(terminal: Terminal, beforeOpening: ContinuousClock.Instant, isHeldBack: Bool) {
        self.beforeOpening = beforeOpening
        height = terminal.height
        output.isHeldBack = isHeldBack
    }

    var isClosed: Bool { output.isClosed }

    mutating func print(_ line: String) {
        output.write(line + "\n")
        numberOfLines += 1
        if numberOfLines == height { noteFirstScreen() }
    }

    mutating func flush() { output.flush() }

    /// Writes the buffered output.
    mutating func release() {
        output.isHeldBack = false
        if numberOfLines >= height { noteFirstScreen() }
        flush()
    }

    mutating func finish() throws(ToolFailure) { try output.finish() }

    /// The times of the first screen, which ends with the listing if that is shorter than the terminal.
    var timesOfFirstScreen: Times {
        mutating get {
            if times == nil { noteFirstScreen() }
            return times ?? Times(sinceProcessStart: .zero, sinceOpening: .zero)
        }
    }

    private mutating func noteFirstScreen() {
        guard times == nil, !output.isHeldBack else { return }
        output.flush()
        let now = ContinuousClock.now
        times = Times(sinceProcessStart: ProcessStart.marked.elapsed, sinceOpening: now - beforeOpening)
    }
}
