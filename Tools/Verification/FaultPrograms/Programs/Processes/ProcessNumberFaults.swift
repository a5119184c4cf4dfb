import Foundation
import SectionCaching
import Mutants

/// Two processes that have the same number, because they are in containers of their own.
enum ProcessNumberFaults: FaultProgram {
    static let name = "process-numbers"
    static let rows = ["A-17"]
    static let summary =
        "uses one cache from two processes that both have the number 1, in namespaces of their own"
    static let releaseCount = 100
    static let mutants: [Mutant] = [.noGuard]
    static let huntCount = 2

    private static let container = [
        "unshare", "--user", "--map-root-user", "--pid", "--fork", "--kill-child",
    ]

    static func run(_ run: inout FaultRun) throws {
        try Namespaces.require(container)
        for trial in 0..<run.count {
            let place = CacheLocation(run.folder.path + "/\(trial)", number: trial)
            try place.fill(place.store())
            // Every other time each container is given the directory alone.
            let launchers = try (0..<2).map { trial % 2 == 0 ? container : try ownMount($0, of: place, run) }
            let first = try run.start(["hold"] + place.arguments, launcher: launchers[0])
            try first.wait(forLine: "hit 1")
            try place.expectInChild(.off(.guarded), run, launcher: launchers[1])
            // Another number is no collision.
            try place.expectInChild(.hit, run)
            first.send(SIGKILL)
            _ = try first.wait(upTo: 30)
            try Namespaces.wait { try place.expectInChild(.hit, run, launcher: launchers[1]) }
            run.note(.off)
        }
    }

    /// What mounts the directory somewhere else before it starts the process, which gets to it by a link.
    private static func ownMount(_ number: Int, of place: CacheLocation, _ run: FaultRun) throws -> [String] {
        let target = place.path + "-mounted-\(number)"
        try FileManager.default.createDirectory(atPath: target, withIntermediateDirectories: true)
        let script = """
            mount --bind "$1" "$2"; shift 2
            exe="$1" program="$3" mode="$4" number="$6"
            exec "$exe" child "$program" "$mode" "\(target)" "$number"
            """
        return container + ["--mount", "sh", "-euc", script, "sh", place.path, target]
    }

    static func runChild(_ arguments: [String]) throws {
        let place = try CacheLocation(arguments.dropFirst())
        guard arguments.first == "hold" else { return try place.runLook() }
        let store = place.store()
        try place.expectHit(store)
        say("hit \(getpid())")
        withExtendedLifetime(store) { waitToBeKilled() }
    }
}
