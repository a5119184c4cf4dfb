import Foundation
import ModelReading
import ObjectStorage
import Testing

@Suite final class DataModelTests {
    private let directory = FileManager.default.temporaryDirectory.appending(
        path: "model-\(UUID().uuidString)")

    init() throws {
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: directory) }

    private let warehouse = """
        <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
        <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0" lastSavedToolsVersion="22222" systemVersion="23A344" minimumToolsVersion="Automatic" sourceLanguage="Swift" userDefinedModelVersionIdentifier="">
            <entity name="Goods" representedClassName="Goods" syncable="YES" codeGenerationType="class" elementID="Item">
                <attribute name="name" attributeType="String" defaultValueString="" minValueString="2" maxValueString="30" regularExpressionString="[A-Z].*"/>
                <attribute name="count" optional="YES" attributeType="Integer 32" defaultValueString="-5" usesScalarValueType="YES"/>
                <attribute name="price" attributeType="Decimal" defaultValueString="9.90"/>
                <attribute name="weight" optional="YES" attributeType="Float" minValueString="0.5" usesScalarValueType="YES"/>
                <attribute name="isNew" attributeType="Boolean" defaultValueString="YES" usesScalarValueType="YES" elementID="fresh"/>
                <attribute name="added" optional="YES" attributeType="Date" defaultDateTimeInterval="600000000" minDateTimeInterval="0" usesScalarValueType="NO"/>
                <attribute name="code" optional="YES" attributeType="UUID" usesScalarValueType="NO"/>
                <attribute name="page" optional="YES" attributeType="URI"/>
                <attribute name="photo" optional="YES" attributeType="Binary" allowsExternalBinaryDataStorage="YES"/>
                <attribute name="color" optional="YES" attributeType="Transformable" valueTransformerName="ColorTransformer" customClassName="UIColor"/>
                <attribute name="isSelected" optional="YES" transient="YES" attributeType="Boolean"/>
                <relationship name="warehouse" optional="YES" maxCount="1" deletionRule="Nullify" destinationEntity="Warehouse" inverseName="goods" inverseEntity="Warehouse"/>
                <relationship name="tags" optional="YES" toMany="YES" deletionRule="Nullify" destinationEntity="Tag" inverseName="goods" inverseEntity="Tag"/>
                <fetchIndex name="byName"><fetchIndexElement property="name" type="Binary" order="ascending"/></fetchIndex>
                <fetchIndex name="byBoth"><fetchIndexElement property="name" type="Binary" order="ascending"/><fetchIndexElement property="count" type="Binary" order="descending"/></fetchIndex>
                <uniquenessConstraints>
                    <uniquenessConstraint><constraint value="code"/></uniquenessConstraint>
                    <uniquenessConstraint><constraint value="name"/><constraint value="added"/></uniquenessConstraint>
                </uniquenessConstraints>
                <userInfo><entry key="attribute" value="nothing"/></userInfo>
            </entity>
            <entity name="Warehouse" representedClassName="Warehouse" syncable="YES">
                <attribute name="name" optional="YES" attributeType="String"/>
                <relationship name="goods" optional="YES" toMany="YES" minCount="1" maxCount="3" deletionRule="Cascade" ordered="YES" destinationEntity="Goods" inverseName="warehouse" inverseEntity="Goods"/>
            </entity>
            <entity name="Tag" syncable="YES">
                <attribute name="name" optional="YES" attributeType="String"/>
                <relationship name="goods" toMany="YES" minCount="1" deletionRule="Deny" destinationEntity="Goods" inverseName="tags" inverseEntity="Goods"/>
            </entity>
            <fetchRequest name="All" entity="Goods" predicateString="TRUEPREDICATE"/>
            <elements><element name="Goods" positionX="0" positionY="0" width="128" height="44"/></elements>
        </model>
        """

    private func file(_ text: String, at path: String = "contents") throws -> URL {
        let url = directory.appending(path: path)
        try FileManager.default.createDirectory(
            at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: url)
        return url
    }

    private func error(_ text: String) throws -> ObjectStorageError? {
        let url = try file(text)
        do {
            _ = try ManagedObjectModel(contentsOfDataModel: url)
            return nil
        } catch {
            return error
        }
    }

    @Test func `all attributes, relationships, constraints and indexes of a data model are read`() throws {
        let model = try ManagedObjectModel(contentsOfDataModel: file(warehouse))
        #expect(
            model.description == """
                Goods
                  name: string = “”, indexed, must be at least 2, must be at most 30, must match “[A-Z].*”
                  count: integer32? = -5
                  price: decimal = “9.9”
                  weight: float?, must be at least 0.5
                  isNew: boolean = 1, formerly fresh
                  added: date? = 600000000.0, must be at least 0.0
                  code: uuid?, unique
                  page: uri?
                  photo: binaryData?, out of the row if large
                  color: transformable?, by ColorTransformer
                  isSelected: boolean?, transient
                  warehouse → Warehouse.goods?
                  tags → many Tag.goods
                  unique together: name, added
                  indexed together: name, count
                Warehouse
                  name: string?
                  goods → ordered many Goods.warehouse, cascade, 0 to 3
                Tag
                  name: string?
                  goods → many Goods.tags, deny, 1 to \(Int.max)
                """)
        #expect(model.entity(named: "Goods")?.renamingIdentifier == "Item")
        let context = try PersistentContainer(inMemoryWith: model).newContext()
        let goods = try context.insert(entityNamed: "Goods")
        #expect(goods["price"] == "9.9" && goods["isNew"] == true && goods["count"] == -5)
    }

    @Test func `the current version of a model bundle is read`() throws {
        let old = warehouse.replacing("\"Tag\"", with: "\"Label\"")
        _ = try file(old, at: "Shop.xcdatamodeld/Shop.xcdatamodel/contents")
        let bundle = directory.appending(path: "Shop.xcdatamodeld")
        #expect(try ManagedObjectModel(contentsOfDataModel: bundle).entity(named: "Label") != nil)
        _ = try file(warehouse, at: "Shop.xcdatamodeld/Shop 2.xcdatamodel/contents")
        #expect(throws: ObjectStorageError.self) { try ManagedObjectModel(contentsOfDataModel: bundle) }
        _ = try file(
            """
            <?xml version="1.0" encoding="UTF-8"?>
            <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
            <plist version="1.0"><dict><key>_XCCurrentVersionName</key><string>Shop 2.xcdatamodel</string></dict></plist>
            """, at: "Shop.xcdatamodeld/.xccurrentversion")
        #expect(try ManagedObjectModel(contentsOfDataModel: bundle).entity(named: "Tag") != nil)
        // If the current version were unknown, an old one might be read.
        for text in ["no list", "<?xml version=\"1.0\"?><plist version=\"1.0\"><dict/></plist>"] {
            _ = try file(text, at: "Shop.xcdatamodeld/.xccurrentversion")
            #expect(throws: ObjectStorageError.self) { try ManagedObjectModel(contentsOfDataModel: bundle) }
        }
        #expect(throws: ObjectStorageError.self) {
            try ManagedObjectModel(contentsOfDataModel: bundle.appendingPathExtension("gone.xcdatamodeld"))
        }
    }

    @Test
    func `inheritance is read, and a request for a parent entity finds objects of its sub-entities`() throws {
        let family = """
            <model type="com.apple.IDECoreDataModeler.DataModel">
                <entity name="Work" isAbstract="YES"><attribute name="title" attributeType="String"/>
                    <relationship name="owner" optional="YES" maxCount="1" deletionRule="Nullify" destinationEntity="Person" inverseName="works" inverseEntity="Person"/></entity>
                <entity name="Book" parentEntity="Work"><attribute name="pages" attributeType="Integer 16"/></entity>
                <entity name="Person"><attribute name="name" attributeType="String"/>
                    <relationship name="works" optional="YES" toMany="YES" deletionRule="Nullify" destinationEntity="Work" inverseName="owner" inverseEntity="Work"/></entity>
            </model>
            """
        let model = try ManagedObjectModel(contentsOfDataModel: file(family))
        #expect(
            model.description == """
                Work, abstract
                  title: string
                  owner → Person.works?
                Book: Work
                  pages: integer16
                Person
                  name: string
                  works → many Work.owner
                """)
        let context = try PersistentContainer(inMemoryWith: model).newContext()
        let book = try context.insert(entityNamed: "Book")
        book["title"] = "Emma"
        book["pages"] = 474
        let person = try context.insert(entityNamed: "Person")
        person["name"] = "Jane"
        try book.setRelatedObject(person, forRelationship: "owner")
        try context.save()
        #expect(try context.fetch(FetchRequest<ManagedObject>(entityName: "Work")) == [book])
        #expect(try person.relatedObjects("works") == [book])
    }

    @Test(arguments: [
        ("", "model"), ("<model><entity name=\"A\">", "not XML"), ("<html/>", "not “model”"),
        (
            "<model>\n<entity name=\"A\">\n<attribute name=\"a\" attributeType=\"Composite\"/></entity></model>",
            "Line 3"
        ),
        (
            "<model><entity name=\"A\"><attribute name=\"a\" attributeType=\"Integer 16\" defaultValueString=\"40000\"/></entity></model>",
            "40000"
        ),
        ("<model><entity name=\"A\" parentEntity=\"A\"></entity></model>", "in turn"),
        (
            "<model><entity name=\"A\"><attribute name=\"n\" attributeType=\"Integer 64\" derived=\"YES\" derivationExpression=\"items.@count\"/></entity></model>",
            "items.@count"
        ),
        (
            "<model><entity name=\"A\"><relationship name=\"r\" destinationEntity=\"B\"/></entity></model>",
            "no entity “B”"
        ),
        (
            "<!DOCTYPE m [<!ENTITY x SYSTEM \"file:///etc/passwd\">]><model><entity name=\"&x;\"/></model>",
            "declares the entity “x”"
        ),
        (
            "<!DOCTYPE m [<!ENTITY x \"a\">]>\n<model><entity name=\"&x;\"/></model>",
            "Line 1: it declares the entity “x”"
        ),
        ("<model>\n<entity name=\"A\">\n</model>", "Line 3: this is not XML"),
        ("<model>\n<entity name=\"A & B\"/></model>", "Line 2: this is not XML"),
        ("<model>\n<entity name=\"&b;\"/></model>", "Line 2: this is not XML"),
        (
            String(repeating: "<a>\n", count: 40) + String(repeating: "</a>", count: 40),
            "Line 33: this is XML, but not a Core Data model"
        ),
    ])
    func `an invalid data model throws an error that names the file and the fault`(
        text: String, words: String
    ) throws {
        let error = try #require(try error(text))
        #expect(error.code == .invalidModel)
        #expect(error.message.contains(words) && error.message.contains("contents"), "\(error.message)")
        #expect(!error.message.contains("root:"))
    }

    @Test func `a missing file throws an error with its path`() {
        #expect {
            try ManagedObjectModel(contentsOfDataModel: directory.appending(path: "None.xcdatamodel"))
        } throws: { error in
            (error as? ObjectStorageError)?.message.contains("None.xcdatamodel/contents") == true
        }
    }
}
