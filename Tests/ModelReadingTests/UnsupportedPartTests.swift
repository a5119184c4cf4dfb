import Foundation
import ModelReading
import ObjectStorage
import Testing

/// The parts of a model's XML that the library does not support.
@Suite struct UnsupportedPartTests {
    private static let full = """
        <model type="com.apple.IDECoreDataModeler.DataModel" usedWithCloudKit="YES" userDefinedModelVersionIdentifier="v7" newSetting="1">
            <entity name="Book" representedClassName=".Novel" syncable="YES" coreSpotlightDisplayNameExpression="title" versionHashModifier="2">
                <attribute name="title" attributeType="String" spotlightIndexingEnabled="YES"/>
                <attribute name="secret" optional="YES" attributeType="String" allowsCloudEncryption="YES" versionHashModifier="3"/>
                <attribute name="code" optional="YES" attributeType="UUID" preserveAfterDeletion="YES">
                    <userInfo><entry key="b" value="1"/><entry key="a" value="2"/></userInfo>
                </attribute>
                <attribute name="address" optional="YES" attributeType="Composite"/>
                <attribute name="anything" optional="YES" transient="YES" attributeType="Undefined"/>
                <attribute name="color" optional="YES" attributeType="Transformable" customClassName="Color" futureSetting="x"/>
                <attribute name="isOpen" optional="YES" transient="YES" attributeType="Boolean"/>
                <relationship name="pages" optional="YES" toMany="YES" deletionRule="Cascade" destinationEntity="Page" inverseName="book" inverseEntity="Page"/>
                <fetchedProperty name="longPages" optional="YES">
                    <fetchRequest name="fetchedPropertyFetchRequest" entity="Page" predicateString="length &gt; 100"/>
                </fetchedProperty>
                <fetchIndex name="byLower"><fetchIndexElement expression="lowercase:(title)" expressionType="String" type="Binary" order="ascending"/></fetchIndex>
                <fetchIndex name="byArea"><fetchIndexElement property="title" type="RTree" order="ascending"/></fetchIndex>
                <fetchIndex name="mixed"><fetchIndexElement property="title" type="Binary" order="ascending"/><fetchIndexElement property="code" type="Binary" order="descending"/></fetchIndex>
                <fetchIndex name="byAddress"><fetchIndexElement property="address" type="Binary" order="ascending"/></fetchIndex>
                <fetchIndex name="byPages"><fetchIndexElement property="pages" type="Binary" order="ascending"/></fetchIndex>
                <uniquenessConstraints><uniquenessConstraint><constraint value="address"/></uniquenessConstraint><uniquenessConstraint><constraint value="code"/></uniquenessConstraint></uniquenessConstraints>
                <somethingNew/>
            </entity>
            <entity name="Page" representedClassName="NSManagedObject" syncable="NO">
                <attribute name="length" attributeType="Integer 32" defaultValueString="0" usesScalarValueType="YES"/>
                <relationship name="book" optional="YES" maxCount="1" deletionRule="Nullify" destinationEntity="Book" inverseName="pages" inverseEntity="Book"/>
            </entity>
            <compositeAttribute name="Address"><attribute name="city" attributeType="String"/></compositeAttribute>
            <fetchRequest name="Recent" entity="Book" predicateString="title == $TITLE" fetchLimit="5"/>
            <configuration name="Cloud" usedWithCloudKit="YES"><memberEntity name="Book"/><memberEntity name="Page"/></configuration>
            <userInfo><entry key="k" value="v"/></userInfo>
            <elements><element name="Book" positionX="0" positionY="0" width="1" height="1"/></elements>
            <plugin/>
        </model>
        """

    @Test func `every part of a file that the model lacks is listed with its location and remedy`()
        throws
    {
        let file = try ModelSamples.model(Self.full)
        let found = file.unsupportedParts.map {
            "\($0.line ?? 0) \($0.kind.rawValue) \($0.entityName ?? "-").\($0.propertyName ?? "-")\($0.isPropertyMissing ? " missing" : "")"
        }
        #expect(
            found.sorted() == [
                "1 cloudKit -.-", "1 unknown -.-", "10 unknown Book.color",
                "13 fetchedProperty Book.longPages missing", "16 expressionIndex Book.-",
                "17 indexOption Book.-",
                "18 indexOption Book.-", "2 indexOption Book.-", "2 indexOption Book.-",
                "2 spotlight Book.-", "2 uniquenessConstraint Book.-", "2 versionHashModifier Book.-",
                "22 unknown Book.-", "24 cloudKit Page.-", "28 compositeAttribute -.-",
                "29 fetchRequest -.-", "3 spotlight Book.title", "30 cloudKit -.-", "30 configuration -.-",
                "31 userInfo -.-", "33 unknown -.-", "4 cloudKit Book.secret",
                "4 versionHashModifier Book.secret", "5 preservedValue Book.code", "6 userInfo Book.code",
                "8 compositeAttribute Book.address missing", "9 attributeType Book.anything missing",
            ])
        #expect(
            file.unsupportedParts.allSatisfy {
                $0.effect.hasSuffix(".") && $0.remedy.hasSuffix(".") && !$0.part.isEmpty
            })
        #expect(
            file.model.description == """
                Book
                  title: string
                  secret: string?
                  code: uuid?, unique
                  color: transformable?
                  isOpen: boolean?, transient
                  pages → many Page.book, cascade
                  indexed together: title, code
                Page
                  length: integer32 = 0
                  book → Book.pages?
                """)
        #expect(file.versionIdentifiers == ["v7"] && file.classNames == ["Book": "Novel"])
        #expect(file.transformableTypeNames == ["Book": ["color": "Color"]])
    }

    @Test func `the initializer of a model refuses a file with an attribute that the model would lack`()
        throws
    {
        try ModelSamples.withFile(Data(Self.full.utf8), named: "contents") { url in
            let error = try #require(
                ModelSamples.error { try ManagedObjectModel(contentsOfDataModel: url) })
            #expect(error.entityName == "Book" && error.propertyName == "address")
            #expect(error.message.contains("Line 8"))
            #expect(error.message.contains("Make each element an attribute"))
        }
    }

    @Test func `a file with only supported parts lists none`() throws {
        let file = try ModelSamples.model(
            """
            <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0" lastSavedToolsVersion="1" systemVersion="1" minimumToolsVersion="Automatic" sourceLanguage="Swift" usedWithSwiftData="YES" userDefinedModelVersionIdentifier="">
                <entity name="A" representedClassName="A" syncable="YES" codeGenerationType="class" elementID="Old"><attribute name="a" optional="YES" attributeType="Integer 16" usesScalarValueType="YES" elementID="b" syncable="YES"/></entity>
            </model>
            """)
        #expect(file.unsupportedParts.isEmpty)
        #expect(file.model.entity(named: "A")?.renamingIdentifier == "Old")
        #expect(file.model.entity(named: "A")?.attribute(named: "a")?.renamingIdentifier == "b")
    }

    @Test
    func `derived attributes are read, or listed with the reason why the store cannot compute them`()
        throws
    {
        let file = try ModelSamples.model(
            """
            <model>
            <entity name="Book">
            <attribute name="title" attributeType="String"/>
            <attribute name="key" attributeType="String" derived="YES" derivationExpression="canonical:(title)"/>
            <attribute name="count" optional="YES" attributeType="Integer 64" derived="YES" derivationExpression="pages.@count"/>
            <attribute name="longKey" optional="YES" attributeType="String" derived="YES" derivationExpression="title ++ author.name"/>
            <attribute name="again" optional="YES" attributeType="String" derived="YES" derivationExpression="uppercase:(key)"/>
            <attribute name="wrong" optional="YES" attributeType="Date" derived="YES" derivationExpression="pages.@sum.length"/>
            <relationship name="pages" optional="YES" toMany="YES" deletionRule="Cascade" destinationEntity="Page" inverseName="book" inverseEntity="Page"/>
            <fetchIndex name="byWrong"><fetchIndexElement property="wrong" type="Binary" order="ascending"/></fetchIndex>
            <fetchIndex name="byKey"><fetchIndexElement property="key" type="Binary" order="ascending"/></fetchIndex>
            </entity>
            <entity name="Page">
            <attribute name="length" attributeType="Integer 32"/>
            <attribute name="bookTitle" optional="YES" attributeType="String" derived="YES" derivationExpression="book.title"/>
            <relationship name="book" optional="YES" maxCount="1" deletionRule="Nullify" destinationEntity="Book" inverseName="pages" inverseEntity="Book"/>
            </entity>
            </model>
            """)
        #expect(
            file.model.description == """
                Book
                  title: string
                  key: string?, indexed, derived from canonical:(title)
                  count: integer64?, derived from pages.@count
                  pages → many Page.book, cascade
                Page
                  length: integer32
                  bookTitle: string?, derived from book.title
                  book → Book.pages?
                """)
        let reasons = file.unsupportedParts.map { "\($0.line ?? 0) \($0.propertyName ?? "-") \($0.part)" }
        #expect(
            reasons == [
                "6 longKey attribute derived from “title ++ author.name”: the store cannot compute the expression",
                "7 again attribute derived from “uppercase:(key)”: “Book” has no stored attribute “key” that is not derived itself",
                "8 wrong attribute derived from “pages.@sum.length”: @sum of integer32 values is not of type date",
                "2 - index over wrong",
            ])
    }

    @Test func `an index over the object itself is listed, and one over an unknown property is an error`()
        throws
    {
        func model(indexing name: String) -> String {
            """
            <model><entity name="A"><attribute name="a" attributeType="String"/>
            <fetchIndex name="i"><fetchIndexElement property="a" type="Binary"/><fetchIndexElement property="\(name)" type="Binary"/></fetchIndex>
            </entity></model>
            """
        }
        let file = try ModelSamples.model(model(indexing: "self"))
        #expect(file.unsupportedParts.map(\.kind) == [.indexOption])
        #expect(file.model.entity(named: "A")?.indexes == [])
        let error = try #require(ModelSamples.error { try ModelSamples.model(model(indexing: "b")) })
        #expect(error.code == .invalidModel && error.message.contains("“a, b”"))
    }

    @Test func `a part is described in one line, and is JSON`() throws {
        let part = try #require(
            try ModelSamples.model(Self.full).unsupportedParts.first { $0.kind == .fetchRequest })
        #expect(
            part.description
                == "Line 29: fetch request template “Recent” of “Book” with the predicate “title == $TITLE”. The model has no templates. Make the request in Swift: a static property of the class that returns a FetchRequest."
        )
        let data = try JSONEncoder().encode(part)
        #expect(try JSONDecoder().decode(UnsupportedModelPart.self, from: data) == part)
    }

    @Test func `elements that are nested too deeply are refused`() {
        let text =
            "<model>" + String(repeating: "<a>", count: 100_000) + String(repeating: "</a>", count: 100_000)
            + "</model>"
        let error = ModelSamples.error { try ModelSamples.model(text) }
        #expect(error?.message.contains("nested") == true)
    }
}
