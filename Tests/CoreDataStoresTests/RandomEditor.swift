import CheckSupport
import Foundation
import ObjectStorage

/// Random changes of the objects of any model, through the public interface.
struct RandomEditor {
    private var generator: SeededGenerator
    private let model: ManagedObjectModel
    /// The entities of which objects are inserted, changed and deleted.
    private let entities: [EntityDescription]
    private var number = 0

    init(_ model: ManagedObjectModel, except names: Set<String> = [], seed: UInt64) {
        self.model = model
        generator = SeededGenerator(seed: seed)
        entities = model.entities.filter { !$0.isAbstract && !names.contains($0.name) }
    }

    /// Makes some changes that the model allows, apart from rules that a save reports.
    mutating func edit(_ context: ManagedObjectContext) throws {
        for _ in 0..<Int.random(in: 1...8, using: &generator) {
            guard let entity = entities.randomElement(using: &generator) else { return }
            switch Int.random(in: 0..<10, using: &generator) {
            case 0..<3: try fill(context.insert(entityNamed: entity.name), of: entity, in: context)
            case 3..<5:
                guard let object = try object(of: entity.name, in: context) else { continue }
                let names = entity.attributes.filter { !$0.isTransient }
                guard let attribute = names.randomElement(using: &generator) else { continue }
                try object.setValue(value(of: attribute), forProperty: attribute.name)
            case 5..<9:
                guard let object = try object(of: entity.name, in: context),
                    let relationship = entity.relationships.randomElement(using: &generator)
                else { continue }
                try relate(object, relationship, in: context)
            default:
                if let object = try object(of: entity.name, in: context) { context.delete(object) }
            }
        }
    }

    private mutating func fill(
        _ object: ManagedObject, of entity: EntityDescription, in context: ManagedObjectContext
    ) throws {
        for attribute in entity.attributes where !attribute.isTransient {
            try object.setValue(value(of: attribute), forProperty: attribute.name)
        }
        for relationship in entity.relationships {
            if !relationship.isOptional || Int.random(in: 0..<3, using: &generator) == 0 {
                try relate(object, relationship, in: context)
            }
        }
    }

    private mutating func relate(
        _ object: ManagedObject, _ relationship: RelationshipDescription, in context: ManagedObjectContext
    ) throws {
        let destination = relationship.destinationEntityName
        guard relationship.isToMany else {
            let other = try self.object(of: destination, in: context)
            if other == nil, !relationship.isOptional { return }
            let isCleared = relationship.isOptional && Int.random(in: 0..<4, using: &generator) == 0
            return try object.setRelatedObject(isCleared ? nil : other, forRelationship: relationship.name)
        }
        var objects = try object.relatedObjects(relationship.name)
        switch Int.random(in: 0..<4, using: &generator) {
        case 0: objects.shuffle(using: &generator)
        case 1 where !objects.isEmpty:
            objects.remove(at: Int.random(in: objects.indices, using: &generator))
        default:
            guard let other = try self.object(of: destination, in: context), !objects.contains(other) else {
                return
            }
            objects.insert(other, at: Int.random(in: 0...objects.count, using: &generator))
        }
        try object.setRelatedObjects(objects, forRelationship: relationship.name)
    }

    private mutating func object(
        of entityName: String, in context: ManagedObjectContext
    ) throws -> ManagedObject? {
        let objects = try context.fetch(FetchRequest<ManagedObject>(entityName: entityName, fetchLimit: 40))
        return objects.filter { !$0.isDeleted }.randomElement(using: &generator)
    }

    private mutating func value(of attribute: AttributeDescription) -> StoredValue {
        if attribute.isOptional, Int.random(in: 0..<6, using: &generator) == 0 { return .null }
        number += 1
        switch attribute.type {
        case .string: return .text("text \(number) äß日")
        case .integer16: return .integer(.random(in: -1_000...1_000, using: &generator))
        case .integer32, .integer64: return .integer(.random(in: -100_000...100_000, using: &generator))
        case .double, .date: return .real(Double.random(in: 0..<7e8, using: &generator))
        case .float: return .real(Double(Float.random(in: 0..<1_000, using: &generator)))
        case .decimal: return .text("\(Int.random(in: 1..<1_000, using: &generator)).25")
        case .boolean: return .integer(Bool.random(using: &generator) ? 1 : 0)
        case .uuid: return .blob(generator.bytes(16))
        case .uri: return .text("https://example.org/\(number)")
        case .binaryData, .transformable:
            let isLarge = Int.random(in: 0..<20, using: &generator) == 0
            return .blob(generator.bytes(isLarge ? 140_000 : Int.random(in: 0..<40, using: &generator)))
        }
    }
}
