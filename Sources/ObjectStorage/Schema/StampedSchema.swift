import GRDB

/// The versions of the schema under which a stamp of a table counts, as `sc_epoch.schema` keeps them.
///
/// A plain integer is what earlier versions of the library write: the version that SQLite counted when the
/// table was stamped. A text has that version, the last one under which the stamp was confirmed, and the digest
/// of ``SchemaLayout`` at that time, with slashes in between. Earlier versions of the library take a text for
/// another version, and stamp anew.
struct StampedSchema: Equatable {
    /// SQLite's count when the table was stamped.
    let stamped: Int64
    /// SQLite's count when the stamp was last known to be good.
    var confirmed: Int64
    /// The digest of the layout at ``confirmed``; empty where there is none, nil where none was worked out.
    var digest: String?

    /// Up to how many changes of the schema a digest is relied on.
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

    /// The value to keep.
    var value: StoredValue {
        guard let digest else { return .integer(confirmed) }
        return .text("\(stamped)/\(confirmed)/\(digest)")
    }

    /// Whether the stamp counts under a version of the schema.
    ///
    /// - Parameter digest: Gives the digest of the present layout. It is asked for only if the version is
    ///   another one.
    func counts(
        under version: StoredValue, digest present: @autoclosure () throws -> String?
    ) rethrows -> Bool {
        guard case .integer(let number) = version else { return false }
        if number == confirmed { return true }
        guard let digest, !digest.isEmpty, number > confirmed, number - confirmed <= Self.greatestDistance
        else { return false }
        return try present() == digest
    }

    /// Whether the schema was changed once since the stamp was confirmed.
    func isFollowed(by version: StoredValue) -> Bool { version == .integer(confirmed + 1) }

    /// Whether the stamp counts under a version without looking at the layout.
    func isConfirmed(under version: StoredValue) -> Bool { version == .integer(confirmed) }
}
