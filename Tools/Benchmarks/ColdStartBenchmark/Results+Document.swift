import BenchmarkSupport

extension Results {
    /// Returns the results as a document for other programs.
    func document(_ figures: [Figure]) -> BenchmarkDocument {
        BenchmarkDocument(
            program: "cold-start-benchmark", load: load,
            quantities: measurements.flatMap(\.quantities) + imported,
            ratios: Ratio.all(of: self) + toHit, figures: figures)
    }

    /// The quotients of each way and the hit, for the stores of all sizes.
    private var toHit: [Ratio] {
        measurements.filter { $0.variant.question == .plain }.map { measurement in
            let (way, store) = (measurement.variant.way, measurement.variant.store)
            return Ratio(
                "start.plain.\(way.rawValue).to-hit", measurement.inside.median,
                by: find(.hit, over: store)?.inside.median, under: store.conditions)
        }
    }

    /// The times of whole imports, and the rates of rows.
    private var imported: [MeasuredQuantity] {
        let conditions = ["rows": imports?.rows ?? 0]
        let rates = imports.map { imports in
            [
                MeasuredQuantity(
                    "import.rate.tool", "library-import, types given", imports.tool, unit: "rows/s",
                    under: conditions),
                MeasuredQuantity(
                    "import.rate.loop", "C loop over parsed rows", imports.loop, unit: "rows/s",
                    under: conditions),
            ]
        }
        let times = WholeImport.allCases.compactMap { way in
            wholeImports[way].map {
                MeasuredQuantity("import.\(way.rawValue)", way.title, $0, under: conditions)
            }
        }
        return times + (rates ?? [])
    }
}

extension Store {
    /// The numbers that name the store in a document.
    fileprivate var conditions: [String: Int] { ["rows": rows, "sections": sections] }
}

extension Measurement {
    /// The quantities of the variant.
    fileprivate var quantities: [MeasuredQuantity] {
        let name = "start.\(variant.question.rawValue).\(variant.way.rawValue)"
        let spreads = [
            ("inside", inside, "ms"), ("answered", answered, "ms"), ("process", whole, "ms"),
            ("processor", processor, "ms"), ("memory", Spread(samples.map { $0.peakKiB / 1_024 }), "MiB"),
        ]
        let steps = (samples.first?.steps.keys.sorted() ?? []).map { step in
            MeasuredQuantity(
                "\(name).step.\(step.replacing(" ", with: "-"))", step,
                Spread(samples.compactMap { $0.steps[step] }), under: variant.store.conditions)
        }
        return spreads.map { part, spread, unit in
            MeasuredQuantity(
                "\(name).\(part)", variant.title, spread, unit: unit, under: variant.store.conditions)
        } + steps
    }
}
