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

    /// Reads a model from bytes, and everything that it says about unsupported parts.
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
                        // The table of positions and the trailer decide about everything else.
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
        guard Python.path != nil, let text = try Python.lines(program, "").first else { return }
        let digits = Array(text.utf8)
        let bytes = stride(from: 0, to: digits.count, by: 2).compactMap {
            UInt8(String(decoding: digits[$0...$0 + 1], as: UTF8.self), radix: 16)
        }
        try ModelSamples.withFile(Data(), named: "Loop.mom") { file in
            let model = try read(bytes, at: file)
            #expect(model?.unsupportedParts.map(\.kind) == [.configuration])
        }
    }
}
