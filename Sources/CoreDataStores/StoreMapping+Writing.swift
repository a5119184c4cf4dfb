import ModelReading
import ObjectStorage

extension StoreMapping {
    /// The rules of a model and of the store's triggers, by which rows are written.
    struct WritingRules {
        /// The rules of the model.
        let model: StoredModel.Rules
        /// The columns that triggers of the store write, in capital letters, by table.
        let triggerColumns: [String: Set<String>]

    }

    /// Returns the rules for the rows of an entity; nil if the store is only read.
    ///
    /// - Parameter columns: The columns of its attributes and to-one relationships, with inherited ones.
    func rowRules(of name: String, _ columns: [String: String]) -> ExistingTable.RowRules? {
        guard let rules, let entity = entities[name] else { return nil }
        let table = entity.placement.table
        let written = rules.triggerColumns[table.name.uppercased()] ?? []
        var computed: Set<String> = []
        var triggered: Set<String> = []
        for owner in lineage(of: name).compactMap({ entities[$0] }) {
            let derived = rules.model.derivedAttributes[owner.description.name] ?? []
            for attribute in owner.attributes where !attribute.isTransient {
                guard let column = columns[attribute.name], written.contains(column.uppercased()) else {
                    continue
                }
                if derived.contains(attribute.name) {
                    computed.insert(attribute.name)
                } else {
                    triggered.insert(attribute.name)
                }
            }
        }
        let constraints = (rules.model.uniquenessConstraints[name] ?? []).filter { names in
            names.allSatisfy { columns[$0] != nil }
        }
        return ExistingTable.RowRules(
            versionColumn: table.columns["Z_OPT"] ?? "Z_OPT",
            entityColumn: table.columns["Z_ENT"] ?? "Z_ENT", entityNumber: entity.placement.number,
            computedAttributes: computed, triggeredAttributes: triggered,
            uniquenessConstraints: constraints)
    }

    /// Returns the names of an entity and of all entities that inherit from it.
    func family(of name: String) -> [String] { names.filter { lineage(of: $0).contains(name) } }
}
