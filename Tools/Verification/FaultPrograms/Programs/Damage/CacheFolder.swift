import Foundation
import SectionCaching

/// A cache directory made of given bytes, as another program could have left it.
struct CacheFolder {
    let url: URL

    var dataFile: URL { url.appending(path: "data.mdb") }
    var lockFile: URL { url.appending(path: "lock.mdb") }

    /// Creates a directory that does not exist yet.
    ///
    /// - Parameter data: The bytes of the data file; nil for no file.
    init(_ url: URL, data: [UInt8]?) throws {
        self.url = url
        guard mkdir(url.path, 0o700) == 0 else { throw FaultFinding("“\(url.path)” cannot be created") }
        guard let data else { return }
        try Self.write(data, to: dataFile)
        // The file that identifies the data file as that of a cache.
        try Self.write([], to: url.appending(path: "guard.lock"))
    }

    /// Uses an existing directory.
    init(existing url: URL) { self.url = url }

    var store: SectionCacheStore { SectionCacheStore(directory: url) }

    func contents() throws -> [UInt8] { [UInt8](try Data(contentsOf: dataFile)) }

    /// Returns the number of bytes of the data file, by its path.
    func size() throws -> Int {
        try FileManager.default.attributesOfItem(atPath: dataFile.path)[.size] as? Int ?? 0
    }

    /// Removes the directory and the directories that were set aside for it.
    func remove() throws {
        let parent = url.deletingLastPathComponent()
        for name in try FileManager.default.contentsOfDirectory(atPath: parent.path)
        where name.hasPrefix(url.lastPathComponent) {
            try FileManager.default.removeItem(at: parent.appending(path: name))
        }
    }

    /// Writes a file without a sync, which Foundation would make: the files are very many.
    static func write(_ bytes: [UInt8], to file: URL, length: Int? = nil) throws {
        let descriptor = open(file.path, O_CREAT | O_WRONLY | O_TRUNC | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw FaultFinding("“\(file.path)” cannot be written") }
        defer { close(descriptor) }
        let count = bytes.withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress, $0.count) }
        guard count == bytes.count, length.map({ ftruncate(descriptor, off_t($0)) }) ?? 0 == 0 else {
            throw FaultFinding("“\(file.path)” cannot be written")
        }
    }
}
