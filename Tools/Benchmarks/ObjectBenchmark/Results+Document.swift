import BenchmarkSupport

extension Results {
    /// Returns the results as a document for other programs.
    func document(rows: Int, fetched: Int, load: MachineLoad) -> BenchmarkDocument {
        let (all, few) = (["rows": rows], ["rows": fetched])
        let rates = [
            MeasuredQuantity(
                "objects.inserted.contexts", "objects, saved 10,000 at a time", insertedByContexts,
                unit: "rows/s", under: all),
            MeasuredQuantity(
                "objects.inserted.loop", "C loop over a prepared statement", insertedByLoop, unit: "rows/s",
                under: all),
        ]
        let times = [
            MeasuredQuantity("objects.fetched.objects", "objects fetched", objects, under: few),
            MeasuredQuantity("objects.fetched.records", "GRDB, decoded into structures", records, under: few),
            MeasuredQuantity("objects.pictures.inside", "pictures in the rows", picturesInside),
            MeasuredQuantity("objects.pictures.outside", "pictures outside the rows", picturesOutside),
            MeasuredQuantity("objects.list", "listed in order and iterated over", list, under: all),
        ]
        let memory = [
            MeasuredQuantity("memory.empty", "a process that does nothing", emptyMemory, unit: "MiB"),
            MeasuredQuantity(
                "memory.list", "a list iterated over, 20 rows at a time", listMemory, unit: "MiB", under: all),
            MeasuredQuantity(
                "memory.objects", "all rows as objects, at once", objectsMemory, unit: "MiB", under: few),
            MeasuredQuantity(
                "memory.records", "all rows as GRDB's records, at once", recordsMemory, unit: "MiB",
                under: few),
        ]
        return BenchmarkDocument(
            program: "object-benchmark", load: load, quantities: rates + times + memory, ratios: ratios,
            figures: figures)
    }
}
