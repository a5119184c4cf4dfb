import Foundation
import SectionCaching
import Mutants

/// Two processes with the same number, because they are in different PID namespaces.
enum ProcessNumberFaults: FaultProgram {
    static let name = "process-numbers"
    static let rows = ["A-17"]
    static let summary =
        "uses one cache from two processes that both have the number 1, in separate namespaces"
    static let releaseCount = 100
    static let mutants: [Mutant] = [.noGuard]
    static let huntCount = 2

    private static let container = [
        "unshare", "--user", "--map-root-user", "--pid", "--fork", "--kill-child",
    ]

    static func run(_ run: inout FaultRun) throws {
        try Namespaces.require(container)
        for trial in 0..<run.count {
            let location = CacheLocation(run.folder.path + "/\(trial)", number: trial)
            try location.fill(location.store())
            // In every second trial each container mounts the directory separately.
            let launchers = try (0..<2).map {
                trial % 2 == 0 ? container : try ownMount($0, of: location, run)
            }
            let first = try run.start(["hold"] + location.arguments, launcher: launchers[0])
            try first.wait(forLine: "hit 1")
            try location.expectInChild(.off(.guarded), run, launcher: launchers[1])
            // Another process number does not collide.
            try location.expectInChild(.hit, run)
            first.send(SIGKILL)
            _ = try first.wait(upTo: 30)
            try Namespaces.wait { try location.expectInChild(.hit, run, launcher: launchers[1]) }
            run.note(.off)
        }
    }

    /// Returns a command that mounts the directory at another path and starts the process, which uses that
    /// path.
    private static func ownMount(_ number: Int, of location: CacheLocation, _ run: FaultRun) throws
        -> [String]
    {
        let target = location.path + "-mounted-\(number)"
        try FileManager.default.createDirectory(atPath: target, withIntermediateDirectories: true)
        let script = """
            mount --bind "$1" "$2"; shift 2
            exe="$1" program="$3" mode="$4" number="$6"
            exec "$exe" child "$program" "$mode" "\(target)" "$number"
            """
        return container + ["--mount", "sh", "-euc", script, "sh", location.path, target]
    }

    static func runChild(_ arguments: [String]) throws {
        let location = try CacheLocation(arguments.dropFirst())
        guard arguments.first == "hold" else { return try location.runLook() }
        let store = location.store()
        try location.expectHit(store)
        say("hit \(getpid())")
        withExtendedLifetime(store) { waitToBeKilled() }
    }
}
