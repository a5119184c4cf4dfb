import GRDB

/// The schema versions under which a table's stamp is valid, as stored in `sc_epoch.schema`.
///
/// A plain integer is the format of earlier versions of the library: SQLite's schema version at the stamp. A
/// text contains that version, the last version under which the stamp was confirmed, and the digest of
/// ``SchemaLayout`` at that time, separated by slashes. Earlier versions of the library treat a text as a
/// different version, and stamp again.
struct StampedSchema: Equatable {
    /// The schema version at the stamp.
    let stamped: Int64
    /// The last schema version under which the stamp was known to be valid.
    var confirmed: Int64
    /// The digest of the layout at ``confirmed``; empty if the layout has none, nil if it was not computed.
    var digest: String?

    /// The largest number of schema changes across which a digest is relied on.
    static let greatestDistance: Int64 = 128

    init(version: Int64, digest: String?) {
        (stamped, confirmed, self.digest) = (version, version, digest)
    }

    init?(_ value: StoredValue) {
        switch value {
        case .integer(let version): self.init(version: version, digest: nil)
        case .text(let text):
            let parts = text.split(separator: "/", omittingEmptySubsequences: false)
            guard parts.count == 3, let stamped = Int64(parts[0]), let confirmed = Int64(parts[1]) else {
                return nil
            }
            self.init(version: stamped, digest: String(parts[2]))
            self.confirmed = confirmed
        default: return nil
        }
    }

    /// The value to store.
    var value: StoredValue {
        guard let digest else { return .integer(confirmed) }
        return .text("\(stamped)/\(confirmed)/\(digest)")
    }

    /// Returns whether the stamp is valid under a schema version.
    ///
    /// - Parameter digest: Returns the digest of the current layout. It is called only if the version
    ///   differs.
    func counts(
        under version: StoredValue, digest present: @autoclosure () throws -> String?
    ) rethrows -> Bool {
        guard case .integer(let number) = version else { return false }
        if number == confirmed { return true }
        guard let digest, !digest.isEmpty, number > confirmed, number - confirmed <= Self.greatestDistance
        else { return false }
        return try present() == digest
    }

    /// Returns whether the schema changed exactly once since the stamp was confirmed.
    func isFollowed(by version: StoredValue) -> Bool { version == .integer(confirmed + 1) }

    /// Returns whether the stamp is valid under a version without comparing the layout.
    func isConfirmed(under version: StoredValue) -> Bool { version == .integer(confirmed) }
}
