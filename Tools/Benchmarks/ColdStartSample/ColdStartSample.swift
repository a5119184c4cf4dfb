import Foundation

/// Takes one sample of the cold-start benchmark, in a separate process.
///
/// It does not use an argument parser, whose time would be measured as well.
///
///     cold-start-sample prepare STORE ROWS SECTIONS
///     cold-start-sample rows CSV BINARY ROWS
///     cold-start-sample plain SOURCE DATABASE TABLE
///     cold-start-sample sql QUESTION STORE
///     cold-start-sample controller QUESTION STORE CACHES hit|miss|none|fill
///     cold-start-sample alternative NAME STORE
@main
enum ColdStartSample {
    static func main() {
        let arguments = Array(CommandLine.arguments.dropFirst())
        do {
            switch (arguments.first, arguments.count) {
            case ("prepare", 4):
                try Preparation.makeStore(
                    arguments[1], rows: number(arguments[2]), sections: number(arguments[3]))
            case ("rows", 4):
                try Preparation.writeRows(
                    csv: arguments[1], binary: arguments[2], rows: number(arguments[3]))
            case ("plain", 4):
                try Preparation.makePlainDatabase(
                    arguments[2], likeTable: arguments[3], of: arguments[1])
            case ("sql", 3):
                try print(question(arguments[1]).sql(store: arguments[2]))
            case ("controller", 5):
                guard let expectation = Expectation(rawValue: arguments[4]) else {
                    throw SampleError("unknown expectation “\(arguments[4])”")
                }
                try ControllerSample(
                    question: question(arguments[1]), store: arguments[2], caches: arguments[3],
                    expectation: expectation
                ).run()
            case ("alternative", 3):
                guard let alternative = Alternative(rawValue: arguments[1]) else {
                    throw SampleError("unknown alternative “\(arguments[1])”")
                }
                try alternative.run(store: arguments[2])
            default:
                throw SampleError("run cold-start-benchmark, which starts this program")
            }
        } catch {
            FileHandle.standardError.write(Data("cold-start-sample: \(error)\n".utf8))
            exit(1)
        }
    }

    private static func number(_ text: String) throws -> Int {
        guard let number = Int(text) else { throw SampleError("“\(text)” is not a number") }
        return number
    }

    private static func question(_ name: String) throws -> Question {
        guard let question = Question(rawValue: name) else {
            throw SampleError("unknown question “\(name)”")
        }
        return question
    }
}

/// The error of a sample that failed.
struct SampleError: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}
