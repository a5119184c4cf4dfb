import CSQLiteShims
import GRDB

extension StoreOptions {
    /// The views of another program's database that may be read as if they were tables.
    public enum ReadableViews: Hashable, Sendable {
        /// No view is read: its expressions come from the file.
        case none
        /// The views with these names, and the views that they read.
        case named(Set<String>)
        /// Every view.
        case all

        /// Returns whether a view may be read by its name.
        ///
        /// - Parameter name: The name of the view, compared with regard to case.
        public func contains(_ name: String) -> Bool {
            switch self {
            case .none: false
            case .named(let names): names.contains(name)
            case .all: true
            }
        }
    }

    /// Lets a restricted connection read views, if the options allow some.
    ///
    /// A view is an expression of the file. It cannot write, call functions with side effects, or functions
    /// that are not built in (`PRAGMA trusted_schema = OFF`), and the limits of statements apply.
    ///
    /// - Throws: `DatabaseError`.
    func allowViews(on source: some StatementSource) throws {
        guard readableViews != .none else { return }
        guard csqlitesettings_read_views(UnsafeMutableRawPointer(source.connection)) == 0 else {
            throw DatabaseError(of: source.connection, sql: "")
        }
    }
}
