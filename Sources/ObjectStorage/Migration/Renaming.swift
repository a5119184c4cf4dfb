/// Which properties of an entity in a store are which of a model.
///
/// Each property of either goes with one of the other at most:
///
/// 1. with the one that says the same of its former name, because the store was migrated or made since it was
///    renamed,
/// 2. with the one that has the name which it says that it had, unless the store's property of its own name
///    would be lost by that,
/// 3. with the one of its name.
struct Renaming {
    /// A property as far as it matters here.
    struct Property {
        /// Its name.
        let name: String
        /// The name that it says that it had.
        let renamingIdentifier: String?
    }

    private var formerNames: [String: String] = [:]
    private var newNames: [String: String] = [:]

    /// Finds out which is which.
    init(from old: [Property], to new: [Property]) {
        for property in new {
            guard let identifier = property.renamingIdentifier,
                let former = old.first(where: { $0.renamingIdentifier == identifier })
            else { continue }
            match(former.name, property.name)
        }
        // All that say so before the check, so that two properties can take each other's names.
        let wishes = new.compactMap { property -> (former: String, name: String)? in
            guard formerNames[property.name] == nil, let identifier = property.renamingIdentifier,
                newNames[identifier] == nil, old.contains(where: { $0.name == identifier })
            else { return nil }
            return (identifier, property.name)
        }
        for (former, name) in wishes {
            let isLost =
                old.contains { $0.name == name } && newNames[name] == nil
                && !wishes.contains { $0.former == name }
            if !isLost { match(former, name) }
        }
        for property in new where old.contains(where: { $0.name == property.name }) {
            match(property.name, property.name)
        }
    }

    private mutating func match(_ former: String, _ new: String) {
        guard newNames[former] == nil, formerNames[new] == nil else { return }
        newNames[former] = new
        formerNames[new] = former
    }

    /// The name that a property of the model has in the store; nil for a new one.
    func formerName(of name: String) -> String? { formerNames[name] }

    /// The name that a property of the store has in the model; nil for one that is gone.
    func newName(of name: String) -> String? { newNames[name] }
}

extension EntityDescription {
    /// Which attributes of an entity of a store are which of this.
    func renamedAttributes(from source: EntityDescription) -> Renaming {
        Renaming(
            from: source.storedAttributes.map {
                .init(name: $0.name, renamingIdentifier: $0.renamingIdentifier)
            },
            to: storedAttributes.map { .init(name: $0.name, renamingIdentifier: $0.renamingIdentifier) })
    }

    /// Which relationships of an entity of a store are which of this.
    func renamedRelationships(from source: EntityDescription) -> Renaming {
        Renaming(
            from: source.relationships.map {
                .init(name: $0.name, renamingIdentifier: $0.renamingIdentifier)
            },
            to: relationships.map { .init(name: $0.name, renamingIdentifier: $0.renamingIdentifier) })
    }
}
