import Foundation

/// One way to one answer over one store.
struct Variant: Hashable {
    /// What is done, in a few words.
    let name: String
    /// The question, so that answers can be compared; empty where there is none to compare.
    let question: String
    let rows: Int
    let sections: Int
    let program: String
    let arguments: [String]
    /// A cache directory to empty before each sample.
    var freshCaches: String?
    /// Whether a sample takes so long that fewer are taken.
    var isSlow = false

    /// The variant among others: its name and the store's size.
    var key: String { "\(name) \(rows) \(sections)" }
}

/// The variants, and how they are prepared and run.
struct Plan {
    let folder: WorkFolder
    let sizes: [Int]
    private let sampleProgram: String
    private let floorProgram: String

    init(folder: WorkFolder, sizes: [Int]) throws {
        self.folder = folder
        self.sizes = sizes
        sampleProgram = try WorkFolder.program("cold-start-sample")
        floorProgram = try WorkFolder.program("cold-start-floor")
    }

    /// The stores: each size with 27 sections, the largest with 1,000 as well.
    private var stores: [(rows: Int, sections: Int)] {
        sizes.map { ($0, 27) } + [(sizes[sizes.count - 1], 1_000)]
    }

    private func store(_ rows: Int, _ sections: Int) -> String {
        folder.path("songs-\(rows)-\(sections).sqlite")
    }
    private func caches(_ rows: Int, _ sections: Int, _ question: String) -> String {
        folder.path("caches-\(rows)-\(sections)-\(question)")
    }

    /// Makes the stores that are not there, and fills the caches.
    func prepare() throws {
        for (rows, sections) in stores {
            if !folder.exists("songs-\(rows)-\(sections).sqlite") {
                Self.note("Making a store of \(rows) songs in \(sections) sections …")
                // Made under another name, so that a run that is broken off leaves no half store.
                try folder.remove("making.sqlite")
                _ = try SampleRunner.output(
                    of: sampleProgram,
                    ["prepare", folder.path("making.sqlite"), String(rows), String(sections)])
                for ending in ["-wal", "-shm"] { try folder.remove("making.sqlite\(ending)") }
                try FileManager.default.moveItem(
                    atPath: folder.path("making.sqlite"), toPath: store(rows, sections))
            }
            for question in Self.questions(rows: rows, sections: sections) {
                try folder.remove("caches-\(rows)-\(sections)-\(question)")
                _ = try SampleRunner.run(
                    sampleProgram,
                    ["controller", question, store(rows, sections), caches(rows, sections, question), "miss"])
            }
        }
    }

    /// The questions that a store is asked. A localized order of more than 100,000 songs takes minutes without a cache.
    private static func questions(rows: Int, sections: Int) -> [String] {
        guard sections == 27 else { return ["plain"] }
        return rows <= 100_000
            ? ["plain", "filtered", "related", "localized"] : ["plain", "filtered", "related"]
    }

    /// All variants over all stores.
    var variants: [Variant] {
        stores.flatMap { rows, sections in
            floors(rows, sections) + alternatives(rows, sections)
                + Self.questions(rows: rows, sections: sections).flatMap { controllers($0, rows, sections) }
        }
    }

    private func floors(_ rows: Int, _ sections: Int) -> [Variant] {
        let store = store(rows, sections)
        return [
            Variant(
                name: "C: open the store", question: "", rows: rows, sections: sections,
                program: floorProgram,
                arguments: ["open", store]),
            Variant(
                name: "C: both stores, 20 rows", question: "", rows: rows, sections: sections,
                program: floorProgram,
                arguments: ["hit", store, caches(rows, sections, "plain")]),
            Variant(
                name: "C: ordered scan", question: "", rows: rows, sections: sections, program: floorProgram,
                arguments: [
                    "scan", store, "SELECT objectID, section FROM Song ORDER BY section, title, objectID",
                ]),
        ]
    }

    private func alternatives(_ rows: Int, _ sections: Int) -> [Variant] {
        let names = [
            ("twentyRows", "GRDB: 20 rows by key", "", false),
            ("groupBy", "SQL: GROUP BY, first page", "plain", false),
            ("sorter", "SQL: sorter, all keys", "plain", true),
            ("filteredSorter", "SQL: filter, sorter", "filtered", true),
            ("records", "GRDB: records, group in Swift", "plain", true),
        ]
        return names.map { argument, name, question, isSlow in
            Variant(
                name: name, question: question, rows: rows, sections: sections, program: sampleProgram,
                arguments: ["alternative", argument, store(rows, sections)], isSlow: isSlow && rows > 100_000)
        }
    }

    private func controllers(_ question: String, _ rows: Int, _ sections: Int) -> [Variant] {
        let word = question == "plain" ? "" : ", \(question)"
        let fresh = folder.path("fresh-caches")
        func variant(_ name: String, _ caches: String, _ expectation: String, isSlow: Bool) -> Variant {
            Variant(
                name: "\(name)\(word)", question: question, rows: rows, sections: sections,
                program: sampleProgram,
                arguments: ["controller", question, store(rows, sections), caches, expectation],
                freshCaches: expectation == "miss" ? fresh : nil, isSlow: isSlow)
        }
        let isSlow = rows > 100_000 || question == "localized"
        var variants = [
            variant("hit", caches(rows, sections, question), "hit", isSlow: false),
            variant("miss", fresh, "miss", isSlow: isSlow),
        ]
        if question != "plain" { variants.append(variant("no cache", fresh, "none", isSlow: isSlow)) }
        return variants
    }

    static func note(_ text: String) { FileHandle.standardError.write(Data("\(text)\n".utf8)) }
}
