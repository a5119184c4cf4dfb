import SectionedFetch
import ToolSupport

/// The comparison of a new store with the store that was moved: every count, every value and every
/// relationship with its order.
struct MoveComparison {
    /// A part of an object that differs.
    struct Difference: Equatable {
        let entityName: String
        /// The key of the object; nil for several objects.
        let key: Int64?
        /// The property; nil for a whole object or a number of objects.
        let propertyName: String?
        /// The content in the source.
        let source: String
        /// The content in the new store.
        let target: String
        /// The reason why the new store cannot have the content; nil for an unexpected difference.
        var reason: String?
        /// The number of contents that differ.
        var count = 1
    }

    /// The numbers of objects by entity, without those of sub-entities.
    private(set) var numbersOfObjects: [String: Int] = [:]
    /// The number of compared objects.
    var numberOfObjects: Int { numbersOfObjects.values.reduce(0, +) }
    /// The number of compared attribute values and to-one relationships.
    private(set) var numberOfValues = 0
    /// The number of compared members of to-many relationships.
    private(set) var numberOfLinks = 0
    /// The unexpected differences, at most ``maximumListed``.
    private(set) var differences: [Difference] = []
    /// The number of unexpected differences.
    private(set) var numberOfDifferences = 0
    /// The contents that the new store cannot have, at most ``maximumListed`` entries.
    private(set) var losses: [Difference] = []
    /// The number of contents that the new store cannot have.
    private(set) var numberOfLosses = 0

    /// The largest number of differences that are listed.
    static let maximumListed = 1_000

    private let source: MoveSource
    private let plan: MovePlan
    private let target: ManagedObjectContext
    private let progress: (Int) -> Void
    private var numberOfRows = 0

    /// Compares two stores.
    ///
    /// - Parameter progress: Called with the number of compared rows and members after each batch.
    /// - Throws: `ObjectStorageError`; `CancellationError` after a signal.
    /// - Complexity: O(*n* log *n*) in the number of rows and members.
    init(
        of source: MoveSource, with target: PersistentContainer, by plan: MovePlan,
        progress: @escaping (Int) -> Void
    ) throws {
        self.source = source
        self.plan = plan
        self.target = target.newContext()
        self.progress = progress
        for loss in source.losses { note(loss) }
        for entity in plan.model.entities { try compareCounts(of: entity) }
        for root in plan.model.entities where root.parentName == nil { try compareObjects(of: root) }
        for entity in plan.model.entities {
            for relationship in entity.ownRelationships where relationship.isToMany {
                try compareMembers(of: relationship, in: entity)
            }
        }
    }

    private mutating func compareCounts(of entity: EntityDescription) throws {
        let request = FetchRequest<ManagedObject>(entityName: entity.name)
        let counts = (try source.context.count(for: request), try target.count(for: request))
        guard counts.0 != counts.1 else { return }
        note(
            Difference(
                entityName: entity.name, key: nil, propertyName: nil,
                source: Quantity.count(counts.0, "object"), target: Quantity.count(counts.1, "object")))
    }

    private mutating func note(_ difference: Difference) {
        guard difference.reason != nil else {
            numberOfDifferences += 1
            if differences.count < Self.maximumListed { differences.append(difference) }
            return
        }
        numberOfLosses += difference.count
        if losses.count < Self.maximumListed { losses.append(difference) }
    }

    private mutating func advance(_ count: Int) throws {
        numberOfRows += count
        progress(numberOfRows)
        try Mover.checkInterruption()
    }
}

extension MoveComparison {
    /// The rows of both stores that are compared at a time.
    private static let batch = (rows: 1_000, bytes: 16 << 20, members: 200_000)

    private mutating func compareObjects(of root: EntityDescription) throws {
        guard let sourceRoot = source.container.model.entity(named: root.name) else { return }
        var rows: [StoredRow] = []
        var byteCount = 0
        var key: Int64?
        var numberOfRows = 0
        let hidden = try source.context.forEachStoredRow(inTableOf: sourceRoot) { row in
            rows.append(row)
            numberOfRows += 1
            byteCount += row.byteCount
            guard rows.count >= Self.batch.rows || byteCount >= Self.batch.bytes else { return true }
            try compare(rows, of: root, after: key, isLast: false)
            key = row.key
            (rows, byteCount) = ([], 0)
            return true
        }
        try compare(rows, of: root, after: key, isLast: true)
        if hidden > 0 {
            note(
                Difference(
                    entityName: root.name, key: nil, propertyName: nil,
                    source: "\(Quantity.count(hidden, "row")) of entities that the model does not have",
                    target: "no object", reason: "an object has an entity of the model", count: hidden))
        }
        // SQLite counts the rows of the table itself.
        let total = try source.context.numberOfStoredRows(inTableNamed: sourceRoot.tableName) ?? 0
        guard total != numberOfRows + hidden else { return }
        note(
            Difference(
                entityName: root.name, key: nil, propertyName: nil, source: Quantity.count(total, "row"),
                target: "\(Quantity.count(numberOfRows + hidden)) of them"))
    }

    /// Compares rows with those that have the same keys in the new store. The new store must have no other
    /// rows in this range of keys.
    private mutating func compare(
        _ rows: [StoredRow], of root: EntityDescription, after key: Int64?, isLast: Bool
    ) throws {
        var rest = rows[...]
        try target.forEachStoredRow(inTableOf: root, after: key) { found in
            if !isLast, let last = rows.last, found.key > last.key { return false }
            while let row = rest.first, row.key < found.key {
                noteMissing(row)
                rest.removeFirst()
            }
            if let row = rest.first, row.key == found.key {
                try compare(row, found)
                rest.removeFirst()
            } else {
                note(
                    Difference(
                        entityName: found.entity.name, key: found.key, propertyName: nil,
                        source: "no object", target: "an object"))
            }
            return true
        }
        for row in rest { noteMissing(row) }
        try advance(rows.count)
    }

    private mutating func noteMissing(_ row: StoredRow) {
        note(
            Difference(
                entityName: row.entity.name, key: row.key, propertyName: nil, source: "an object",
                target: "no object"))
    }

    private mutating func compare(_ row: StoredRow, _ found: StoredRow) throws {
        guard row.entity.name == found.entity.name else {
            return note(
                Difference(
                    entityName: row.entity.name, key: row.key, propertyName: nil,
                    source: "an object of “\(row.entity.name)”",
                    target: "an object of “\(found.entity.name)”"))
        }
        numbersOfObjects[row.entity.name, default: 0] += 1
        let names = found.entity.columnPropertyNames
        let (fitted, misfits) = row.fitted(to: found.entity)
        numberOfValues += names.count
        func difference(_ slot: Int, _ reason: String?) -> Difference {
            Difference(
                entityName: row.entity.name, key: row.key, propertyName: names[slot],
                source: row.values[slot].text, target: found.values[slot].text, reason: reason)
        }
        // Positions are compared as the order of the members.
        for slot in names.indices {
            guard fitted[slot].isIdentical(to: found.values[slot]) else {
                note(difference(slot, try reason(slot, fitted[slot], found)))
                continue
            }
            if let file = row.missingFiles[slot] {
                note(difference(slot, "the file “\(file)” with the value cannot be read"))
            } else if misfits.contains(slot) {
                note(difference(slot, "the value is not one of the property's type"))
            } else if row.repairedSlots.contains(slot) {
                note(difference(slot, "the text is not valid UTF-8; U+FFFD replaces the invalid bytes"))
            } else if let column = row.columnValues[slot], let form = row.form(ofSlot: slot) {
                let restored = form.column(ofValue: found.values[slot])
                guard !form.isEquivalent(column, to: restored) else { continue }
                note(
                    Difference(
                        entityName: row.entity.name, key: row.key, propertyName: names[slot],
                        source: column.text, target: found.values[slot].text,
                        reason: "converted back, the value is \(restored.text)"))
            }
        }
    }

    /// Returns the reason why the new store cannot have a value; nil if it should have it.
    private func reason(_ slot: Int, _ value: StoredValue, _ found: StoredRow) throws -> String? {
        if value == .real(0), found.values[slot] == .real(0) { return "SQLite stores −0.0 as 0.0" }
        let first = found.entity.storedAttributes.count
        guard slot >= first, case .integer(let key) = value, found.values[slot].isNull,
            let destination = source.container.model.entity(
                named: found.entity.toOneRelationships[slot - first].destinationEntityName),
            try !source.context.hasStoredRow(key, inTableOf: destination)
        else { return nil }
        return "the related object does not exist"
    }

    private mutating func compareMembers(
        of relationship: RelationshipDescription, in entity: EntityDescription
    ) throws {
        guard let sourceEntity = source.container.model.entity(named: entity.name) else { return }
        let sourceRelationship = plan.sourceRelationship(relationship, of: entity)
        var members: [(owner: Int64, member: Int64)] = []
        var next = Int64.min
        try source.context.forEachStoredMember(of: sourceRelationship, in: sourceEntity) { owner, member in
            if members.count >= Self.batch.members, let last = members.last?.owner, last != owner {
                try compare(members, of: relationship, in: entity, owners: next...last)
                next = last + 1
                members = []
            }
            members.append((owner, member))
            return true
        }
        try compare(members, of: relationship, in: entity, owners: next...(.max))
        guard plan.model.linkEnd(of: relationship, in: entity)?.isForward == true else { return }
        var (complete, incomplete) = (0, 0)
        try source.context.forEachStoredLink(of: sourceRelationship, in: sourceEntity) { link in
            if link.isComplete {
                complete += 1
                return true
            }
            incomplete += 1
            note(
                Difference(
                    entityName: entity.name, key: link.owner, propertyName: relationship.name,
                    source: "object \(link.member)", target: "nil",
                    reason: "one of the two objects does not exist"))
            return true
        }
        try compareLinks(complete, incomplete, of: relationship, in: entity)
    }

    /// Compares the numbers of pairs with the numbers of rows of both link tables.
    private mutating func compareLinks(
        _ complete: Int, _ incomplete: Int, of relationship: RelationshipDescription,
        in entity: EntityDescription
    ) throws {
        let sourceModel = source.container.model
        guard let end = plan.model.linkEnd(of: relationship, in: entity),
            let sourceEntity = sourceModel.entity(named: entity.name),
            let sourceEnd = sourceModel.linkEnd(
                of: plan.sourceRelationship(relationship, of: entity), in: sourceEntity)
        else { return }
        let found = try target.numberOfStoredRows(inTableNamed: end.table.name) ?? 0
        if found != complete {
            note(
                Difference(
                    entityName: entity.name, key: nil, propertyName: relationship.name,
                    source: Quantity.count(complete, "pair"), target: Quantity.count(found, "pair")))
        }
        // The rows of an entity without a key of another object are no pairs.
        let table = sourceEnd.table.name
        guard !sourceModel.entities.contains(where: { $0.tableName == table }),
            let total = try source.context.numberOfStoredRows(inTableNamed: table)
        else { return }
        let lost = total - complete - incomplete
        guard lost != 0 else { return }
        note(
            Difference(
                entityName: entity.name, key: nil, propertyName: relationship.name,
                source: "\(Quantity.count(lost, "row")) of “\(table)”", target: "no pair",
                reason: lost > 0 ? "one of the two keys is missing" : nil, count: max(lost, 1)))
    }

    private mutating func compare(
        _ members: [(owner: Int64, member: Int64)], of relationship: RelationshipDescription,
        in entity: EntityDescription, owners: ClosedRange<Int64>
    ) throws {
        var found: [(owner: Int64, member: Int64)] = []
        found.reserveCapacity(members.count)
        try target.forEachStoredMember(of: relationship, in: entity, ofOwners: owners) {
            found.append(($0, $1))
            return true
        }
        numberOfLinks += members.count
        if !members.elementsEqual(found, by: ==) {
            let lists = (Self.lists(members), Self.lists(found))
            for owner in Set(lists.0.keys).union(lists.1.keys).sorted() {
                let (first, second) = (lists.0[owner, default: []], lists.1[owner, default: []])
                guard first != second else { continue }
                note(
                    Difference(
                        entityName: entity.name, key: owner, propertyName: relationship.name,
                        source: Self.text(first), target: Self.text(second)))
            }
        }
        try advance(members.count)
    }

    private static func lists(_ members: [(owner: Int64, member: Int64)]) -> [Int64: [Int64]] {
        members.reduce(into: [:]) { $0[$1.owner, default: []].append($1.member) }
    }

    private static func text(_ keys: [Int64]) -> String {
        guard !keys.isEmpty else { return "no objects" }
        let shown = keys.prefix(20).map { String($0) }.joined(separator: " ")
        return "objects \(shown)\(keys.count > 20 ? " … (\(Quantity.count(keys.count)))" : "")"
    }
}

extension StoredValue {
    /// Returns whether both values are the same, numbers bit by bit.
    fileprivate func isIdentical(to other: StoredValue) -> Bool {
        if case (.real(let first), .real(let second)) = (self, other) {
            return first.bitPattern == second.bitPattern
        }
        return self == other
    }

    /// The value as text of bounded length.
    var text: String {
        let text = description
        return text.count > 200 ? String(text.prefix(200)) + "…" : text
    }
}
