import CheckSupport
import Foundation
import ModelReading
import ObjectStorage
import Testing

/// Compiled models with changed and missing bytes: each is read or refused, and none ends the process.
@Suite struct DamagedModelTests {
    private static let files = [
        "SampleModel.momd/SampleModel2.mom", "SampleModel3.momd/SampleModel3_v2.mom", "SampleModel2.mom",
    ]

    /// Reads a model from bytes, and describes its unsupported parts.
    ///
    /// - Returns: The model, or nil if the bytes were refused with an error of the library.
    private func read(_ bytes: [UInt8], at file: URL) throws -> DataModel? {
        try Data(bytes).write(to: file)
        do {
            let model = try DataModel(contentsOf: file)
            #expect(model.unsupportedParts.allSatisfy { !$0.description.isEmpty })
            return model
        } catch {
            #expect(error.code == .invalidModel && error.message.contains(file.lastPathComponent))
            return nil
        }
    }

    private func forEachFile(_ body: ([UInt8], URL) throws -> Void) throws {
        for path in Self.files {
            let bytes = [UInt8](try Data(contentsOf: ModelSamples.coreDataPlus.appending(path: path)))
            try ModelSamples.withFile(Data(), named: "Damaged.mom") { try body(bytes, $0) }
        }
    }

    @Test func `every shortened file is refused`() throws {
        try forEachFile { bytes, file in
            let whole = try read(bytes, at: file)
            #expect(whole != nil)
            for length in stride(from: 0, to: bytes.count, by: bytes.count / 150) {
                let part = try read(Array(bytes[..<length]), at: file)
                #expect(part == nil, "\(length) bytes")
            }
        }
    }

    @Test func `files with random changes are read or refused`() throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        var generator = SeededGenerator(seed: seed)
        var refused = 0
        var total = 0
        try forEachFile { bytes, file in
            for _ in 0..<1_500 {
                var changed = bytes
                for _ in 0..<Int.random(in: 1...4, using: &generator) {
                    switch Int.random(in: 0..<4, using: &generator) {
                    case 0:
                        let index = changed.indices.randomElement(using: &generator) ?? 0
                        changed[index] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
                    case 1:
                        // All other reading depends on the table of positions and the trailer.
                        let index = Int.random(in: changed.count - 200..<changed.count, using: &generator)
                        changed[index] = .random(in: 0...255, using: &generator)
                    case 2:
                        let from = Int.random(in: 0..<changed.count - 16, using: &generator)
                        let to = Int.random(in: 0..<changed.count - 16, using: &generator)
                        changed.replaceSubrange(to..<to + 16, with: Array(changed[from..<from + 16]))
                    default:
                        let index = changed.indices.randomElement(using: &generator) ?? 0
                        changed[index] =
                            [0, 0xFF, 0x0F, 0x80, 0xDF, 0xAF].randomElement(using: &generator) ?? 0
                    }
                }
                total += 1
                if try read(changed, at: file) == nil { refused += 1 }
            }
        }
        #expect(refused > total / 20 && refused < total, "seed \(seed): \(refused) of \(total) refused")
    }

    @Test func `an archive whose objects contain each other is read in bounded time`() throws {
        // 1,000 arrays, each of which contains the next one twice, below the root's entities.
        let program = """
            import plistlib, sys
            from plistlib import UID
            objects = ['$null', {'$class': UID(2), 'NSEntities': UID(3), 'NSConfigurations': UID(5)},
                {'$classname': 'NSManagedObjectModel'}, {'NS.keys': [], 'NS.objects': []},
                {'$classname': 'NSCompoundPredicate'}, {'NS.keys': [UID(6)], 'NS.objects': [UID(7)]}, 'C']
            for i in range(7, 1007):
                objects.append({'$class': UID(4), 'NSSubpredicates': UID(i + 1001), 'NS.objects': [UID(i + 1)] * 2})
            for i in range(7, 1009):
                objects.append({'NS.objects': [UID(i + 1)] * 2})
            archive = {'$version': 100000, '$archiver': 'NSKeyedArchiver', '$top': {'root': UID(1)}, '$objects': objects}
            sys.stdout.buffer.write(plistlib.dumps(archive, fmt=plistlib.FMT_BINARY).hex().encode() + b'\\n')
            """
        guard Python.path != nil, let text = try Python.lines(of: program).first else { return }
        let digits = Array(text.utf8)
        let bytes = stride(from: 0, to: digits.count, by: 2).compactMap {
            UInt8(String(decoding: digits[$0...$0 + 1], as: UTF8.self), radix: 16)
        }
        try ModelSamples.withFile(Data(), named: "Loop.mom") { file in
            let model = try read(bytes, at: file)
            #expect(model?.unsupportedParts.map(\.kind) == [.configuration])
        }
    }

    /// Adds a dictionary of texts and objects, as Core Data archives its collections.
    private func add(
        _ entries: [(key: String, value: Int)], to archive: inout ForgedArchive
    ) -> Int {
        var keys: [Int] = []
        var values: [Int] = []
        for entry in entries {
            let key = archive.text(entry.key)
            let number = archive.archive(key)
            keys.append(archive.reference(number))
            values.append(archive.reference(entry.value))
        }
        let keyArray = archive.array(keys)
        let valueArray = archive.array(values)
        let object = archive.dictionary([("NS.keys", keyArray), ("NS.objects", valueArray)])
        return archive.archive(object)
    }

    /// Returns an archive of a model with configurations and no entities.
    private func model(
        configurations: [(key: String, value: Int)], _ archive: inout ForgedArchive
    ) -> [UInt8] {
        let entities = add([], to: &archive)
        let table = add(configurations, to: &archive)
        let modelClass = archive.archive(className: "NSManagedObjectModel")
        let fields = [("$class", modelClass), ("NSEntities", entities), ("NSConfigurations", table)]
        var references: [(key: String, value: Int)] = []
        for (key, number) in fields { references.append((key, archive.reference(number))) }
        let object = archive.dictionary(references)
        let root = archive.archive(object)
        return [UInt8](archive.data(root: root))
    }

    @Test func `a collection whose objects are the collection itself has no items`() throws {
        var archive = ForgedArchive()
        let number = archive.nextNumber
        let reference = archive.reference(number)
        let object = archive.dictionary([("NS.objects", reference)])
        archive.archive(object)
        let bytes = model(configurations: [("C", number)], &archive)
        try ModelSamples.withFile(Data(), named: "Cycle.mom") { file in
            let model = try read(bytes, at: file)
            #expect(model?.unsupportedParts.map(\.kind) == [.configuration])
        }
    }

    @Test func `collections that share millions of items are refused`() throws {
        var archive = ForgedArchive()
        let text = archive.text("a")
        let member = archive.archive(text)
        let element = archive.reference(member)
        let shared = archive.array(Array(repeating: element, count: 50_000))
        let object = archive.dictionary([("NS.objects", shared)])
        let collection = archive.archive(object)
        let configurations = (0..<100).map { (key: "C\($0)", value: collection) }
        let bytes = model(configurations: configurations, &archive)
        try ModelSamples.withFile(Data(bytes), named: "Shared.mom") { file in
            let error = ModelSamples.error { try DataModel(contentsOf: file) }
            #expect(error?.code == .invalidModel)
            #expect(error?.message.contains("too many items together") == true, "\(error?.message ?? "")")
        }
    }
}
