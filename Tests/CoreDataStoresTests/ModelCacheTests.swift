import CheckSupport
import CoreDataStores
import Foundation
import ModelReading
import ObjectStorage
import Testing

/// The model in a store, intact and damaged.
@Suite(.enabled(if: SampleStore.isThere, "SKIPPED: the stores of Core Data or python3 are missing."))
struct ModelCacheTests {
    /// Returns the compressed model of a store.
    private static func cache(of path: String) throws -> [UInt8] {
        let data = try Python.output(
            of: """
                import sqlite3, sys
                c = sqlite3.connect('file:%s?immutable=1' % sys.argv[1], uri=True)
                sys.stdout.buffer.write(c.execute('select Z_CONTENT from Z_MODELCACHE').fetchone()[0])
                """, [SampleStore.url(path).path])
        return [UInt8](data)
    }

    /// Returns the names and types of all properties as `read_store.py` reads them.
    private static let description = #"""
        import sys
        sys.path.insert(0, sys.argv[1])
        import read_store
        c = read_store.opened(sys.argv[2])
        E = read_store.Model(c.execute('select Z_CONTENT from Z_MODELCACHE').fetchone()[0]).entities()
        types = {'int16': 'integer16', 'int32': 'integer32', 'int64': 'integer64', 'binary': 'binaryData'}
        for n, e in E.items():
            print(n, e['super'], e['abstract'])
            for p, d in e['props'].items():
                s = e['super']
                if s and p in E[s]['props'] or d['transient'] or d['kind'] == 'NSFetchedPropertyDescription': continue
                if d['kind'] == 'NSRelationshipDescription':
                    print(n, p, d['dest'], d['inverse'], d['max'] != 1, d['ordered'])
                else: print(n, p, types.get(d['type'], d['type']), d['optional'])
        """#

    @Test(arguments: SampleStore.paths)
    func `the model has the entities and properties that an independent reader finds`(path: String) throws {
        let store = try CoreDataStore(contentsOf: SampleStore.url(path))
        func word(_ value: Bool) -> String { value ? "True" : "False" }
        var lines: [String] = []
        for entity in store.model.entities {
            let parent = entity.parentName.flatMap { store.model.entity(named: $0) }
            lines.append("\(entity.name) \(entity.parentName ?? "None") \(word(entity.isAbstract))")
            for attribute in entity.attributes
            where !attribute.isTransient && parent?.attribute(named: attribute.name) == nil {
                lines.append(
                    "\(entity.name) \(attribute.name) \(attribute.type.rawValue) \(word(attribute.isOptional))"
                )
            }
            for relationship in entity.relationships
            where parent?.relationship(named: relationship.name) == nil {
                let inverse = relationship.inverseName ?? "None"
                lines.append(
                    "\(entity.name) \(relationship.name) \(relationship.destinationEntityName) \(inverse) "
                        + "\(word(relationship.isToMany)) \(word(relationship.isOrdered))")
            }
        }
        let expected = try Python.lines(
            of: Self.description, SampleStore.directory?.path ?? "", SampleStore.url(path).path)
        #expect(lines.sorted() == expected.sorted())
    }

    @Test func `shortened and lengthened models are refused with the offset`() throws {
        let bytes = try Self.cache(of: "coredataplus/SampleModel/SampleModel_V1.sqlite")
        #expect(try ModelCache.model(of: bytes).entities.count == 4)
        for length in stride(from: 0, to: bytes.count, by: 37) {
            let error = #expect(throws: ObjectStorageError.self) {
                try ModelCache.model(of: Array(bytes[..<length]))
            }
            #expect(error?.code == .invalidModel && error?.message.contains("at byte \(length) of") == true)
        }
        let error = #expect(throws: ObjectStorageError.self) { try ModelCache.model(of: bytes + [1]) }
        #expect(error?.message.contains("bytes follow its end, at byte \(bytes.count) of") == true)
    }

    @Test func `a model is decompressed up to the limit`() throws {
        let bytes = try Self.cache(of: "carekit/SampleStore2.0.sqlite")
        #expect(try ModelCache.model(of: bytes, limit: 26_792).entities.count == 11)
        let error = #expect(throws: ObjectStorageError.self) {
            try ModelCache.model(of: bytes, limit: 26_791)
        }
        #expect(error?.code == .invalidModel && error?.message.contains("more than 26791 bytes") == true)
        // A megabyte of zeros for each kilobyte.
        let bomb = try Python.output(
            of: """
                import sys, zlib
                c = zlib.compressobj(9, zlib.DEFLATED, -15)
                sys.stdout.buffer.write(c.compress(bytes(1 << 30)) + c.flush())
                """, [])
        #expect(throws: ObjectStorageError.self) { try ModelCache.model(of: [UInt8](bomb)) }
    }

    @Test(arguments: [
        "coredataplus/SampleModel2/SampleModel2_V1.sqlite", "photos-empty-ventura/Photos.sqlite",
    ])
    func `models with random changes are read or refused`(path: String) throws {
        let bytes = try Self.cache(of: path)
        let seed = SeededGenerator.newSeed()
        var generator = SeededGenerator(seed: seed)
        var refused = 0
        let count = bytes.count > 100_000 ? 30 : 600
        for _ in 0..<count {
            var changed = bytes
            for _ in 0..<Int.random(in: 1...4, using: &generator) {
                changed[Int.random(in: 0..<changed.count, using: &generator)] ^=
                    1 << UInt8.random(in: 0..<8, using: &generator)
            }
            do throws(ObjectStorageError) {
                _ = try ModelCache.mapped(ModelCache.model(of: changed))
            } catch {
                #expect(
                    error.code == .invalidModel && error.message.contains("Z_MODELCACHE"),
                    "seed \(seed): \(error)")
                refused += 1
            }
        }
        #expect(refused > count / 3)
    }

    @Test func `an invalid name in the model of a store is an error that names the place`() throws {
        let directory = try TemporaryDirectory()
        let copy = try SampleStore.copy("coredataplus/SampleModel2/SampleModel2_V1.sqlite", to: directory)
        let program = """
            import sqlite3, sys, zlib
            db = sqlite3.connect(sys.argv[1])
            (bytes,) = db.execute("SELECT Z_CONTENT FROM Z_MODELCACHE").fetchone()
            model = zlib.decompress(bytes, -15)
            assert b"Feedback" in model
            c = zlib.compressobj(9, zlib.DEFLATED, -15)
            bytes = c.compress(model.replace(b"Feedback", b"Fee\\nback")) + c.flush()
            db.execute("UPDATE Z_MODELCACHE SET Z_CONTENT = ?", (bytes,))
            db.commit()
            """
        _ = try Python.output(of: program, [copy.path])
        let error = #expect(throws: ObjectStorageError.self) { try CoreDataStore(contentsOf: copy) }
        #expect(error?.code == .invalidModel, "\(error?.message ?? "")")
        #expect(error?.message.contains("Z_MODELCACHE") == true, "\(error?.message ?? "")")
        #expect(error?.message.contains("control character") == true, "\(error?.message ?? "")")
    }

    @Test func `a store whose model is damaged is refused with a remedy, and opened with a given model`()
        throws
    {
        let directory = try TemporaryDirectory()
        let copy = try SampleStore.copy("coredataplus/SampleModel/SampleModel_V1.sqlite", to: directory)
        try SampleStore.execute("UPDATE Z_MODELCACHE SET Z_CONTENT = x'0102030405'", in: copy)
        let error = #expect(throws: ObjectStorageError.self) { try CoreDataStore(contentsOf: copy) }
        #expect(error?.code == .invalidModel && error?.message.contains(".momd") == true)
        #expect(error?.message.contains(copy.path) == true)
        let model = SampleStore.url("coredataplus/SampleModel/SampleModel.momd")
        #expect(try CoreDataStore(contentsOf: copy, model: model).model.entities.count == 4)
    }
}
