import Mutants

/// One kind of fault, brought about as often as is asked for. No trial may end with a wrong answer, a crash,
/// or a wait.
///
/// A program decides what is right without the code that it tries: from what it wrote itself, from plain
/// Swift, or from the `sqlite3` shell.
protocol FaultProgram: SendableMetatype {
    /// The name by which it is run.
    static var name: String { get }
    /// The rows of the article “Faults” that it answers for.
    static var rows: [String] { get }
    /// What it does, in a line.
    static var summary: String { get }
    /// How many trials are made for a release; the tests make a hundredth.
    static var releaseCount: Int { get }
    /// The mutants that it has to find, at least one.
    static var mutants: [Mutant] { get }
    /// How many trials it needs to find each of them.
    static var huntCount: Int { get }

    /// Makes all trials of a run.
    ///
    /// - Throws: ``FaultFinding`` for the first trial that did not end as it must.
    static func run(_ run: inout FaultRun) throws

    /// What a process does that a trial starts and that may be killed: see
    /// ``FaultRun/child(_:environment:timeLimit:)``.
    static func runChild(_ arguments: [String]) throws
}

extension FaultProgram {
    static var huntCount: Int { max(1, releaseCount / 100) }

    static func runChild(_ arguments: [String]) throws {
        throw FaultFinding("\(name) starts no processes")
    }
}

/// A trial that did not end as it must.
struct FaultFinding: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}

/// Why a program cannot be run on this machine: said aloud, and no failure.
struct FaultSkipped: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
