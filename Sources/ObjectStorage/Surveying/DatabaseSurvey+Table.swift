public import ObjectModel

extension DatabaseSurvey {
    /// A table or view of a surveyed database.
    public struct Table: Hashable, Sendable {
        /// The kind of a table.
        public enum Kind: String, Hashable, Sendable {
            /// A table with rows of its own.
            case table
            /// A view.
            case view
            /// A virtual table, such as a full-text index.
            case virtualTable
            /// A table in which a virtual table keeps its contents.
            case shadowTable
            /// A control table of this library.
            case controlTable
        }

        /// The role of a table in the model.
        public enum Role: Hashable, Sendable {
            /// The table holds the objects of an entity.
            case entity(String)
            /// The table holds the pairs of a many-to-many relationship.
            case link(entityName: String, relationshipName: String)
            /// The table is not part of the model, with the reason and a remedy.
            case notTaken(reason: String, remedy: String)
        }

        /// The name in the schema.
        public let name: String
        /// The kind of the table.
        public let kind: Kind
        /// The role of the table in the model.
        public let role: Role
        /// The columns in the order of the schema; empty unless the table is part of the model.
        public let columns: [Column]
        /// The number of rows that were examined.
        public let examinedRowCount: Int
        /// Whether the table has more rows than were examined.
        public let hasMoreRows: Bool
        /// Whether the objects are identified by row IDs that no column declares, or are rows of a view, so
        /// that the table can only be read.
        public let isReadOnly: Bool
        /// Foreign keys that are not relationships, with the reasons.
        public let notes: [String]
        /// Whether an attempt to read the table failed, so that it may have contents that could be moved.
        package let isUnreadable: Bool
    }

    /// A column of a table that is part of the model.
    public struct Column: Hashable, Sendable {
        /// The role of a column in the model.
        public enum Role: Hashable, Sendable {
            /// The column holds the keys of the objects.
            case key
            /// The column holds an attribute.
            case attribute(name: String, AttributeType)
            /// The column holds a to-one relationship.
            case relationship(name: String, entityName: String)
            /// The column is one of the pair of a many-to-many relationship.
            case linkEnd(entityName: String)
            /// The column is not part of the model, with the reason.
            case notTaken(reason: String)
        }

        /// The name in the schema.
        public let name: String
        /// The declared type; empty if none is declared.
        public let declaredType: String
        /// The role of the column in the model.
        public let role: Role
        /// The reason for the role, if it does not follow from the declaration alone.
        public let note: String?
    }
}

extension DatabaseSurvey {
    /// Returns the table whose rows are the objects of an entity.
    ///
    /// - Parameter name: The name of an entity in the model of the survey.
    /// - Returns: The table; nil if the model has no such entity.
    /// - Complexity: O(*t*) in the number of tables.
    public func table(ofEntityNamed name: String) -> Table? { tables.first { $0.role == .entity(name) } }
}

extension DatabaseSurvey.Table: CustomStringConvertible {
    /// The table and its role in the model, on one line.
    public var description: String {
        switch role {
        case .entity(let entityName):
            "\(kindName) “\(name)”: entity" + (entityName == name ? "" : " “\(entityName)”")
        case .link(let entityName, let relationshipName):
            "table “\(name)”: pairs of “\(entityName).\(relationshipName)”"
        case .notTaken(let reason, let remedy): "\(kindName) “\(name)”: \(reason). \(remedy)"
        }
    }

    private var kindName: String {
        switch kind {
        case .view: "view"
        case .virtualTable: "virtual table"
        default: "table"
        }
    }
}

extension DatabaseSurvey.Column: CustomStringConvertible {
    /// The column and its role in the model, on one line.
    public var description: String {
        let part =
            switch role {
            case .key: "the key (objectID)"
            case .attribute(let name, let type):
                name == self.name ? "\(type.rawValue)" : "attribute “\(name)”, \(type.rawValue)"
            case .relationship(let name, let entityName): "relationship “\(name)” to “\(entityName)”"
            case .linkEnd(let entityName): "leads to “\(entityName)”"
            case .notTaken(let reason): "not taken: \(reason)"
            }
        return "“\(name)”: \(part)" + (note.map { " (\($0))" } ?? "")
    }
}
