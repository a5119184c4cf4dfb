import ArgumentParser
import Foundation
import SectionCaching
import ToolSupport

/// `cache-inspector delete`: deletes one cache or all caches of a directory.
struct DeleteCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete",
        abstract: "Deletes one cache or all caches.",
        discussion:
            "Deleting a cache that does not exist is not an error. Programs that use the cache continue, and compute its sections again. If their file is damaged, all caches are deleted, because a damaged file cannot be read in part."
    )

    @Argument(help: "The name of the cache.")
    var name: String?

    @Flag(help: "Delete all caches of the directory.")
    var all = false

    @OptionGroup var cacheDirectory: CacheDirectoryOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard (name != nil) != all else { throw ValidationError("Pass the name of a cache, or --all.") }
        _ = try name.map { try CacheName(argument: $0) }
    }

    func run() throws {
        let name = try name.map { try CacheName($0) }
        let directory = cacheDirectory.directory
        var status = stat()
        guard lstat(directory.appending(path: "data.mdb").path, &status) == 0 else {
            // Deleting must not create the directory. The read-only look-up refuses an unusable directory.
            _ = try SectionCacheStore(
                directory: directory, options: SectionCacheStore.Options(isReadOnly: true)
            ).cacheNames()
            return try report([], name, damage: nil)
        }
        let caches = SectionCacheStore(directory: directory)
        var damage: MissReason?
        let before = try names(in: caches, &damage)
        caches.deleteCache(named: name)
        guard caches.waitForWrites() else {
            throw ToolFailure(
                "Another process holds the cache lock; nothing was deleted within ten seconds. Try again.")
        }
        let after = try Set(names(in: caches, &damage))
        let left = before.filter { after.contains($0) && (name == nil || name == $0) }
        guard left.isEmpty else {
            let names = left.map { "“\($0)”" }.joined(separator: ", ")
            let reason = caches.lastProblem.map { "\($0)" } ?? "another program saved it again"
            throw ToolFailure("\(names) could not be deleted: \(reason).")
        }
        try report(before.filter { !after.contains($0) }, name, damage: damage)
    }

    /// Returns the names of the caches, and notes the damage for which the directory was replaced by an empty
    /// one.
    ///
    /// - Throws: ``CacheInspectionError`` for a directory that cannot be read or replaced.
    private func names(
        in caches: SectionCacheStore, _ damage: inout MissReason?
    ) throws(CacheInspectionError) -> [CacheName] {
        do throws(CacheInspectionError) {
            let names = try caches.cacheNames()
            if let problem = caches.lastProblem, problem.isDamage { damage = damage ?? problem }
            return names
        } catch {
            guard error.reason.isDamage, damage == nil else { throw error }
            damage = error.reason
            return try caches.cacheNames()
        }
    }

    private func report(_ deleted: [CacheName], _ name: CacheName?, damage: MissReason?) throws {
        let text: String
        if damage != nil {
            text = "Deleted all caches."
        } else if let first = deleted.first {
            let what = deleted.count == 1 ? "“\(first)”" : Quantity.count(deleted.count, "cache")
            text = "Deleted \(what)."
        } else {
            text = name.map { "There was no cache “\($0)”." } ?? "There were no caches."
        }
        try output.print(
            [
                "deleted": .array(deleted.map { .string($0.rawValue) }),
                "damage": .string(ifPresent: damage?.description),
            ], orText: [TerminalText.escaped(text)])
        if let damage {
            throw ToolFinding(
                "The caches in “\(cacheDirectory.directory.path)” were damaged, and all of them were deleted: \(damage)."
            )
        }
    }
}
