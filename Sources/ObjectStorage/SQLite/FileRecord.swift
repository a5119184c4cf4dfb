import CSQLiteShims
import Foundation
import Mutants

/// The identity, the size and a time of a file. Equal records mean that no program has changed the file,
/// unless ``doubt`` has a reason, or the file system does not record times itself.
///
/// The file is not opened, because closing it would drop SQLite's locks.
///
/// Sources: "Racy Git", git-scm.com/docs/racy-git; inode(7).
struct FileRecord: Equatable, Sendable {
    /// A time that a file system records.
    enum Time {
        /// The time of the last change of the contents or of the record, which no program can set.
        case change
        /// The time of the last change of the contents, which programs that copy files set to an earlier
        /// time. For files beside the database: a connection of a process that runs as root sets the owner
        /// of the log when it opens it.
        case modification
    }

    private var identity: FileIdentity?
    /// The size in bytes; 0 without a file.
    private(set) var size = 0
    private var seconds = 0
    private var nanoseconds = 0

    /// Reads the record of the file at a path. An empty file, which remains after a program could not enlarge
    /// it, has the record of a missing file.
    ///
    /// - Parameter time: The time to record.
    init(_ path: String, time: Time = .change) {
        var status = stat()
        guard stat(path, &status) == 0, status.st_size > 0 else { return }
        identity = FileIdentity(status)
        size = Int(status.st_size)
        #if canImport(Darwin)
        let times = (change: status.st_ctimespec, modification: status.st_mtimespec)
        #else
        let times = (change: status.st_ctim, modification: status.st_mtim)
        #endif
        let recorded = time == .change ? times.change : times.modification
        (seconds, nanoseconds) = (recorded.tv_sec, recorded.tv_nsec)
    }

    /// Whether there is a file with contents.
    var exists: Bool { identity != nil }

    /// The reason why another write could leave an equal record: it could have the same time, or the clock
    /// was set back since. Nil if neither is possible.
    var doubt: String? {
        guard exists, age < grain else { return nil }
        return "the file changed less than \(grain) ms ago"
    }

    /// The time until another write can no longer leave the same record, in seconds; nil without a file, if
    /// that time has passed, or if the file's time is in the future. With nanoseconds, it is based on twice
    /// the longest tick of the clock, whereas ``doubt`` uses a longer time, because the clock may be
    /// adjusted.
    var timeUntilSettled: Double? {
        let tick = nanoseconds == 0 ? 2_500 : 20
        return exists && (0..<tick).contains(age) ? Double(tick - age) / 1_000 : nil
    }

    /// The age in milliseconds.
    private var age: Int {
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        return (now.tv_sec - seconds) * 1_000 + (now.tv_nsec - nanoseconds) / 1_000_000
    }

    /// The age from which the time differs from that of a later write, in milliseconds.
    ///
    /// The kernel records times from a clock that advances every 1 to 10 ms. A file system without
    /// nanoseconds records whole seconds or multiples of two seconds.
    private var grain: Int { nanoseconds == 0 ? 2_500 : 100 }

    /// Appends the record, if the file exists.
    func append(to encoder: inout CanonicalEncoder) {
        appendIdentity(to: &encoder)
        guard exists else { return }
        encoder.append(Int64(size))
        guard !Mutant.fileTimesLeftOut.isPlanted else { return }
        encoder.append(Int64(seconds))
        encoder.append(Int64(nanoseconds))
    }

    /// Appends the device and the inode, if the file exists.
    func appendIdentity(to encoder: inout CanonicalEncoder) {
        guard let identity else { return }
        encoder.append(Int64(bitPattern: identity.device))
        encoder.append(Int64(bitPattern: identity.node))
    }

    /// Returns whether a file is on a local file system, on disk or in memory, whose times come from this
    /// machine's clock.
    static func hasTrustedTimes(_ path: String) -> Bool {
        #if canImport(Darwin)
        var status = statfs()
        return statfs(path, &status) == 0 && status.f_flags & UInt32(MNT_LOCAL) != 0
        #else
        // ext, XFS, Btrfs, tmpfs, ramfs, overlayfs, ZFS, F2FS, bcachefs: statfs(2).
        let local: [UInt32] = [
            0xEF53, 0x5846_5342, 0x9123_683E, 0x0102_1994, 0x8584_58F6, 0x794C_7630, 0x2FC1_2FC1,
            0xF2F5_2010, 0xCA45_1A4E,
        ]
        return local.contains(csqlitesettings_file_system(path))
        #endif
    }
}
