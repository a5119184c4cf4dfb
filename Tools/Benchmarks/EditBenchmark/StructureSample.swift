import BenchmarkSupport
import Foundation
import LMDB

/// The check of a data file's structure with which each opening begins, for values of several sizes.
struct StructureSample {
    let mebibytes: Int
    /// The number of times that each file is opened.
    let samples: Int

    private var byteCount: Int { mebibytes << 20 }

    func measure(in folder: WorkFolder) throws -> [Ratio] {
        var ratios: [Ratio] = []
        // The last size is that of an entry's chunks, which occupy four pages each.
        for size in [1 << 20, 64 << 10, 16_368] {
            let name = "values-of-\(size)"
            try FileManager.default.createDirectory(
                atPath: folder.path(name), withIntermediateDirectories: false,
                attributes: [.posixPermissions: 0o700])
            try fill(folder.path(name), size: size)
            let ratio = try measure(folder.path(name), size: size)
            ratios.append(Ratio("validation.opening-to-unchecked.\(size)", ratio))
            try folder.remove(name)
        }
        return ratios
    }

    private func fill(_ path: String, size: Int) throws {
        let environment = try Self.open(path)
        let value = [UInt8](repeating: 1, count: size)
        try environment.write { (transaction) throws(LMDBError) in
            let database = try transaction.database(creating: "entries")
            for number in 0..<byteCount / size {
                // The keys have the length of chunk keys.
                let key =
                    [UInt8](repeating: 7, count: 49)
                    + withUnsafeBytes(of: UInt32(number).bigEndian) { Array($0) }
                try transaction.put(value, for: key, in: database)
            }
        }
    }

    /// Measures one file and prints the times.
    ///
    /// - Returns: The ratio of the time to open the file to the time without the check.
    private func measure(_ path: String, size: Int) throws -> Double {
        var opening: [Double] = []
        var checking: [Double] = []
        var checkingForWriting: [Double] = []
        for _ in 0..<samples {
            var watch = Stopwatch()
            let environment = try Self.open(path)
            opening.append(Double(watch.elapsed) / 1_000)
            watch = Stopwatch()
            try environment.checkStructure(forWriting: false)
            checking.append(Double(watch.elapsed) / 1_000)
            watch = Stopwatch()
            try environment.checkStructure(forWriting: true)
            checkingForWriting.append(Double(watch.elapsed) / 1_000)
        }
        let (whole, check) = (Spread(opening), Spread(checking))
        print("\(mebibytes) MiB in \((byteCount / size).grouped) values of \(size.grouped) bytes")
        print("    the check before reading: \(check) µs")
        print("    the check before the first write: \(Spread(checkingForWriting)) µs")
        let ratio = whole.median / (whole.median - check.median)
        print(
            "    opening: \(whole) µs, \(ratio.threeDigits) times the time without the check")
        return ratio
    }

    private static func open(_ path: String) throws -> Environment {
        let descriptor = Foundation.open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        defer { close(descriptor) }
        guard let status = FileStatus(descriptor: descriptor) else {
            throw BenchmarkError("“\(path)” cannot be opened.")
        }
        return try EnvironmentRegistry.environment(
            path: path, key: status.identity,
            options: Environment.Options(mapSize: 256 << 20, maximumDatabases: 1_000, isReadOnly: false))
    }
}
