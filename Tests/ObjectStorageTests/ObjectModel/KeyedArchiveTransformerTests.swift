import CheckSupport
import Foundation
import ObjectStorage
import Testing

/// An object of an app that supports secure coding.
final class Palette: NSObject, NSSecureCoding {
    static var supportsSecureCoding: Bool { true }
    let name: String
    let weight: Double
    let parts: NSArray

    init(name: String, weight: Double, parts: [NSObject]) {
        self.name = name
        self.weight = weight
        self.parts = parts as NSArray
    }

    func encode(with coder: NSCoder) {
        coder.encode(name as NSString, forKey: "name")
        coder.encode(weight, forKey: "weight")
        coder.encode(parts, forKey: "parts")
    }

    required init?(coder: NSCoder) {
        guard let name = coder.decodeObject(of: NSString.self, forKey: "name"),
            let parts = coder.decodeObject(of: [NSArray.self, NSString.self, NSDate.self], forKey: "parts")
                as? NSArray
        else { return nil }
        self.name = name as String
        weight = coder.decodeDouble(forKey: "weight")
        self.parts = parts
    }

    override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? Palette else { return false }
        return other.name == name && other.weight == weight && other.parts == parts
    }
}

private enum PaletteTransformer: KeyedArchiveTransformer {
    typealias Value = Palette
    static var name: String { "Palette" }
    static var allowedClasses: [any (NSObject & NSSecureCoding).Type] {
        [Palette.self, NSArray.self, NSDate.self, NSDictionary.self]
    }
}

private final class Secret: NSObject, NSSecureCoding {
    static var supportsSecureCoding: Bool { true }
    override init() {}
    func encode(with coder: NSCoder) {}
    required init?(coder: NSCoder) {}
}

private enum SecretTransformer: KeyedArchiveTransformer {
    typealias Value = Secret
    static var name: String { "Secret" }
    static var allowedClasses: [any (NSObject & NSSecureCoding).Type] { [Secret.self] }
}

private final class Picture: ManagedObject {
    @Attribute var title: String = ""
    @Transformable(by: PaletteTransformer.self) var palette: Palette?
    @Transformable(by: SecureUnarchiveTransformer.self) var details: NSObject?
}

/// Objects that `NSKeyedArchiver` archives, and other bytes in their place in the store.
@Suite struct KeyedArchiveTransformerTests {
    private let directory = try! TemporaryDirectory()

    private func container() throws -> PersistentContainer {
        try PersistentContainer(
            url: directory.file("pictures.sqlite"), model: ManagedObjectModel(types: Picture.self))
    }

    private var palette: Palette {
        Palette(name: "warm", weight: 0.5, parts: ["red" as NSString, NSDate(timeIntervalSince1970: 5)])
    }

    private var propertyList: NSDictionary {
        [
            "texts": ["a", "ä", ""] as NSArray, "numbers": [1, -2.5, Int64.max] as NSArray,
            "date": NSDate(timeIntervalSince1970: 1), "data": NSData(data: Data([0, 1, 2])),
            "set": NSSet(array: [1, 2]), "url": NSURL(string: "https://example.org/a?b")!,
            "uuid": NSUUID(uuidString: "4B2F1C30-9F5A-4A3B-8C59-0B6AB3B2D1F0")!, "null": NSNull(),
        ]
    }

    @Test func `archived objects are read back from the store`() throws {
        let context = try container().newContext()
        let picture = Picture(context: context)
        (picture.palette, picture.details) = (palette, propertyList)
        try context.save()
        let elsewhere = try container().newContext()
        let same = try #require(try elsewhere.fetch(FetchRequest<Picture>()).first)
        #expect(same.palette == palette && same.details == propertyList && same.readError == nil)
        picture.palette = nil
        try context.save()
        let again = try container().newContext()
        #expect(try again.fetch(FetchRequest<Picture>()).map(\.palette) == [nil])
    }

    @Test func `an attribute without a class uses the transformer with Core Data's name`() throws {
        let picture = EntityDescription(
            name: "Picture",
            attributes: [
                AttributeDescription(
                    name: "details", type: .transformable, isOptional: true,
                    transformerName: "NSSecureUnarchiveFromData")
            ])
        let context = try PersistentContainer(inMemoryWith: ManagedObjectModel(entities: [picture]))
            .newContext()
        let object = try context.insert(entityNamed: "Picture")
        try object.setValue(propertyList, forProperty: "details", by: SecureUnarchiveTransformer.self)
        #expect(try object.transformedValue(forProperty: "details") as? NSDictionary == propertyList)
    }

    @Test func `an object of a class that is not allowed is an error in both directions`() throws {
        let archive = try PaletteTransformer.data(from: palette)
        let decoding = #expect(throws: TransformationError.self) {
            try SecureUnarchiveTransformer.value(from: archive)
        }
        #expect(decoding?.description.contains("Palette, which is not allowed") == true)
        #expect(throws: TransformationError.self) {
            try SecureUnarchiveTransformer.data(from: [palette] as NSArray)
        }
        #expect(throws: TransformationError.self) {
            try PaletteTransformer.data(from: Palette(name: "", weight: 0, parts: [NSUUID()]))
        }
        // The class of another attribute.
        let list = try SecureUnarchiveTransformer.data(from: ["a"] as NSArray)
        #expect(throws: TransformationError.self) { try PaletteTransformer.value(from: list) }
    }

    @Test func `an object of a private class is an error`() {
        #if !canImport(Darwin)
        #expect(throws: TransformationError.self) { try SecretTransformer.data(from: Secret()) }
        #expect(throws: TransformationError.self) {
            try SecretTransformer.value(from: SecureUnarchiveTransformer.data(from: "a" as NSString))
        }
        #endif
    }

    @Test func `bytes that are not an archive give the property its default, with an error`() throws {
        let context = try container().newContext()
        let picture = Picture(context: context)
        (picture.title, picture.palette) = ("a", palette)
        try context.save()
        let url = directory.file("pictures.sqlite")
        for bytes in ["X'00'", "zeroblob(500)", "X'62706C6973743030'", "substr(palette, 1, 100)"] {
            _ = try Library.output(of: "UPDATE Picture SET palette = \(bytes)", path: url.path)
            let elsewhere = try container().newContext()
            let same = try #require(try elsewhere.fetch(FetchRequest<Picture>()).first)
            #expect(same.palette == nil && same.readError?.code == .invalidValue && same.title == "a")
            #expect(same.readError?.propertyName == "palette")
        }
    }

    @Test func `objects that contain themselves or are nested too deeply are errors`() throws {
        var list = NSArray()
        for _ in 0..<40 { list = [list] }
        #expect(
            try SecureUnarchiveTransformer.value(from: SecureUnarchiveTransformer.data(from: list)) == list)
        for _ in 0..<12 { list = [list] }
        #expect(throws: TransformationError.self) { try SecureUnarchiveTransformer.data(from: list) }
        #if !canImport(Darwin)
        // An object that refuses its values would make the dictionary read beyond its keys.
        #expect(throws: TransformationError.self) {
            try PaletteTransformer.data(
                from: Palette(name: "", weight: 0, parts: [["a": palette] as NSDictionary]))
        }
        #endif
        let small = try NSKeyedArchiver.archivedData(withRootObject: [["a"]], requiringSecureCoding: false)
        // The reference of the inner array to its element leads to the outer array instead.
        for position in small.indices where small[position] == 0x80 {
            var cyclic = small
            cyclic[position + 1] = 1
            _ = try? SecureUnarchiveTransformer.value(from: cyclic)
        }
    }

    /// The unarchiver of Foundation on Linux ends the program for some of these archives; none may reach it.
    @Test func `the text that marks a missing object is refused before it is stored, and when it is read`() {
        let values: [NSObject] = [
            ["a": "$null", "b": "x"] as NSDictionary, ["$null": "x"] as NSDictionary,
            ["x", "$null"] as NSArray, NSSet(object: "$null"), ["a": [["$null"]]] as NSDictionary,
            "$null" as NSString,
        ]
        for value in values {
            #expect(throws: TransformationError.self, "\(value)") {
                _ = try SecureUnarchiveTransformer.data(from: value)
            }
            let archiver = NSKeyedArchiver(requiringSecureCoding: true)
            archiver.encode(value, forKey: NSKeyedArchiveRootObjectKey)
            archiver.finishEncoding()
            let error = #expect(throws: TransformationError.self, "\(value)") {
                _ = try SecureUnarchiveTransformer.value(from: archiver.encodedData)
            }
            #expect(error?.description.contains("$null") == true)
        }
    }

    @Test func `a text of an object that is the mark of a missing object is refused`() throws {
        #expect(throws: TransformationError.self) {
            _ = try PaletteTransformer.data(from: Palette(name: "$null", weight: 1, parts: []))
        }
        let other = ["a": "$nul", "b": "$null$"] as NSDictionary
        #expect(
            try SecureUnarchiveTransformer.value(from: SecureUnarchiveTransformer.data(from: other)) == other)
    }

    @Test(arguments: 0..<8) func `damaged archives are errors, never traps`(number: Int) throws {
        let seed = SeededGenerator.newSeed()
        var generator = SeededGenerator(seed: seed)
        let archives = [
            try PaletteTransformer.data(from: palette),
            try SecureUnarchiveTransformer.data(from: propertyList),
            try SecureUnarchiveTransformer.data(from: "text" as NSString),
        ]
        var decoded = 0
        for _ in 0..<2_000 {
            var bytes = archives.randomElement(using: &generator)!
            for _ in 0..<Int.random(in: 1...3, using: &generator) {
                switch Int.random(in: 0..<5, using: &generator) {
                case 0: bytes = bytes.prefix(Int.random(in: 0...bytes.count, using: &generator))
                case 1 where !bytes.isEmpty:
                    bytes.remove(at: Int.random(in: bytes.indices, using: &generator))
                default:
                    guard let position = bytes.indices.randomElement(using: &generator) else { break }
                    // References are small numbers, so these lead from one object to another.
                    bytes[position] =
                        Bool.random(using: &generator)
                        ? UInt8.random(in: 0..<40, using: &generator)
                        : UInt8.random(in: 0...255, using: &generator)
                }
                bytes = Data(bytes)
            }
            do {
                if Bool.random(using: &generator) {
                    _ = try PaletteTransformer.value(from: bytes)
                } else {
                    _ = try SecureUnarchiveTransformer.value(from: bytes)
                }
                decoded += 1
            } catch is TransformationError {}
        }
        // An archive with a changed character is still an archive.
        #expect(decoded > 0 && decoded < 1_500, "seed \(seed)")
    }
}
