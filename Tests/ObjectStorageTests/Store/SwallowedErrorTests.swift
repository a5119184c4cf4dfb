import Foundation
import ObjectStorage
import Testing

/// Errors that must not be turned into results.
@Suite struct SwallowedErrorTests {
    @Test func `a row's pattern that is too long is an error, in SQL and in memory`() throws {
        let library = try Library()
        let context = library.container.newContext()
        let work = Work(context: context)
        work.title = String(repeating: "a", count: 4_096)
        try context.save()
        let matching = FetchRequest<Work>(predicate: try .init(format: "'b' MATCHES title"))
        #expect(try context.fetch(matching).isEmpty)
        work.title += "a"
        #expect(throws: ObjectStorageError.self) { try matching.predicate?.evaluate(with: work) }
        try context.save()
        let error = #expect(throws: ObjectStorageError.self) { try context.fetch(matching) }
        #expect(error?.code == .matchingTooLong)
        // A short text that is not a regular expression still matches nothing.
        work.title = "("
        try context.save()
        #expect(try context.fetch(matching).isEmpty)
    }

    @Test(arguments: [
        ("9223372036854775807", StoredValue.integer(.max)), ("-9223372036854775808", .integer(.min)),
        ("1.5", .real(1.5)), (#"{"real": 1e300}"#, .real(1e300)), ("3", .integer(3)),
    ])
    func `a plain number is read as it is written`(text: String, value: StoredValue) throws {
        #expect(try JSONDecoder().decode([StoredValue].self, from: Data("[\(text)]".utf8)) == [value])
    }

    @Test(arguments: ["9223372036854775808", "-9223372036854775809", "99999999999999999999"])
    func `an integer beyond 64 bits is refused`(text: String) {
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode([StoredValue].self, from: Data("[\(text)]".utf8))
        }
    }

    @Test func `a mount point whose name is not UTF-8 does not hide others`() throws {
        var table = Data("21 1 8:1 / / rw - ext4 /dev/sda rw\n22 21 0:40 / /mnt/caf".utf8)
        table.append(0xE9)
        table.append(
            contentsOf: Data(" rw - nfs4 server:/ rw\n23 21 0:41 / /mnt/b rw - nfs4 server:/b rw\n".utf8))
        #expect(StoreLocation.isShared("/mnt/b/stores", table: Array(table)))
        #expect(StoreLocation.isShared("/mnt/caf\u{FFFD}/stores", table: Array(table)))
        #expect(!StoreLocation.isShared("/home", table: Array(table)))
        // Without a list of mounts, a location counts as shared.
        #expect(StoreLocation.isShared("/home", table: nil))
    }
}
