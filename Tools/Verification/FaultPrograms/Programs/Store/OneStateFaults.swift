import Foundation
import GRDB
import SectionedFetch
import Mutants
import CheckSupport

/// The browser lists a store while another program commits without a pause. Each state has a number. The
/// number is in the name of each section and in each row, and determines the number of rows.
enum OneStateFaults: FaultProgram {
    static let name = "one-state"
    static let rows = ["A-42"]
    static let summary = "lists stores with the browser while another program commits without a pause"
    static let releaseCount = 2_000
    static let mutants: [Mutant] = [.pinIgnored]
    static let huntCount = 20

    /// The number of rows in every state. Some states have up to four more.
    private static let commonCount = 120
    private static let trialsPerWriter = 40

    /// The kind of program that writes.
    private enum Writer: String, CaseIterable { case plain, ofLibrary }

    /// A store, and the program that writes to it.
    private struct Scene {
        let store: URL
        let writer: FaultChild
    }

    static func run(_ run: inout FaultRun) throws {
        var scene: Scene?
        for trial in 0..<run.count {
            var generator = run.generator(ofTrial: trial)
            if trial % trialsPerWriter == 0 {
                scene?.writer.send(SIGKILL)
                scene = try begin(run, number: trial / trialsPerWriter)
            }
            guard let scene else { continue }
            run.note(try list(scene.store, in: run.folder, using: &generator))
        }
        scene?.writer.send(SIGKILL)
    }

    private static func begin(_ run: FaultRun, number: Int) throws -> Scene {
        let store = run.folder.appending(path: "\(number).sqlite")
        do {
            let container = try container(store)
            let context = container.newContext()
            for position in 0..<commonCount {
                let song = try context.insert(entityNamed: "Song")
                try song.setValue(.integer(Int64(position)), forProperty: "position")
            }
            try context.save()
        }
        if number % 3 == 2 {
            // With a rollback journal, readers and writers wait for each other.
            try DatabaseQueue(path: store.path).writeWithoutTransaction {
                try $0.execute(sql: "PRAGMA journal_mode = DELETE")
            }
        }
        let kind = Writer.allCases[number % Writer.allCases.count]
        let writer = try run.start([store.path, kind.rawValue])
        try writer.wait(forLine: "begun")
        return Scene(store: store, writer: writer)
    }

    private static func container(_ store: URL) throws -> PersistentContainer {
        let model = try ManagedObjectModel(entities: [
            EntityDescription(
                name: "Song",
                attributes: [
                    AttributeDescription(name: "part", type: .string, isOptional: true),
                    AttributeDescription(name: "mark", type: .string, isOptional: true),
                    AttributeDescription(name: "position", type: .integer64),
                ])
        ])
        return try PersistentContainer(url: store, model: model, options: StoreOptions(busyTimeout: 30))
    }

    // MARK: The listing

    private static func list(
        _ store: URL, in folder: URL, using generator: inout SeededGenerator
    ) throws -> FaultOutcome {
        var arguments = [store.path, "--group-by", "part", "--columns", "mark"]
        let isCached = Bool.random(using: &generator)
        if isCached {
            arguments += ["--cache", "songs", "--cache-directory", folder.appending(path: "caches").path]
        }
        let isJSON = Bool.random(using: &generator)
        if isJSON { arguments.append("--json") }
        // Prints all rows, or the default number.
        let printsAll = Bool.random(using: &generator)
        if printsAll { arguments += ["--rows", "1000"] }
        let tool = try ToolRun("library-browser", arguments, folder: folder)
        guard tool.status == 0 else {
            guard tool.status == 2, tool.errors.contains("lock") else {
                throw FaultFinding(
                    "\(arguments): status \(tool.status.map(String.init) ?? "none"): \(tool.errors)")
            }
            return .refused
        }
        let marks = tool.output.matches(of: /<(\d+)>/).compactMap { Int($0.1) }
        guard let state = marks.first else { throw FaultFinding("\(arguments): the listing has no rows") }
        let others = marks.filter { $0 != state }
        guard others.isEmpty else {
            throw FaultFinding(
                "\(arguments): state \(state) and, \(others.count) times, state \(others[0]) in one listing"
            )
        }
        let count = numberOfRows(ofState: state)
        let printed =
            tool.output.contains("\"numberOfRows\"")
            ? tool.output.firstMatch(of: /"numberOfRows"\s*:\s*(\d+)/)?.1
            : tool.output.firstMatch(of: /: (\d+) rows in/)?.1
        guard printed.flatMap({ Int($0) }) == count else {
            throw FaultFinding(
                "\(arguments): state \(state) has \(count) rows, and the heading has \(printed ?? "nothing")"
            )
        }
        // Each row has the mark, and so has the name of each of the five sections, and in JSON its key.
        guard !printsAll || marks.count == count + (isJSON ? 10 : 5) else {
            throw FaultFinding("\(arguments): \(marks.count) marks for \(count) rows in 5 sections")
        }
        return tool.output.contains("hit") ? .right : isCached ? .missed : .right
    }

    private static func numberOfRows(ofState state: Int) -> Int { commonCount + state % 5 }

    // MARK: The program that writes

    /// Commits one state after another until the process is killed.
    static func runChild(_ arguments: [String]) throws {
        guard arguments.count == 2, let kind = Writer(rawValue: arguments[1]) else {
            throw FaultFinding("\(arguments)")
        }
        let store = URL(filePath: arguments[0])
        var configuration = Configuration()
        configuration.busyMode = .timeout(30)
        let queue = try DatabaseQueue(path: store.path, configuration: configuration)
        let container = try container(store)
        var state = 1
        while true {
            switch kind {
            case .plain: try queue.write { try $0.execute(sql: script(ofState: state)) }
            case .ofLibrary: try save(state, in: container)
            }
            if state == 1 {
                print("begun")
                fflush(nil)
            }
            state += 1
            // With a rollback journal, a reader gets no lock while another program writes without a pause.
            usleep(1_500)
        }
    }

    private static func script(ofState state: Int) -> String {
        """
        DELETE FROM Song WHERE position >= \(commonCount);
        WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < \(state % 5))
        INSERT INTO Song (position) SELECT \(commonCount - 1) + i FROM n WHERE i > 0;
        UPDATE Song SET mark = '<\(state)>', part = ((position + \(state)) % 5) || ' of <\(state)>'
        """
    }

    private static func save(_ state: Int, in container: PersistentContainer) throws {
        let context = container.newContext()
        for object in try context.fetch(FetchRequest<ManagedObject>(entityName: "Song")) {
            guard case .integer(let position) = try object.value(forProperty: "position") else { continue }
            if position >= commonCount {
                context.delete(object)
            } else {
                try mark(object, position, state)
            }
        }
        for number in 0..<state % 5 {
            try mark(context.insert(entityNamed: "Song"), Int64(commonCount + number), state)
        }
        try context.save()
    }

    private static func mark(_ object: ManagedObject, _ position: Int64, _ state: Int) throws {
        try object.setValue(.integer(position), forProperty: "position")
        try object.setValue(.text("<\(state)>"), forProperty: "mark")
        try object.setValue(.text("\((position + Int64(state)) % 5) of <\(state)>"), forProperty: "part")
    }
}
