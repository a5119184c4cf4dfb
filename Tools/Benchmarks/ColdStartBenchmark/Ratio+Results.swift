import BenchmarkSupport

extension Ratio {
    /// Returns the ratios that `Tools/benchmark` compares, for the largest store with the fewest sections.
    static func all(of results: Results) -> [Ratio] {
        let store = results.mainStore
        func inside(_ way: Way, _ question: Question = .plain) -> Double? {
            results.find(way, question, over: store)?.inside.median
        }
        func whole(_ way: WholeImport) -> Double? { results.wholeImports[way]?.median }
        let hit = inside(.hit)
        return [
            Ratio("start.hit-to-floor", hit, by: inside(.floor)),
            // The processor time of the whole process, because the elapsed time includes waiting for a
            // processor.
            Ratio(
                "start.hit-to-twenty-rows", results.find(.hit, over: store)?.processor.median,
                by: results.find(.twentyRows, over: store)?.processor.median),
            Ratio("start.miss-to-scan", inside(.miss), by: inside(.scan)),
            Ratio("start.miss-to-hit", inside(.miss), by: hit),
            Ratio("start.group-by-to-hit", inside(.groupBy), by: hit),
            Ratio("start.sorter-to-hit", inside(.sorter), by: hit),
            Ratio("start.records-to-hit", inside(.records), by: hit),
            Ratio("start.localized-miss-to-hit", inside(.miss, .localized), by: inside(.hit, .localized)),
            Ratio(
                "start.localized-records-to-hit", inside(.records, .localized), by: inside(.hit, .localized)),
            Ratio("import.rows-to-loop", results.imports?.tool.median, by: results.imports?.loop.median),
            Ratio("import.tool-to-shell", whole(.tool), by: whole(.shell)),
            Ratio("import.tool-to-python", whole(.tool), by: whole(.python)),
            Ratio("import.again-to-tool", whole(.again), by: whole(.tool)),
            Ratio("import.related-to-tool", whole(.related), by: whole(.tool)),
        ]
    }
}
