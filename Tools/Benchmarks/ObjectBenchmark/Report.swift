import BenchmarkSupport

/// The results as text for a terminal.
struct Report {
    let results: Results
    let rows: Int
    let fetched: Int
    let load: MachineLoad

    var text: String {
        var lines = [
            "Each sample is a fresh process. Medians, in parentheses minimum … 95th percentile.", "",
        ]
        if let warning = load.warning { lines.append(warning) }
        lines += [
            "\(rows.grouped) rows inserted, rows/s",
            "  objects, saved 10,000 at a time       \(results.insertedByContexts)",
            "  C loop over a prepared statement      \(results.insertedByLoop)",
            "\(fetched.grouped) rows fetched and three properties read, ms",
            "  objects                               \(results.objects)",
            "  GRDB, decoded into structures         \(results.records)",
            "  peak MiB of each                    \(results.objectsMemory); \(results.recordsMemory)",
            "300 objects with pictures of 64 KiB fetched and their names read, ms",
            "  pictures in the rows                  \(results.picturesInside)",
            "  pictures outside the rows             \(results.picturesOutside)",
            "\(rows.grouped) rows listed in order and iterated over, 20 at a time",
            "  ms                                    \(results.list)",
            "  peak MiB                              \(results.listMemory)",
            "  peak MiB of an empty process          \(results.emptyMemory)", "", "Figures:",
        ]
        return (lines + results.figures.map(\.line)).joined(separator: "\n")
    }
}
