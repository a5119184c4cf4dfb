import Foundation
import GRDB

/// The computation of a model's derived attributes at the end of each transaction (decision 0061).
///
/// Temporary triggers of the writing connection collect the keys of the rows whose values may have changed.
/// They exist only on that connection, so other programs are not affected by them, and their functions need
/// not exist elsewhere.
struct DerivedAttributes: Sendable {
    private let attributes: [DerivedAttributeSQL]
    /// The texts that create the triggers, by name.
    private let triggers: [(name: String, sql: String)]
    /// The temporary table of the collected keys.
    private let keys: String

    /// Describes the computation; nil for a model without derived attributes.
    init?(of model: ManagedObjectModel) {
        guard model.hasDerivedAttributes else { return nil }
        attributes = DerivedAttributeSQL.all(of: model)
        // Containers with other models may use the same connection.
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for text in attributes.flatMap({ $0.triggers(keys: "") + [$0.computation(keys: "")] }) {
            for byte in text.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        }
        let prefix = Self.prefix + String(hash, radix: 36)
        let keys = prefix + "_keys"
        self.keys = keys
        triggers = attributes.flatMap { $0.triggers(keys: keys) }.enumerated().map { index, text in
            ("\(prefix)_\(index)", "CREATE TEMP TRIGGER IF NOT EXISTS \(prefix)_\(index) \(text)")
        }
    }

    private static let prefix = "sd_"

    /// Creates the triggers on the writing connection, unless they exist.
    ///
    /// A table that a migration replaced has lost its triggers.
    func prepare(in database: Database) throws {
        let names = try database.rows(
            "SELECT count(*) FROM temp.sqlite_schema WHERE name GLOB ?1",
            [.text(keys.dropLast(4) + "*")])
        guard names.first?.first != .integer(Int64(triggers.count + 1)) else { return }
        try database.run(
            "CREATE TEMP TABLE IF NOT EXISTS \(keys) (id INTEGER NOT NULL, key INTEGER NOT NULL, PRIMARY KEY (id, key)) WITHOUT ROWID"
        )
        for trigger in triggers { try database.run(trigger.sql) }
    }

    /// Removes the triggers of all models from the connection, because a migration replaces tables that they
    /// name.
    static func removeTriggers(in database: Database) throws {
        for row in try database.rows(
            "SELECT name FROM temp.sqlite_schema WHERE type = 'trigger' AND name GLOB '\(prefix)*'")
        {
            guard case .text(let name) = row[0] else { continue }
            try database.run("DROP TRIGGER temp.\(name.quotedIdentifier)")
        }
    }

    /// Computes the values of the rows that the transaction affected.
    ///
    /// - Throws: ``ObjectStorageError`` for a value that the attribute's type cannot hold.
    func compute(in database: Database) throws {
        let collected = try database.rows("SELECT DISTINCT id FROM temp.\(keys)")
        guard !collected.isEmpty else { return }
        let time = StoredValue.real(Date().timeIntervalSinceReferenceDate)
        for attribute in attributes where collected.contains([.integer(Int64(attribute.number))]) {
            try compute(attribute, keys: keys, time, in: database)
        }
        try database.run("DELETE FROM temp.\(keys)")
    }

    /// Computes the values of all rows, after a migration. Times of earlier saves stay.
    func computeAll(in database: Database) throws {
        let time = StoredValue.real(Date().timeIntervalSinceReferenceDate)
        for attribute in attributes { try compute(attribute, keys: nil, time, in: database) }
    }

    private func compute(
        _ attribute: DerivedAttributeSQL, keys: String?, _ time: StoredValue, in database: Database
    ) throws {
        let sql = attribute.computation(keys: keys)
        try database.run(sql, sql.contains("?1") ? [time] : [])
        guard let overflow = attribute.overflow(keys: keys),
            let row = try database.rows(overflow).first, let value = row.last
        else { return }
        let remedy =
            attribute.attribute.type == .integer64 ? "Use double, which rounds large sums." : "Use integer64."
        throw ObjectStorageError(
            .invalidValue,
            "The derived attribute “\(attribute.entity.name).\(attribute.attribute.name)” would be \(value), which is not a valid value of type \(attribute.attribute.type.rawValue). Nothing was saved. \(remedy)",
            entityName: attribute.entity.name, propertyName: attribute.attribute.name,
            objectID: ObjectID(Array(row.dropLast()), of: attribute.entity))
    }
}
