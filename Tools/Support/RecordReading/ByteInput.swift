/// A sequence of bytes that is read forward.
protocol ByteInput: AnyObject {
    /// The number of bytes of the file that were read, for progress.
    var position: Int { get }

    /// Reads at most `capacity` bytes, which is at least 64, and returns their number, or 0 at the end.
    ///
    /// - Throws: A fatal ``RecordError``.
    func read(into buffer: UnsafeMutablePointer<UInt8>, capacity: Int) throws(RecordError) -> Int
}

extension RecordError {
    /// Creates a fatal error of a file that cannot be read.
    init(unreadable file: String, _ detail: String) {
        self.init(file: file, line: 0, reason: .unreadable(detail), isFatal: true)
    }
}
