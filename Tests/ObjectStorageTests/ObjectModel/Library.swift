import CheckSupport
import Foundation
import ObjectStorage

/// The classes that the tests use: works, their authors, and shelves without relationships.
final class Author: ManagedObject {
    @Attribute(.unique) var name: String = ""
    @Attribute var born: Int32?
    @Relationship var works: Set<Work>
}

final class Work: ManagedObject {
    @Attribute var title: String = ""
    @Attribute(.indexed) var year: Int32?
    @Attribute var pages: Int16 = 0
    @Attribute var key: Int64 = 0
    @Attribute var rating: Double?
    @Attribute var weight: Float = 0
    @Attribute var isRead: Bool = false
    @Attribute var added: Date?
    @Attribute(.externalStorage) var cover: Data?
    @Attribute var uuid: UUID?
    @Attribute var genre: Genre = .novel
    @Relationship(inverse: \Author.works) var author: Author?
}

enum Genre: String, AttributeValue, CaseIterable {
    case novel, poetry, drama
}

final class Shelf: ManagedObject {
    @Attribute var label: String = ""
}

/// A store of works in a temporary directory.
struct Library {
    let directory = try! TemporaryDirectory()
    let container: PersistentContainer

    init() throws { try self.init(model: Self.model()) }

    init(model: ManagedObjectModel) throws {
        container = try PersistentContainer(url: directory.file("library.sqlite"), model: model)
    }

    static func model() throws -> ManagedObjectModel {
        try ManagedObjectModel(types: Work.self, Author.self, Shelf.self)
    }

    /// Saves a work with this title and this number of pages.
    func insertWork(_ title: String, pages: Int16 = 0, in context: ManagedObjectContext) throws -> Work {
        let work = Work(context: context)
        work.title = title
        work.pages = pages
        try context.save()
        return work
    }

    /// Runs SQL as another program would: with the sqlite3 shell, in a separate process.
    func runElsewhere(_ sql: String) throws {
        try Self.runElsewhere(sql, path: directory.file("library.sqlite").path)
    }

    static func runElsewhere(_ sql: String, path: String) throws { _ = try output(of: sql, path: path) }

    /// Returns the output of the sqlite3 shell.
    static func output(of sql: String, path: String) throws -> String {
        let process = Process()
        let pipe = Pipe()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["sqlite3", "-cmd", ".timeout 10000", path, sql]
        process.standardOutput = pipe
        try process.run()
        let data = try pipe.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw ForeignProgramError(status: process.terminationStatus)
        }
        return String(decoding: data, as: UTF8.self)
    }

    /// Returns the lines of the output of the sqlite3 shell, one for each row.
    static func lines(of sql: String, path: String) throws -> [String] {
        try output(of: sql, path: path).split(separator: "\n").map(String.init)
    }
}

extension Data {
    /// Returns a picture of one colour, small enough for its row or large enough to be kept out of it.
    static func cover(_ generator: inout some RandomNumberGenerator) -> Data {
        Data(
            repeating: UInt8.random(in: 0..<8, using: &generator),
            count: [10, 16_383, 16_384, 20_000].randomElement(using: &generator) ?? 0)
    }
}

extension Library {
    /// Returns whether each value that is kept out of a row belongs to exactly one row, as another program
    /// sees it.
    func keepsCoversOnce() throws -> Bool {
        let rows = try Self.output(
            of: "SELECT cover FROM Work WHERE typeof(cover) = 'integer' ORDER BY cover",
            path: directory.file("library.sqlite").path)
        return try rows
            == Self.output(
                of: "SELECT id FROM sc_data ORDER BY id", path: directory.file("library.sqlite").path)
    }
}

struct ForeignProgramError: Error { let status: Int32 }
