import Foundation
import ObjectStorage
import CheckSupport
import Testing

private final class Product: ManagedObject {
    @Attribute var name: String = ""
    @Attribute var price: Decimal = 0
    @Attribute var weight: Decimal?
    @Attribute var page: URL?
    @Attribute var stock: Int16 = 0
    @Attribute(.transient) var isSelected: Bool = false
    @Attribute(.transient) var note: String?
    @Transformable var tags: [String] = []
    @Transformable var size: Size?
    @Transformable(by: RectangleTransformer.self) var frame: Rectangle = Rectangle(
        x: 0, y: 0, width: 1, height: 1)
}

private struct Size: Hashable, Codable {
    var width: Double
    var height: Double
}

private struct Rectangle: Hashable {
    var x: Double, y: Double, width: Double, height: Double
}

/// Encodes a rectangle as four numbers of eight bytes, little-endian.
private enum RectangleTransformer: AttributeTransformer {
    static let name = "Rectangle"

    static func data(from value: Rectangle) -> Data {
        Data(
            [value.x, value.y, value.width, value.height].flatMap { number in
                withUnsafeBytes(of: number.bitPattern.littleEndian) { Array($0) }
            })
    }

    static func value(from data: Data) throws -> Rectangle {
        guard data.count == 32 else { throw TransformationError("\(data.count) bytes instead of 32") }
        let numbers = data.withUnsafeBytes { bytes in
            (0..<4).map {
                Double(
                    bitPattern: UInt64(
                        littleEndian: bytes.loadUnaligned(fromByteOffset: $0 * 8, as: UInt64.self)))
            }
        }
        return Rectangle(x: numbers[0], y: numbers[1], width: numbers[2], height: numbers[3])
    }
}

@Suite final class AttributeTypeTests {
    private let directory: TemporaryDirectory
    private let url: URL
    private let container: PersistentContainer
    private let context: ManagedObjectContext
    /// The contexts of objects that were read again, kept alive as long as the objects.
    private var contexts: [ManagedObjectContext] = []

    init() throws {
        directory = try TemporaryDirectory()
        url = directory.file("products.sqlite")
        container = try PersistentContainer(url: url, model: ManagedObjectModel(types: Product.self))
        context = container.newContext()
    }

    /// Returns the only product, read in a new context.
    private func reread() throws -> Product {
        let context = container.newContext()
        contexts.append(context)
        return try #require(try context.fetch(FetchRequest<Product>()).first)
    }

    @Test func `the models of this suite and of the random predicates have an attribute of each type`() throws
    {
        let models = [container.model, try Gallery.model.get()]
        let types = models.flatMap(\.entities).flatMap(\.attributes).map(\.type)
        #expect(Set(types) == Set(AttributeType.allCases))
    }

    @Test func `decimals of thirty-eight digits are read back exactly, at any scale`() throws {
        let digits = "12345678901234567890123456789012345678"
        let texts = [
            "0", "-1", "0.1", digits, "-" + digits, "0." + digits, "1234567890.1234567890123456789012345678",
            "1" + String(repeating: "0", count: 127), "0." + String(repeating: "0", count: 127) + "1",
        ]
        for text in texts {
            for old in try context.fetch(FetchRequest<Product>()) { context.delete(old) }
            let product = Product(context: context)
            try product.setValue(.text(text), forProperty: "price")
            try context.save()
            let read = try reread()
            #expect(read["price"] == .text(text))
            #expect("\(read.price)" == text)
            read.price = read.price + 0
            #expect(!read.hasChanges)
        }
    }

    @Test func `a decimal is stored in one normal form`() throws {
        let product = Product(context: context)
        for (written, kept) in [
            ("9.90", "9.9"), ("+1", "1"), ("1.5e3", "1500"), ("12E-4", "0.0012"), ("-0.0", "0"),
            (".5", "0.5"),
            ("007", "7"),
        ] {
            try product.setValue(.text(written), forProperty: "price")
            #expect(product["price"] == .text(kept))
        }
        try product.setValue(12, forProperty: "price")
        #expect(product.price == 12)
        try product.setValue(0.1, forProperty: "price")
        #expect(product["price"] == "0.1")
        #expect(product.price == Decimal(string: "0.1"))
    }

    @Test(arguments: [
        "", "-", ".", "1e", "1.2.3", "abc", "1 ", "0x10", "123456789012345678901234567890123456789", "1e128",
        "NaN",
    ])
    func `a text that is no decimal of at most 38 digits is refused`(text: String) throws {
        let product = Product(context: context)
        #expect { try product.setValue(.text(text), forProperty: "price") } throws: { error in
            (error as? ObjectStorageError)?.code == .invalidValue
                && (error as? ObjectStorageError)?.propertyName == "price"
        }
        #expect(product.price == 0)
        product.price = .nan
        #expect { try context.save() } throws: {
            ($0 as? ObjectStorageError)?.propertyName == "price"
        }
    }

    @Test
    func `a number outside an attribute's range is refused, and the error names the attribute`() throws {
        let product = Product(context: context)
        #expect { try product.setValue(40_000, forProperty: "stock") } throws: { error in
            let error = error as? ObjectStorageError
            return error?.code == .invalidValue && error?.entityName == "Product"
                && error?.propertyName == "stock" && error?.objectID == product.objectID
        }
        #expect(product.stock == 0)
        product["stock"] = 40_000
        #expect { try context.save() } throws: {
            ($0 as? ObjectStorageError)?.code == .invalidValue
        }
    }

    @Test func `a URI is read back`() throws {
        let product = Product(context: context)
        product.page = URL(string: "https://example.org/%C3%A9?q=1#part")
        try context.save()
        #expect(try reread().page == URL(string: "https://example.org/%C3%A9?q=1#part"))
        #expect(try reread()["page"] == "https://example.org/%C3%A9?q=1#part")
        #expect(throws: ObjectStorageError.self) { try product.setValue("", forProperty: "page") }
    }

    @Test func `arrays, structures and values of custom transformers are read back`() throws {
        let product = Product(context: context)
        #expect(product.tags == [] && product.size == nil && product.frame.width == 1)
        product.tags.append("é, \"quoted\"")
        product.tags.append("")
        product.size = Size(width: 0.1, height: -2)
        product.frame.x = -.infinity
        try context.save()
        let read = try reread()
        #expect(read.tags == ["é, \"quoted\"", ""])
        #expect(read.size == Size(width: 0.1, height: -2))
        #expect(read.frame == Rectangle(x: -.infinity, y: 0, width: 1, height: 1))
        read.tags = read.tags
        #expect(!read.hasChanges)
        read.size = nil
        try read.managedObjectContext?.save()
        #expect(try reread().size == nil)
        #expect(try reread()["size"] == .null)
    }

    @Test func `a value that cannot be encoded leaves the attribute unchanged and is an error`() throws {
        let product = Product(context: context)
        product.size = Size(width: 1, height: 2)
        product.size = Size(width: .nan, height: 2)
        #expect(product.size == Size(width: 1, height: 2))
        #expect(product.readError?.propertyName == "size")
    }

    @Test func `bytes that cannot be decoded are a read error of their attribute only`() throws {
        let product = Product(context: context)
        product.name = "kept"
        product.tags = ["kept"]
        try context.save()
        try Library.runElsewhere("UPDATE Product SET frame = x'0102', size = 'text'", path: url.path)
        let read = try reread()
        #expect(read.frame == Rectangle(x: 0, y: 0, width: 1, height: 1))
        let error = try #require(read.readError)
        #expect(error.code == .invalidValue && error.entityName == "Product" && error.propertyName == "frame")
        #expect(error.objectID == read.objectID && error.message.contains("2 bytes instead of 32"))
        #expect(read.size == nil)
        #expect(read.readError?.propertyName == "size")
        #expect(read.name == "kept" && read.tags == ["kept"])
    }

    @Test func `transformers are found by the name in the model`() throws {
        let product = Product(context: context)
        product.frame = Rectangle(x: 1, y: 2, width: 3, height: 4)
        try context.save()
        let untyped = try PersistentContainer(
            url: url, options: StoreOptions(transformers: [RectangleTransformer.self]))
        let context = untyped.newContext()
        let read = try #require(try context.fetch(FetchRequest<ManagedObject>(entityName: "Product")).first)
        #expect(try read.transformedValue(forProperty: "frame") as? Rectangle == product.frame)
        #expect(try read.value(forProperty: "tags", by: CodableTransformer<[String]>.self) == [])
        #expect(try read.value(forProperty: "size", by: CodableTransformer<Size>.self) == nil)
        try read.setValue(["a"], forProperty: "tags", by: CodableTransformer<[String]>.self)
        try context.save()
        #expect(try reread().tags == ["a"])
        #expect { try read.transformedValue(forProperty: "tags") } throws: {
            ($0 as? ObjectStorageError)?.message.contains("no transformer “codable”") == true
        }
        #expect { try read.transformedValue(forProperty: "name") } throws: {
            ($0 as? ObjectStorageError)?.code == .invalidValue
        }
    }

    @Test func `a transient attribute is kept by its object and not stored in the row`() throws {
        let product = Product(context: context)
        try context.save()
        product.isSelected = true
        product.note = "in memory"
        #expect(product.isSelected && product["note"] == "in memory" && !context.hasChanges)
        context.refreshAllObjects()
        #expect(product.isSelected)
        #expect(try !reread().isSelected)
        #expect(try reread().value(forProperty: "note") == .null)
        #expect { try context.fetch(FetchRequest<Product>(predicate: \.isSelected == true)) } throws: {
            ($0 as? ObjectStorageError)?.code == .invalidKeyPath
        }
    }
}
