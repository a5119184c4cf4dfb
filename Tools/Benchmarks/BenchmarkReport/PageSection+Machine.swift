import BenchmarkSupport
import Foundation

extension PageSection {
    /// The machine, the versions and the command lines.
    static func machine(_ results: ResultSet, _ machine: MachineDescription) -> PageSection {
        var section = PageSection("machine", "Machine and versions")
        section.add(
            QuantityTable(
                caption: "Machine and versions", columns: ["", ""],
                rows: machine.entries.map { .cells(title: $0.name, [.words($0.value)]) }
                    + machine.missing.map {
                        .cells(title: $0, [.missing(name: "\($0) in \(MachineDescription.file)")])
                    }))
        section.addHeading("Runs")
        section.addParagraph(
            "The load is the number of processes that use or wait for a processor, averaged over a minute.")
        section.add(
            QuantityTable(
                caption: "Runs", columns: ["program", "load before", "load after", "arguments"],
                rows: ResultSet.Source.allCases.compactMap { source in
                    guard let document = results.documents[source] else { return nil }
                    let loads = [document.load?.before, document.load?.after].map { load in
                        QuantityTable.Cell.number(load.map { String(format: "%.1f", $0) } ?? "–")
                    }
                    return .cells(
                        title: document.program,
                        loads + [.words(withoutPaths(document.arguments).joined(separator: " "))])
                }))
        return section
    }

    /// Returns arguments without the files that the run wrote.
    private static func withoutPaths(_ arguments: [String]) -> [String] {
        var kept: [String] = []
        var isFile = false
        for argument in arguments {
            if !isFile, !["--json", "--ratios"].contains(argument) { kept.append(argument) }
            isFile = ["--json", "--ratios"].contains(argument)
        }
        return kept
    }
}
