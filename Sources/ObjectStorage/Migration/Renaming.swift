/// The correspondence between the properties of an entity in a store and in a model.
///
/// Each property is matched with at most one of the other side:
///
/// 1. with the one that declares the same renaming identifier, because the store was migrated or made after
/// the renaming,
/// 2. with the one whose name is its renaming identifier, unless the store's property with its present name
/// would then be lost,
/// 3. with the one of the same name.
struct Renaming {
    /// The names of a property.
    struct Property {
        /// The name.
        let name: String
        /// The renaming identifier.
        let renamingIdentifier: String?
    }

    private var previousNames: [String: String] = [:]
    private var newNames: [String: String] = [:]

    /// Matches the properties.
    init(from old: [Property], to new: [Property]) {
        for property in new {
            guard let identifier = property.renamingIdentifier,
                let previous = old.first(where: { $0.renamingIdentifier == identifier })
            else { continue }
            match(previous.name, property.name)
        }
        // All such matches are collected before the check, so that two properties can exchange their names.
        let wishes = new.compactMap { property -> (previous: String, name: String)? in
            guard previousNames[property.name] == nil, let identifier = property.renamingIdentifier,
                newNames[identifier] == nil, old.contains(where: { $0.name == identifier })
            else { return nil }
            return (identifier, property.name)
        }
        for (previous, name) in wishes {
            let isLost =
                old.contains { $0.name == name } && newNames[name] == nil
                && !wishes.contains { $0.previous == name }
            if !isLost { match(previous, name) }
        }
        for property in new where old.contains(where: { $0.name == property.name }) {
            match(property.name, property.name)
        }
    }

    private mutating func match(_ previous: String, _ new: String) {
        guard newNames[previous] == nil, previousNames[new] == nil else { return }
        newNames[previous] = new
        previousNames[new] = previous
    }

    /// Returns the name in the store of a property of the model; nil for a new one.
    func previousName(of name: String) -> String? { previousNames[name] }

    /// Returns the name in the model of a property of the store; nil for a removed one.
    func newName(of name: String) -> String? { newNames[name] }
}

extension EntityDescription {
    /// Returns the correspondence between the attributes of an entity of a store and of this entity.
    func renamedAttributes(from source: EntityDescription) -> Renaming {
        Renaming(
            from: source.storedAttributes.map {
                .init(name: $0.name, renamingIdentifier: $0.renamingIdentifier)
            },
            to: storedAttributes.map { .init(name: $0.name, renamingIdentifier: $0.renamingIdentifier) })
    }

    /// Returns the correspondence between the relationships of an entity of a store and of this entity.
    func renamedRelationships(from source: EntityDescription) -> Renaming {
        Renaming(
            from: source.relationships.map {
                .init(name: $0.name, renamingIdentifier: $0.renamingIdentifier)
            },
            to: relationships.map { .init(name: $0.name, renamingIdentifier: $0.renamingIdentifier) })
    }
}
