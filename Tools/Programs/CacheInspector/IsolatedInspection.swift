import ArgumentParser
import Foundation
import ToolSupport

/// An inspection of a copy of caches in a separate process.
///
/// LMDB reads its file through a memory map, so unexpected bytes can end the process that reads them, and it
/// writes a lock file beside the data file. Here they end a child process, and this process reports it. Only
/// the data file of the directory is read, and nothing in the directory is written.
struct IsolatedInspection {
    /// The directory with the caches.
    let directory: URL

    /// The size of the largest file that is copied, in bytes.
    private static let maximumByteCount = 4 << 30
    /// The processor time after which the process is ended, in seconds.
    private static let maximumSeconds: rlim_t = 600
    /// The time between two checks for the end of the process or for a signal, in microseconds.
    private static let microsecondsBetweenLooks: UInt32 = 2_000

    /// Runs this command again on a copy, and ends with the same status.
    ///
    /// - Throws: ``ToolFailure`` if the copy cannot be created; ``ToolFinding`` if a signal ended the
    ///   process; `ExitCode` if the process ended with a status other than 0, after it printed the reason.
    func run() throws {
        let copy = FileManager.default.temporaryDirectory.appending(
            path: "cache-inspector-\(UUID().uuidString)")
        guard mkdir(copy.path, 0o700) == 0 else { throw failure(copy.path, "cannot be created", errno) }
        Interruption.begin()
        // Other users may write the temporary directory, so files are removed relative to this descriptor.
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
                "“\(copy.path)” was replaced by another user. Set TMPDIR to a directory that only you can write."
            )
        }
        try copyDataFile(to: copy.path + "/data.mdb")
        let status = try look(at: copy.path)
        // The low seven bits are the signal that ended the process; if they are 0, the next byte is its exit
        // status (`wait(2)`).
        let signal = status & 0x7f
        if signal == 0 {
            let code = status >> 8 & 0xff
            guard code == 0 else { throw ExitCode(code) }
        } else if Interruption.signals.contains(signal) {
            throw ExitCode(128 + signal)
        } else {
            let isDamage = [SIGBUS, SIGSEGV, SIGILL, SIGABRT, SIGTRAP, SIGFPE].contains(signal)
            throw ToolFinding(
                "The process that inspected a copy of the caches in “\(directory.path)” was ended by a signal: \(String(cString: strsignal(signal))) (signal \(signal)). "
                    + (isDamage
                        ? "If no program was writing the caches, they are damaged: delete the directory."
                        : "It exceeded its time or memory, or another process ended it."))
        }
    }

    /// Limits the processor time of this process, which inspects a copy, and disables its core dump.
    static func limitProcess() {
        var none = rlimit(rlim_cur: 0, rlim_max: 0)
        setrlimit(resource(RLIMIT_CORE), &none)
        var time = rlimit(rlim_cur: maximumSeconds, rlim_max: maximumSeconds)
        setrlimit(resource(RLIMIT_CPU), &time)
    }

    #if canImport(Glibc)
    /// Converts a resource, which Glibc declares as an enumeration but takes as a number.
    private static func resource(_ resource: __rlimit_resource) -> __rlimit_resource_t {
        __rlimit_resource_t(resource.rawValue)
    }
    #else
    private static func resource(_ resource: Int32) -> Int32 { resource }
    #endif

    // MARK: Copying

    /// Copies the data file if it exists. Symbolic links are not followed, and only a regular file is opened.
    ///
    /// - Throws: ``ToolFailure``, or `ExitCode` after a signal.
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
                    "“\(name)” is a link, which is not followed. Pass the directory that it points to.")
            }
            throw failure(name, "cannot be read", errno)
        }
        defer { close(source) }
        var status = stat()
        guard fstat(source, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw ToolFailure("“\(name)” is not a file and therefore not a cache. Delete the directory.")
        }
        guard status.st_size <= Self.maximumByteCount else {
            throw ToolFailure(
                "“\(name)” has \(Quantity.bytes(Int(status.st_size))), more than any cache. Delete the directory."
            )
        }
        let copy = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard copy >= 0 else { throw failure(path, "cannot be created", errno) }
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
    /// - Returns: The status of the process from `waitpid`.
    private func look(at copy: String) throws(ToolFailure) -> Int32 {
        guard let program = Bundle.main.executableURL?.resolvingSymlinksInPath().path else {
            throw ToolFailure("This program cannot determine its own path, and so cannot run itself again.")
        }
        // Inserted after the subcommand, because after a “--” the option would be read as a name.
        var arguments = ProgramArguments.all
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
            // A terminal sends signals to both processes; other senders may signal only this one.
            if let signal = Interruption.signal { kill(process, signal) }
            usleep(Self.microsecondsBetweenLooks)
        }
    }
}
