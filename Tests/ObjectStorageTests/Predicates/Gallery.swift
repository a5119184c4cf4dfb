import Foundation
import ObjectStorage
import CheckSupport

/// The classes of the predicate tests: to-one and to-many relationships, two levels deep, and to the same
/// entity.
final class Museum: ManagedObject {
    @Attribute var name: String = ""
    @Attribute var founded: Date?
    @Relationship var rooms: Set<Room>
}

final class Room: ManagedObject {
    @Attribute var number: Int16 = 0
    @Attribute var label: String?
    @Relationship(inverse: \Museum.rooms) var museum: Museum?
    @Relationship var paintings: Set<Painting>
}

final class Painter: ManagedObject {
    @Attribute var name: String = ""
    @Attribute var born: Int32?
    @Attribute var motto: String?
    @Relationship(inverse: \Painter.pupils) var teacher: Painter?
    @Relationship var pupils: Set<Painter>
    @Relationship var paintings: Set<Painting>
}

final class Painting: ManagedObject {
    @Attribute(.indexed) var title: String = ""
    @Attribute var subtitle: String?
    @Attribute(.indexed) var year: Int32?
    @Attribute var key: Int64?
    @Attribute var ratio: Double?
    @Attribute var weight: Float?
    @Attribute var isShown: Bool?
    @Attribute var added: Date?
    @Attribute var image: Data?
    @Attribute var uuid: UUID?
    @Relationship(inverse: \Room.paintings) var room: Room?
    @Relationship(inverse: \Painter.paintings) var painter: Painter?
    @Relationship(inverse: \Keyword.paintings) var keywords: Set<Keyword>
}

final class Keyword: ManagedObject {
    @Attribute var word: String = ""
    @Attribute var weight: Int16?
    @Relationship var paintings: Set<Painting>
}

/// A store of random paintings, with values that are hard to compare and many missing values.
struct Gallery {
    static let model = Result {
        try ManagedObjectModel(types: Museum.self, Room.self, Painter.self, Painting.self, Keyword.self)
    }

    let container: PersistentContainer
    let context: ManagedObjectContext

    init() throws {
        container = try PersistentContainer(inMemoryWith: Self.model.get())
        context = container.newContext()
    }

    /// Returns all objects of an entity in the context.
    func objects(of entityName: String) throws -> [ManagedObject] {
        try context.fetch(FetchRequest<ManagedObject>(entityName: entityName))
    }

    /// Returns the attributes' values of some objects, ordered by object ID.
    static func values(of objects: some Sequence<ManagedObject>) throws -> [(
        name: String, value: StoredValue
    )] {
        try objects.sorted { $0.objectID.description < $1.objectID.description }.flatMap { object in
            try object.entity.attributes.map { ($0.name, try object.value(forProperty: $0.name)) }
        }
    }

    /// Inserts objects with random values and relationships.
    func fill(using generator: inout SeededGenerator) throws {
        let museums = try (0..<2).map { _ in try context.insert(Museum.self) }
        let rooms = try (0..<4).map { _ in try context.insert(Room.self) }
        let painters = try (0..<4).map { _ in try context.insert(Painter.self) }
        let paintings = try (0..<9).map { _ in try context.insert(Painting.self) }
        let keywords = try (0..<3).map { _ in try context.insert(Keyword.self) }
        for object in museums + rooms + painters + paintings + keywords as [ManagedObject] {
            try change(object, probability: 1, using: &generator)
        }
    }

    /// Gives some properties of an object random values.
    func change(_ object: ManagedObject, probability: Double, using generator: inout SeededGenerator) throws {
        for attribute in object.entity.attributes
        where Double.random(in: 0..<1, using: &generator) < probability {
            let isNil = attribute.isOptional && Int.random(in: 0..<4, using: &generator) == 0
            let value = isNil ? .null : RandomValue.value(of: attribute.type, using: &generator)
            try object.setValue(value, forProperty: attribute.name)
        }
        for relationship in object.entity.toOneRelationships
        where Double.random(in: 0..<1, using: &generator) < probability {
            let candidates = try objects(of: relationship.destinationEntityName)
            let target =
                Int.random(in: 0..<4, using: &generator) == 0
                ? nil : candidates.randomElement(using: &generator)
            try object.setRelatedObject(target, forRelationship: relationship.name)
        }
        // To-many relationships with a to-one inverse change through the inverse.
        for relationship in object.entity.relationships
        where relationship.name == "keywords" && Double.random(in: 0..<1, using: &generator) < probability {
            let targets = try objects(of: relationship.destinationEntityName).filter { _ in
                Bool.random(using: &generator)
            }
            try object.setRelatedObjects(targets, forRelationship: relationship.name)
        }
    }
}

/// Random values that are hard to compare.
enum RandomValue {
    static let pieces = [
        "a", "A", "b", "e", "E", "é", "e\u{301}", "É", "ê", "o", "ö", "O\u{308}", "ø", "ß", "ss", "SS", "ẞ",
        "I", "i", "İ",
        "ı", "σ", "ς", "Σ", "ά", "ﬁ", "Å", "å", "\u{212B}", "日", "各", "각", "가", "が", "か", "ц", "й", "Й", "שָׁ",
        "ש",
        "مُ", "م", "क्ष", "कष", "क़", "😀", "👨‍👩‍👧", "👨", "🇩🇪", "1", "9", "10", " ", "*", "?", "\\", "%", "_", "'",
        "\"", ";",
        "\u{0}", "\n", "\r\n", "\u{345}", "ǆ", "ǅ", "\u{FFFD}", "\u{10FFFF}", ".", "-", "#", "$x", "@",
    ]
    static let integers: [Int64] = [
        0, 1, -1, 2, 3, 7, 10, -10, 100, 1900, 32_767, -32_768, 1 << 31, (1 << 53) - 1, 1 << 53,
        (1 << 53) + 1,
        -(1 << 53) - 1, .max, .max - 1, .min, .min + 1,
    ]
    static let reals: [Double] = [
        0, -0.0, 0.5, 0.1, 0.3, -1, 1, 2, 3, 1900, 0x1p53, 0x1p53 + 2, 0x1p63, -0x1p63, 0x1p62, 1e308, -1e308,
        1e-308,
        .leastNonzeroMagnitude, .infinity, -.infinity, 9.5, 1e16, 100.25,
    ]

    static func text(using generator: inout SeededGenerator, longest: Int = 4) -> String {
        (0..<Int.random(in: 0...longest, using: &generator)).map { _ in
            pieces.randomElement(using: &generator) ?? ""
        }
        .joined()
    }

    static func integer(using generator: inout SeededGenerator) -> Int64 {
        Bool.random(using: &generator)
            ? integers.randomElement(using: &generator) ?? 0 : Int64.random(in: -3...3, using: &generator)
    }

    static func real(using generator: inout SeededGenerator) -> Double {
        Bool.random(using: &generator)
            ? reals.randomElement(using: &generator) ?? 0
            : Double(Int.random(in: -6...6, using: &generator)) / 2
    }

    static func bytes(using generator: inout SeededGenerator) -> [UInt8] {
        (0..<Int.random(in: 0...2, using: &generator)).map { _ in
            [0, 1, 65, 255].randomElement(using: &generator) ?? 0
        }
    }

    static func value(of type: AttributeType, using generator: inout SeededGenerator) -> StoredValue {
        switch type {
        case .integer16: .integer(Int64(Int16(truncatingIfNeeded: integer(using: &generator))))
        case .integer32: .integer(Int64(Int32(truncatingIfNeeded: integer(using: &generator))))
        case .integer64: .integer(integer(using: &generator))
        case .boolean: .integer(Int64.random(in: 0...1, using: &generator))
        case .double, .date: .real(real(using: &generator))
        case .float: .real(Double(Float(real(using: &generator))))
        case .string: .text(text(using: &generator))
        case .binaryData: .blob(bytes(using: &generator))
        case .decimal: .text(["0", "1", "-1.5", "2", "1900"].randomElement(using: &generator) ?? "0")
        case .uri: .text("a:" + String(Int.random(in: 0...2, using: &generator)))
        case .transformable: .blob(bytes(using: &generator))
        case .uuid: .blob([UInt8](repeating: UInt8.random(in: 0...2, using: &generator), count: 16))
        }
    }
}

/// Other spellings of texts.
enum TextSpelling {
    /// Returns the text with letters and marks as separate scalars.
    static func decomposed(_ text: String) -> String { text.decomposedStringWithCanonicalMapping }

    /// Returns the text without its nonspacing marks.
    static func withoutMarks(_ text: String) -> String {
        var plain = String.UnicodeScalarView()
        for scalar in text.decomposedStringWithCanonicalMapping.unicodeScalars
        where scalar.properties.generalCategory != .nonspacingMark {
            plain.append(scalar)
        }
        return String(plain)
    }
}
