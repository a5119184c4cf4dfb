public import Foundation
import GRDB
public import ObjectModel

/// A model inferred from the tables of any SQLite database, with the reason and the remedy for each table and
/// column that is not part of it.
///
/// ```swift
/// let survey = try DatabaseSurvey(of: url)
/// let container = try PersistentContainer(
///     url: url, model: survey.model,
///     options: StoreOptions(isReadOnly: true, existingTables: .untracked))
/// ```
///
/// A table with a usable key becomes an entity with its name, and its columns become attributes with theirs.
/// Foreign keys become relationships with inverses, and tables of pairs become many-to-many relationships.
/// The types of attributes follow from the values and the declared types. Nothing is written, and no trigger
/// of the database is run.
///
/// A view is not read unless ``StoreOptions/readableViews`` contains it. It becomes a read-only entity
/// without relationships if one of its columns has a different integer in each row.
public struct DatabaseSurvey: Sendable {
    /// The intended use of the entities.
    public enum Purpose: Hashable, Sendable {
        /// The rows are only read (``StoreOptions/isReadOnly``, and ``StoreOptions/existingTables`` is
        /// ``StoreOptions/ExistingTables/untracked``). Tables without a declared key are included: their row
        /// IDs identify objects, until `VACUUM` renumbers them.
        case reading
        /// The rows are read and written, with or without tracking. Every entity has a declared key.
        case writing
    }

    /// The kind of a database, as its tables show.
    public enum Kind: Hashable, Sendable {
        /// A store of this library, or a database in which it tracks external tables.
        case store
        /// A store of Core Data.
        case coreDataStore
        /// A database of another program.
        case other
        /// A database without tables and views.
        case empty
    }

    /// The model with the entities; empty if no table can be an entity.
    public let model: ManagedObjectModel
    /// All tables and views in the order of the schema, without SQLite's own.
    public let tables: [Table]
    /// The kind of the database.
    public let kind: Kind

    /// Surveys the database in a file.
    ///
    /// - Parameters:
    ///   - url: The location of the file.
    ///   - purpose: The intended use of the entities.
    ///   - examinedRowCount: The largest number of rows that are examined of each table.
    ///   - options: The time to wait for a lock, the limits of statements, the views that may be read, and
    ///     whether the file may be malicious. Other options have no effect.
    /// - Throws: ``ObjectStorageError`` for a missing file, a directory, a file that is not a database, is
    ///   encrypted or is damaged, and for a locked database. A table that cannot be read is not an error:
    ///   ``tables`` contains it, with the reason.
    /// - Complexity: O(*n* · *c*) for *n* examined rows and *c* columns.
    public init(
        of url: URL, for purpose: Purpose = .reading, examining examinedRowCount: Int = 100_000,
        options: StoreOptions = StoreOptions()
    ) throws(ObjectStorageError) {
        (kind, model, tables) = try Self.reading(url, options) { source in
            let views = purpose == .reading ? options.readableViews : .none
            let schema = try SurveyedSchema(views: views, in: source)
            var inference = ModelInference(
                schema, purpose: purpose, views: views, examinedRowCount: examinedRowCount)
            let model = try inference.run(in: source)
            return (Self.kind(of: schema.tables.map(\.name)), model, inference.outcomes)
        }
    }

    /// Returns the kind of the database in a file. Only the schema is read.
    ///
    /// - Parameters:
    ///   - url: The location of the file.
    ///   - options: As in ``init(of:for:examining:options:)``.
    /// - Throws: ``ObjectStorageError`` as ``init(of:for:examining:options:)``.
    /// - Complexity: O(*t*) in the number of tables.
    public static func kind(
        of url: URL, options: StoreOptions = StoreOptions()
    ) throws(ObjectStorageError) -> Kind {
        let names = "SELECT name FROM main.sqlite_schema WHERE type IN ('table', 'view')"
        func kind(in source: any StatementSource) throws -> Kind {
            Self.kind(
                of: try source.rows(names).compactMap {
                    if case .text(let name) = $0[0] { name } else { nil }
                })
        }
        return try reading(url, options, rollsBack: false, kind)
    }

    private static func kind(of names: [String]) -> Kind {
        // One of these names alone may be a table of another program.
        let ofLibrary = ["sc_store", "sc_gen", "sc_log", "sc_epoch"]
        if names.count(where: { ofLibrary.contains($0.lowercased()) }) > 1 { return .store }
        if names.contains("Z_PRIMARYKEY"), names.contains("Z_METADATA") { return .coreDataStore }
        return names.allSatisfy { $0.lowercased().hasPrefix("sqlite_") } ? .empty : .other
    }

    /// Runs a closure in a read transaction. No file is changed or created.
    ///
    /// - Parameter rollsBack: Whether a transaction that was interrupted is rolled back in a copy. If not,
    ///   only the schema is meaningful.
    static func reading<Result>(
        _ url: URL, _ options: StoreOptions, rollsBack: Bool = true,
        _ body: (any StatementSource) throws -> Result
    ) throws(ObjectStorageError) -> Result {
        let path = PersistentContainer.path(of: url)
        // SQLite refuses to commit a transaction that met a damaged page, even one that only read.
        func ending(_ source: any StatementSource) throws -> Result {
            let outcome = Swift.Result { try body(source) }
            try source.run("ROLLBACK")
            return try outcome.get()
        }
        do throws(ObjectStorageError) {
            return try ObjectStorageError.translating("Reading the database “\(path)”") {
                try PersistentContainer.checkFile(path, mayCreate: false)
                return try PrivateCopy.preservingFiles(
                    ofStoreAt: path, options: options.surveying(path), rollsBack: rollsBack
                ) { path, options in
                    try ReadConnection(path: path, options: options).read(ending)
                }
            }
        } catch {
            throw error.naming(path)
        }
    }
}

extension ObjectStorageError {
    /// The message without the full stop at its end, as a reason in a longer text.
    var messageAsReason: String { message.hasSuffix(".") ? String(message.dropLast()) : message }
}

extension ManagedObjectModel {
    /// Creates a model of the tables of any SQLite database. ``DatabaseSurvey`` also gives the reasons for
    /// the tables and columns that are not part of it.
    ///
    /// - Parameters:
    ///   - url: The location of the database's file.
    ///   - purpose: The intended use of the entities.
    /// - Throws: ``ObjectStorageError`` as ``DatabaseSurvey/init(of:for:examining:options:)``.
    public init(
        inferredFrom url: URL, for purpose: DatabaseSurvey.Purpose = .reading
    ) throws(ObjectStorageError) {
        self = try DatabaseSurvey(of: url, for: purpose).model
    }
}

extension StoreOptions {
    /// Returns the options for surveying a file: nothing is changed, and no file beside it is left behind.
    func surveying(_ path: String) -> StoreOptions {
        var options = limitedForViews
        options.isReadOnly = true
        options.connections = .single
        options.existingTables = .untracked
        if isUntrusted { return UntrustedStore.options(options, path: path) }
        // No other view is read, and no trigger fires, regardless of the contents of the file.
        options.firesNoTriggers = true
        return options
    }
}
