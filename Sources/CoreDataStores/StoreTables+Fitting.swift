import ModelReading
import ObjectStorage

extension StoreTables {
    /// Creates the tables that Core Data would make for a model, as far as checks of the mapping need them.
    init(fitting model: StoredModel) {
        let parents = model.entities.reduce(into: [String: String]()) { $0[$1.name] = $1.parentName }
        let numbers = model.entities.enumerated().reduce(into: [String: Int64]()) {
            $0[$1.element.name] = Int64($1.offset + 1)
        }
        var columns: [String: [String]] = [:]
        var joins: [String: [String]] = [:]
        for entity in model.entities {
            let root = EntityPlacements.lineage(of: entity.name, parents).last ?? entity.name
            var own = entity.attributes.map { "Z" + $0.name.uppercased() }
            for relationship in entity.relationships {
                let title = relationship.name.uppercased()
                guard relationship.isToMany else {
                    own += ["Z" + title, "Z_FOK_" + title]
                    continue
                }
                let (number, other) = (
                    numbers[entity.name] ?? 0, numbers[relationship.destinationEntityName] ?? 0
                )
                let inverse = relationship.inverseName?.uppercased() ?? "NONE"
                joins["Z_\(number)\(title)"] = ["Z_\(number)\(inverse)", "Z_\(other)\(title)"]
            }
            columns["Z" + root.uppercased(), default: ["Z_PK", "Z_ENT", "Z_OPT"]] += own
        }
        let all = columns.merging(joins) { first, _ in first }
        let tables = all.reduce(into: [String: Table]()) { tables, table in
            tables[table.key] = Table(
                name: table.key, columns: Dictionary(table.value.map { ($0, $0) }) { first, _ in first },
                order: table.value)
        }
        self.init(
            tables: tables,
            entities: model.entities.map {
                NumberedEntity(
                    number: numbers[$0.name] ?? 0, name: $0.name,
                    parentNumber: $0.parentName.flatMap { numbers[$0] } ?? 0)
            })
    }
}
