import Mutants

/// A program that injects one kind of fault in a given number of trials. No trial may end with a wrong
/// answer, a crash or a wait.
///
/// A program determines the right answer without the code under test: from the values that it wrote itself,
/// in plain Swift, or by the `sqlite3` shell.
protocol FaultProgram: SendableMetatype {
    /// The name by which the program is run.
    static var name: String { get }
    /// The rows of the article “Faults” that the program covers.
    static var rows: [String] { get }
    /// The action of the program, in one line.
    static var summary: String { get }
    /// The number of trials for a release; the tests make one in 400 of them.
    static var releaseCount: Int { get }
    /// The mutants that the program must detect, at least one.
    static var mutants: [Mutant] { get }
    /// The number of trials that suffices to detect each of them.
    static var huntCount: Int { get }

    /// Makes all trials of a run.
    ///
    /// - Throws: ``FaultFinding`` for the first trial that fails.
    static func run(_ run: inout FaultRun) throws

    /// Runs in a process that a trial starts with ``FaultRun/child(_:environment:timeLimit:)``, and that may
    /// be killed.
    static func runChild(_ arguments: [String]) throws
}

extension FaultProgram {
    static var huntCount: Int { max(1, releaseCount / 100) }

    static func runChild(_ arguments: [String]) throws {
        throw FaultFinding("\(name) starts no processes")
    }
}

/// The failure of a trial.
struct FaultFinding: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}

/// The reason why a program cannot run on this machine. It is printed, and is not a failure.
struct FaultSkipped: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
