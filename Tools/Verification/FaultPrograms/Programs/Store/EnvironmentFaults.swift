import Foundation
import SectionedFetch
import Mutants
import CheckSupport

/// Programs with different time zones, locales and libraries that share a cache. Each must get the right
/// answer for its own.
enum EnvironmentFaults: FaultProgram {
    static let name = "environments"
    static let rows = ["A-27"]
    static let summary =
        "starts programs with different time zones, languages, and versions of SQLite and of the collation on the same caches"
    static let releaseCount = 200
    static let mutants: [Mutant] = [.timeZoneLeftOut, .environmentLeftOut]

    private static let timeZones = ["Pacific/Kiritimati", "Pacific/Pago_Pago"]
    private static let languages = ["C", "en_US.UTF-8", "sv_SE.UTF-8", "de_DE.UTF-8"]

    static func run(_ run: inout FaultRun) throws {
        let library: URL?
        do {
            library = try FaultLibrary.make(in: run.folder)
        } catch let skipped as FaultSkipped {
            print("\(name): without other versions of SQLite: \(skipped)")
            library = nil
        }
        let canVaryCollation = try library != nil && hasCollationLibrary()
        if !canVaryCollation {
            print("\(name): without other versions of the collation, which is linked into the program")
        }
        for trial in 0..<run.count {
            var generator = run.generator(ofTrial: trial)
            let store = try SongStore.make(.ours, in: run.folder, using: &generator)
            // Release dates near the ends of years, which belong to different years in different time zones.
            let tables = store.tables
            try store.write(
                "UPDATE \(tables.songs) SET released = \(tables.key) % 20 * 31557600.0 + (\(tables.key) % 7 - 3) * 10800.0"
            )
            try store.closeOther()
            var environment: [String: String?] = ["LC_ALL": nil, "TZ": "UTC", "LANG": "C"]
            func start(mustHit: Bool = false, mustMiss: Bool = false, titlesMustMiss: Bool = false) throws {
                let end = try run.child([store.url.path, store.cacheFolder.path], environment: environment)
                guard end.status == 0 else { throw FaultFinding("with \(environment): \(end.errors)") }
                let lookups = end.output.split(separator: "\n")
                if mustHit, lookups.contains(where: { $0 != "hit" }) {
                    throw FaultFinding("with \(environment), which is the previous environment: \(lookups)")
                }
                if mustMiss, lookups.contains(where: { $0 == "hit" }) {
                    throw FaultFinding("with \(environment), which is a new environment: \(lookups)")
                }
                if titlesMustMiss, lookups.last == "hit" {
                    throw FaultFinding("titles with \(environment), which is a new environment: \(lookups)")
                }
            }
            try start()
            try start(mustHit: true)
            for timeZone in timeZones.shuffled(using: &generator) {
                environment["TZ"] = timeZone
                environment["LANG"] = languages.randomElement(using: &generator)
                try start()
            }
            environment["TZ"] = "UTC"
            environment["LANG"] = "C"
            try start(mustHit: true)
            if let library {
                let version = ["SQLITE_VERSION": "3.99.\(trial)"]
                environment.merge(FaultLibrary.environment(library, version)) { _, new in new }
                try start(mustMiss: true)
                try start(mustHit: true)
            }
            if canVaryCollation {
                environment["FAULT_SQLITE_VERSION"] = .some(nil)
                environment["FAULT_COLLATION_VERSION"] = "\(trial % 255 + 1)"
                try start(titlesMustMiss: true)
                try start(mustHit: true)
            }
            run.note(.right)
        }
    }

    /// Whether the collation comes from a shared library, which a preloaded library can replace.
    private static func hasCollationLibrary() throws -> Bool {
        try String(contentsOf: URL(filePath: "/proc/self/maps"), encoding: .utf8).contains("_FoundationICU")
    }

    /// Fetches with the time zone and the locale of the process, and prints the results of the look-ups.
    static func runChild(_ arguments: [String]) throws {
        guard arguments.count == 2 else { throw FaultFinding("a store and a folder of caches are needed") }
        let store = SongStore(.ours, at: URL(filePath: arguments[0]), caches: URL(filePath: arguments[1]))
        let container = try store.container()
        let caches = store.caches()
        let byYear = FetchRequest<ManagedObject>(
            entityName: "Song", sortDescriptors: [.ascending("released")])
        let byTitle = FetchRequest<ManagedObject>(
            entityName: "Song", sortDescriptors: [.ascending("title", order: .localized(.current))])
        for (request, key) in [(byYear, SectionKey.year(of: "released", in: .current)), (byTitle, nil)] {
            func controller(_ name: CacheName?) throws -> FetchedResultsController<ManagedObject> {
                let controller = try FetchedResultsController(
                    fetchRequest: request, context: container.newContext(), sectionNameKeyPath: key,
                    cacheName: name, cacheStore: caches)
                try controller.performFetch()
                return controller
            }
            let cached = try controller(CacheName("environment"))
            let found = SongStore.sections(of: cached)
            let plain = SongStore.sections(of: try controller(nil))
            guard found == plain else {
                throw FaultFinding(
                    "with a cache \(SongStore.difference(found, plain)) (\(cached.cacheLookup.map { "\($0)" } ?? ""))"
                )
            }
            if key != nil { try check(found, store.oracle()) }
            caches.waitForWrites(upTo: 30)
            print(cached.cacheLookup?.isHit == true ? "hit" : "\(cached.cacheLookup.map { "\($0)" } ?? "")")
        }
    }

    /// Compares years with those of Foundation's calendar.
    private static func check(_ sections: [SongOracle.Section], _ oracle: SongOracle) throws {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .current
        var years: [Int64: String] = [:]
        for row in oracle.rows {
            guard case .real(let seconds) = row.released else { continue }
            years[row.key] =
                "\(calendar.component(.year, from: Date(timeIntervalSinceReferenceDate: seconds)))"
        }
        for section in sections {
            for key in section.keys where years[key] ?? "" != section.name {
                throw FaultFinding("song \(key) of \(years[key] ?? "no year") is in section \(section.name)")
            }
        }
    }
}
