import Foundation

/// A file in a directory of its own, which goes with it.
final class TemporaryFile {
    let path: String
    private let directory: URL

    init(_ bytes: some Sequence<UInt8>, name: String = "records") throws {
        directory = FileManager.default.temporaryDirectory.appending(
            path: "record-reading-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: false)
        let file = directory.appending(path: name)
        try Data(bytes).write(to: file)
        path = file.path(percentEncoded: false)
    }

    convenience init(_ text: String, name: String = "records") throws { try self.init(text.utf8, name: name) }

    deinit { try? FileManager.default.removeItem(at: directory) }
}

/// Random numbers that are the same for the same seed (SplitMix64).
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// A seed that is new with each run, for a test to print.
    static func newSeed(_ test: String = #function) -> UInt64 {
        let seed = UInt64.random(in: 0..<1_000_000_000)
        print("\(test): seed \(seed)")
        return seed
    }
}
