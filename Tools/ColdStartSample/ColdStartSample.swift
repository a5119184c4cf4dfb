import Foundation

/// One sample of the cold-start benchmark, in a process of its own. It has no parser of arguments, because that would be
/// part of what is measured.
///
///     cold-start-sample prepare STORE ROWS SECTIONS
///     cold-start-sample rows CSV BINARY ROWS
///     cold-start-sample plain DATABASE SQL
///     cold-start-sample controller QUESTION STORE CACHES hit|miss|none
///     cold-start-sample alternative NAME STORE
@main
enum ColdStartSample {
    static func main() {
        let arguments = CommandLine.arguments.dropFirst().map { $0 }
        do {
            switch (arguments.first, arguments.count) {
            case ("prepare", 4):
                try Preparation.makeStore(
                    arguments[1], rows: Int(arguments[2]) ?? 0, sections: Int(arguments[3]) ?? 27)
            case ("rows", 4):
                try Preparation.writeRows(
                    csv: arguments[1], binary: arguments[2], rows: Int(arguments[3]) ?? 0)
            case ("plain", 3):
                try Preparation.makePlainDatabase(arguments[1], sql: arguments[2])
            case ("controller", 5):
                guard let question = Question(rawValue: arguments[1]),
                    let expectation = Expectation(rawValue: arguments[4])
                else { throw SampleError("unknown question or expectation") }
                try controllerSample(
                    question, store: arguments[2], caches: arguments[3], expecting: expectation)
            case ("alternative", 3):
                guard let alternative = Alternative(rawValue: arguments[1]) else {
                    throw SampleError("unknown alternative")
                }
                try alternative.run(store: arguments[2])
            default:
                throw SampleError("started by cold-start-benchmark; see there")
            }
        } catch {
            FileHandle.standardError.write(Data("cold-start-sample: \(error)\n".utf8))
            exit(1)
        }
    }
}
