import BenchmarkSupport
import Foundation

/// The results as JSON, with every sample.
enum JSONReport {
    private struct Document: Encodable {
        let load: MachineLoad?
        let measurements: [Row]
        let figures: [Figure]
        let importing: Import?

        enum CodingKeys: String, CodingKey {
            case load, measurements, figures
            case importing = "import"
        }
    }

    private struct Row: Encodable {
        let way: String
        let title: String
        let question: String
        let rows: Int
        let sections: Int
        let inProcessMilliseconds: Spread
        let answeredMilliseconds: Spread
        let processMilliseconds: Spread
        let processorMilliseconds: Spread
        let peakKiB: Spread
        let stepMilliseconds: [String: Double]
        let inProcessSamples: [Double]
        let processSamples: [Double]
    }

    private struct Import: Encodable {
        let rows: Int
        let toolRowsPerSecond: Spread
        let loopRowsPerSecond: Spread
    }

    static func data(_ results: Results, _ figures: [Figure]) throws -> Data {
        let document = Document(
            load: results.load, measurements: results.measurements.map(row), figures: figures,
            importing: results.imports.map {
                Import(rows: $0.rows, toolRowsPerSecond: $0.tool, loopRowsPerSecond: $0.loop)
            })
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return try encoder.encode(document)
    }

    private static func row(_ measurement: Measurement) -> Row {
        let variant = measurement.variant
        return Row(
            way: variant.way.rawValue, title: variant.title, question: variant.question.rawValue,
            rows: variant.store.rows, sections: variant.store.sections,
            inProcessMilliseconds: measurement.inside, answeredMilliseconds: measurement.answered,
            processMilliseconds: measurement.whole, processorMilliseconds: measurement.processor,
            peakKiB: measurement.peakKiB,
            stepMilliseconds: Dictionary(
                uniqueKeysWithValues: measurement.steps.map { ($0.name, $0.milliseconds) }),
            inProcessSamples: measurement.samples.map(\.inside),
            processSamples: measurement.samples.map(\.whole))
    }
}
