import ArgumentParser
import Foundation
import ToolSupport

/// Has a process of its own look at a copy of some caches.
///
/// LMDB reads its file through memory, so bytes that nobody expected can end the process that reads them, and
/// it writes a lock file beside it. Here they end a process of its own, which is told. Of the directory
/// nothing but the data file is read, and nothing is written.
struct IsolatedInspection {
    /// The directory with the caches.
    let directory: URL

    /// The most that is copied, in bytes.
    private static let maximumByteCount = 4 << 30
    /// The processor time after which the process is ended, in seconds.
    private static let maximumSeconds: rlim_t = 600
    /// How often to look whether the process has ended, or a signal came.
    private static let microsecondsBetweenLooks: UInt32 = 2_000

    /// Runs this command again on a copy, and ends as that did.
    ///
    /// - Throws: ``ToolFailure`` if there can be no copy; ``ToolFinding`` if the process was ended by a
    ///   signal; `ExitCode`, if it ended with another status than 0 and said why.
    func run() throws {
        let copy = FileManager.default.temporaryDirectory.appending(
            path: "cache-inspector-\(UUID().uuidString)")
        guard mkdir(copy.path, 0o700) == 0 else { throw failure(copy.path, "cannot be made", errno) }
        Interruption.begin()
        // Others may write the directory for temporary files: what is removed is what was made.
        let made = open(copy.path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        guard made >= 0 else { throw failure(copy.path, "cannot be opened", errno) }
        defer {
            for name in ["data.mdb", "lock.mdb", "guard.lock"] { unlinkat(made, name, 0) }
            close(made)
            rmdir(copy.path)
        }
        var owner = stat()
        guard fstat(made, &owner) == 0, owner.st_uid == geteuid() else {
            throw ToolFailure(
                "“\(copy.path)” was exchanged by another user. Set TMPDIR to a directory of your own.")
        }
        try copyDataFile(to: copy.path + "/data.mdb")
        let status = try look(at: copy.path)
        // The low bits are the signal that ended the process, the next byte is its status otherwise
        // (`wait(2)`).
        let signal = status & 0x7f
        if signal == 0 {
            let code = status >> 8 & 0xff
            guard code == 0 else { throw ExitCode(code) }
        } else if Interruption.signals.contains(signal) {
            throw ExitCode(128 + signal)
        } else {
            let isDamage = [SIGBUS, SIGSEGV, SIGILL, SIGABRT, SIGTRAP, SIGFPE].contains(signal)
            throw ToolFinding(
                "Looking at a copy of the caches in “\(directory.path)” ended the process that did so: \(String(cString: strsignal(signal))) (signal \(signal)). "
                    + (isDamage
                        ? "If no program was just writing them, they are damaged: delete the directory."
                        : "It took too long or too much memory, or somebody ended it."))
        }
    }

    /// Limits what this process, which looks at a copy, may use.
    static func limitProcess() {
        var none = rlimit(rlim_cur: 0, rlim_max: 0)
        setrlimit(resource(RLIMIT_CORE), &none)
        var time = rlimit(rlim_cur: maximumSeconds, rlim_max: maximumSeconds)
        setrlimit(resource(RLIMIT_CPU), &time)
    }

    #if canImport(Glibc)
    /// Glibc declares the resources as an enumeration and takes numbers.
    private static func resource(_ resource: __rlimit_resource) -> __rlimit_resource_t {
        __rlimit_resource_t(resource.rawValue)
    }
    #else
    private static func resource(_ resource: Int32) -> Int32 { resource }
    #endif

    // MARK: Copying

    /// Copies the data file, if there is one. No link is followed, and nothing but a file is opened.
    ///
    /// - Throws: ``ToolFailure``, or `ExitCode` if a signal came.
    private func copyDataFile(to path: String) throws {
        let folder = open(directory.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard folder >= 0 else {
            if errno == ENOENT { return }
            throw failure(directory.path, "cannot be read", errno)
        }
        defer { close(folder) }
        let name = directory.appending(path: "data.mdb").path
        let source = openat(folder, "data.mdb", O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard source >= 0 else {
            if errno == ENOENT { return }
            if errno == ELOOP {
                throw ToolFailure(
                    "“\(name)” is a link, which is not followed. Give the directory that it leads to.")
            }
            throw failure(name, "cannot be read", errno)
        }
        defer { close(source) }
        var status = stat()
        guard fstat(source, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw ToolFailure("“\(name)” is not a file, and so not a cache. Delete the directory.")
        }
        guard status.st_size <= Self.maximumByteCount else {
            throw ToolFailure(
                "“\(name)” has \(Quantity.bytes(Int(status.st_size))), more than any cache. Delete the directory."
            )
        }
        let copy = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard copy >= 0 else { throw failure(path, "cannot be made", errno) }
        defer { close(copy) }
        var piece = [UInt8](repeating: 0, count: 1 << 20)
        var byteCount = 0
        while byteCount < Self.maximumByteCount {
            if let signal = Interruption.signal { throw ExitCode(128 + signal) }
            let count = read(source, &piece, piece.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw failure(name, "cannot be read", errno) }
            if count == 0 { return }
            try write(piece[..<count], to: copy, path)
            byteCount += count
        }
    }

    private func write(_ bytes: ArraySlice<UInt8>, to descriptor: Int32, _ path: String) throws(ToolFailure) {
        var rest = bytes
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw failure(path, "cannot be written", errno) }
            rest = rest.dropFirst(count)
        }
    }

    private func failure(_ path: String, _ what: String, _ code: Int32) -> ToolFailure {
        ToolFailure("“\(path)” \(what): \(String(cString: strerror(code))).")
    }

    // MARK: The process

    /// Runs this command on the copy.
    ///
    /// - Returns: What `waitpid` says of its end.
    private func look(at copy: String) throws(ToolFailure) -> Int32 {
        guard let program = Bundle.main.executableURL?.resolvingSymlinksInPath().path else {
            throw ToolFailure("This program cannot tell where it is, and so not start itself.")
        }
        // Behind the subcommand, because behind a “--” it would be taken for a name.
        var arguments = CommandLine.arguments
        arguments.insert(contentsOf: ["--isolated-copy", copy], at: min(2, arguments.count))
        var vector = arguments.map { strdup($0) } + [nil]
        defer { for pointer in vector { free(pointer) } }
        var process: pid_t = 0
        let code = posix_spawn(&process, program, nil, nil, &vector, environ)
        guard code == 0 else { throw failure(program, "cannot be started", code) }
        var status: Int32 = 0
        while true {
            let ended = waitpid(process, &status, WNOHANG)
            if ended == process { return status }
            guard ended == 0 || errno == EINTR else { throw failure(program, "was lost", errno) }
            // A terminal sends its signals to both, others may not.
            if let signal = Interruption.signal { kill(process, signal) }
            usleep(Self.microsecondsBetweenLooks)
        }
    }
}
