import BenchmarkSupport

/// The command that takes a sample of a variant.
struct Commands {
    private let preparation: Preparation
    private var scanSQL: [Variant: String] = [:]

    /// Gets the SQL of misses for the C program.
    init(_ preparation: Preparation, _ plan: Plan) throws {
        self.preparation = preparation
        for variant in plan.variants where variant.way == .scan {
            scanSQL[variant] = try preparation.sql(variant.question, variant.store)
        }
    }

    /// The name of the cache directory in the work folder that must not exist before the sample of a miss.
    private static let freshCaches = "fresh-caches"

    /// Takes a sample in a separate process.
    func sample(_ variant: Variant) throws -> Sample {
        let folder = preparation.folder
        if variant.way == .miss { try folder.remove(Self.freshCaches) }
        let (program, arguments) = command(variant)
        let sample = try Sample(ChildProcess.run(program, arguments))
        if variant.way == .miss { try folder.remove(Self.freshCaches) }
        return sample
    }

    private func command(_ variant: Variant) -> (program: String, arguments: [String]) {
        let sample = preparation.programs.sample
        let floor = preparation.programs.floor
        let store = preparation.storePath(variant.store)
        let caches = preparation.cachesPath(variant.store, variant.question)
        let question = variant.question.rawValue
        switch variant.way {
        case .open: return (floor, ["open", store])
        case .floor: return (floor, ["hit", store, caches])
        case .scan: return (floor, ["scan", store, scanSQL[variant] ?? ""])
        case .hit: return (sample, ["controller", question, store, caches, "hit"])
        case .miss:
            return (
                sample,
                ["controller", question, store, preparation.folder.path(Self.freshCaches), "miss"]
            )
        case .uncached: return (sample, ["controller", question, store, caches, "none"])
        case .twentyRows, .groupBy: return (sample, ["alternative", variant.way.rawValue, store])
        case .sorter:
            let name = variant.question == .plain ? "sorter" : "\(question)Sorter"
            return (sample, ["alternative", name, store])
        case .records:
            let name = variant.question == .localized ? "localizedRecords" : "records"
            return (sample, ["alternative", name, store])
        }
    }
}
