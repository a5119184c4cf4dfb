/// The properties that a class declares, with their names, in the order in which an object's wrappers are
/// initialized: those of the class itself, then those of its superclasses.
struct PropertyLayout {
    /// The names by wrapper position.
    let names: [String]
    /// The properties by wrapper position.
    let properties: [DeclaredProperty]
    /// The wrapper positions in the order in which entities list properties: superclasses first.
    let entityOrder: [Int]

    /// Finds the names of the properties that a prototype's wrappers declared.
    init(of type: ManagedObject.Type, prototype: ManagedObject, properties: [DeclaredProperty]) {
        var levels = Self.wrappedNames(of: type)
        if levels.reduce(0, { $0 + $1.count }) != properties.count {
            // The class has other stored properties that begin with an underscore; only reflection
            // distinguishes them.
            levels = Self.reflectedNames(of: prototype)
        }
        names = levels.flatMap { $0 }
        precondition(
            names.count == properties.count,
            "\(type) declares \(properties.count) properties, but \(names.count) names were found. Build the program without -disable-reflection-metadata."
        )
        self.properties = properties
        var order: [Int] = []
        var end = names.count
        for level in levels.reversed() {
            order += end - level.count..<end
            end -= level.count
        }
        entityOrder = order
    }

    /// Calls a closure with each superclass of a class, the nearest first, up to but not including
    /// `ManagedObject`.
    ///
    /// - Parameter body: Returns false to stop.
    static func forEachSuperclass(
        of type: ManagedObject.Type, prototype: ManagedObject, _ body: (AnyClass) -> Bool
    ) {
        guard var current = FieldNames.superclass(of: type) else {
            var mirror = Mirror(reflecting: prototype).superclassMirror
            while let level = mirror, let superclass = level.subjectType as? AnyClass,
                superclass != ManagedObject.self, body(superclass)
            {
                mirror = level.superclassMirror
            }
            return
        }
        while current != ManagedObject.self, body(current) {
            guard let next = FieldNames.superclass(of: current) else { return }
            current = next
        }
    }

    /// Returns the names of the stored properties that begin with an underscore, as the compiler names
    /// wrappers' storage (SE-0258), without it; one list for each class from `type` up to the last below
    /// `ManagedObject`.
    private static func wrappedNames(of type: ManagedObject.Type) -> [[String]] {
        var levels: [[String]] = []
        var current: AnyClass? = type
        while let level = current, level != ManagedObject.self {
            guard let names = FieldNames.names(of: level) else { return [] }
            levels.append(names.filter { $0.hasPrefix("_") }.map { String($0.dropFirst()) })
            current = FieldNames.superclass(of: level)
        }
        return levels
    }

    private static func reflectedNames(of prototype: ManagedObject) -> [[String]] {
        var levels: [[String]] = []
        var mirror: Mirror? = Mirror(reflecting: prototype)
        while let level = mirror, level.subjectType != ManagedObject.self {
            levels.append(
                level.children.compactMap { label, value in
                    value is any PropertyDeclaration ? label.map { String($0.dropFirst()) } : nil
                })
            mirror = level.superclassMirror
        }
        return levels
    }
}

/// A property wrapper that declares a property. Reflection, the slow path, recognizes wrappers by it.
protocol PropertyDeclaration {}
