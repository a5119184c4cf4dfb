import SectionedFetch
import Testing

/// Options that change the proposed mapping or the mapping to the entities of the store.
@Suite struct LibraryImportOptionTests {
    private static let works = "id,Artist,ArtistID\n1,Bob,77\n2,Ann,78\n"

    @Test func `an attribute without an index cannot identify objects, even of an existing entity`()
        throws
    {
        let file = try LibraryImportFile("people.csv", "bio,name\nBob,Robert\n1900,Bob\n")
        let mapping = try file.mapping(
            #"{"entity":"Person","attributes":[{"name":"bio","type":"string"},{"name":"name","type":"string","indexed":true}]}"#
        )
        #expect(try file.counts(["--mapping", mapping]).inserted == 2)
        try file.write("id,artist\n1,Bob\n")
        #expect(try file.counts(["--entity", "Work", "--relationship", "artist=Person"]).createdRelated == 0)
        for (attribute, words) in [
            ("nmae", "Did you mean “name”?"), ("bio", "is not an indexed string attribute"),
        ] {
            for entity in ["Work", "Other"] {
                try file.run(["--entity", entity, "--relationship", "artist=Person.\(attribute)"])
                    .expectRefusal(saying: "“Person", attribute, words)
            }
        }
        #expect(try file.rows("Person", ["bio"]).count == 2)
    }

    @Test func `a new entity is identified by one attribute only`() throws {
        let file = try LibraryImportFile("work.csv", "id,p,q\n1,x,y\n")
        try file.run(["--relationship", "p=Name.a", "--relationship", "q=Name.b"])
            .expectRefusal(saying: "“Name” would be looked up by “a”", "for “q”, by “b”")
        #expect(!file.storeExists)
    }

    @Test func `two options for one name or column are refused`() throws {
        let file = try LibraryImportFile("work.csv", Self.works)
        for relationships in [["a:Artist=A", "A:ArtistID=B"], ["Artist=A", "Artist=B"]] {
            try file.run(relationships.flatMap { ["--relationship", $0] })
                .expectRefusal(saying: relationships[0], "both are called")
        }
        try file.run(["--type", "ArtistID=string", "--type", "ArtistID=double"])
            .expectRefusal(saying: "--type ArtistID=double", "already")
        #expect(!file.storeExists)
    }

    @Test(arguments: [
        ("id,title,title\n1,One,Un\n", "column 3: another column is called “title”; pass --number-columns"),
        ("id,,\n1,One,Un\n", "column 3: another column without a name; pass --number-columns"),
    ])
    func `columns with equal names or none are refused, and can be distinguished by number`(
        csv: String, message: String
    ) throws {
        let file = try LibraryImportFile(csv)
        try file.run().expectRefusal(saying: "book.csv:1: \(message)")
        let (first, second) = csv.contains("title") ? ("title", "title_3") : ("column2", "column3")
        #expect(try file.counts(["--number-columns"]) == LibraryImportCounts(inserted: 1))
        #expect(try file.rows("Book", [first, second]) == [["One", "Un"]])
        #expect(try file.counts(["--number-columns"]) == LibraryImportCounts(unchanged: 1))
        let options = ["--number-columns", "--entity", "Film"]
        let counts = try file.counts(options + ["--relationship", "name:\(second)=Name", "--ignore", first])
        #expect(counts == LibraryImportCounts(inserted: 1, createdRelated: 1))
        let mapping = try file.mapping(
            #"{"entity": "Play", "attributes": [{"name": "french", "column": "\#(second)", "type": "string"}]}"#
        )
        #expect(try file.counts(["--number-columns", "--mapping", mapping]).inserted == 1)
        #expect(try file.rows("Play", ["french"]) == [["Un"]])
        let help = try ToolProcess.run("library-import", ["import", "--help"]).output
        #expect(help.contains("--number-columns"))
    }

    @Test func `a relationship does not take the name of another column`() throws {
        let file = try LibraryImportFile("work.csv", Self.works)
        try file.run(["--relationship", "artist:ArtistID=Artist"])
            .expectRefusal(saying: "“Artist” already becomes the attribute", "--ignore")
        #expect(!file.storeExists)
        let counts = try file.counts(["--relationship", "artist:ArtistID=Artist", "--ignore", "Artist"])
        #expect(counts == LibraryImportCounts(inserted: 2, createdRelated: 2))
    }

    @Test(arguments: [
        ["--ignore", "id"], ["--relationship", "id=Number"], ["--relationship", "number:id=Number"],
    ])
    func `a column that is ignored or becomes a relationship is not proposed as key`(arguments: [String])
        throws
    {
        let file = try LibraryImportFile("work.csv", Self.works)
        #expect(try file.counts(arguments).inserted == 2)
    }

    @Test func `ignoring the key of the store is refused with the remedy`() throws {
        let file = try LibraryImportFile("work.csv", Self.works)
        #expect(try file.counts(["--key", "id"]).inserted == 2)
        try file.run(["--ignore", "id"]).expectRefusal(saying: "The key “id” is not an attribute", "--no-key")
    }

    @Test func `a column that an option names is not reported as ignored`() throws {
        let file = try LibraryImportFile("work.csv", "id,artist\n1,Bob\n")
        _ = try file.counts(["--relationship", "maker:artist=Artist"])
        let run = try file.run(["--relationship", "maker:artist=Artist"])
        #expect(run.status == 0 && run.errors == "", "\(run)")
    }

    @Test func `a type for a column that is no attribute is refused with a suggestion`() throws {
        let file = try LibraryImportFile("work.csv", Self.works)
        try file.run(["--relationship", "Artist=Artist", "--type", "Artist=string"])
            .expectRefusal(saying: "no attribute has the column “Artist”. Did you mean “ArtistID”?")
    }

    @Test func `the column name of a relationship may contain the separators of the option`() throws {
        let file = try LibraryImportFile("work.csv", "id,a.b,X:y,p=q,y\n1,k,l,m,n\n")
        let counts = try file.counts([
            "--relationship", "a.b=A", "--relationship", "X:y=X", "--relationship", "p=q=P.label",
            "--relationship", "other:y=Y",
        ])
        #expect(counts == LibraryImportCounts(inserted: 1, createdRelated: 4))
        let entity = try #require(try file.openStore().model.entity(named: "Work"))
        #expect(entity.toOneRelationships.map(\.name).sorted() == ["a_b", "other", "p=q", "x:y"])
        for (name, attribute, value) in [
            ("A", "name", "k"), ("X", "name", "l"), ("P", "label", "m"), ("Y", "name", "n"),
        ] {
            #expect(try file.rows(name, [attribute]) == [[.text(value)]])
        }
        let named = try file.counts(["--entity", "Other", "--relationship", "mine:p=q=P.label"])
        #expect(named == LibraryImportCounts(inserted: 1))
    }

    @Test func `an option selects the column of exactly its name among canonically equivalent ones`() throws {
        let (composed, decomposed) = ("\u{E9}", "e\u{301}")
        for (ignored, kept) in [(composed, "y"), (decomposed, "x")] {
            let file = try LibraryImportFile("thing.csv", "id,\(composed),\(decomposed)\n1,x,y\n")
            #expect(try file.counts(["--ignore", ignored]).inserted == 1)
            let entity = try #require(try file.openStore().model.entity(named: "Thing"))
            #expect(entity.attributes.count == 2)
            let name = try #require(entity.attributes.map(\.name).first { $0 != "id" })
            #expect(try file.rows("Thing", [name]) == [[.text(kept)]])
        }
    }

    @Test func `a quote in the middle of a name hides no delimiter`() throws {
        let file = try LibraryImportFile("thing.csv", "a\"b;\"c;,\";d\n1;2;3\n")
        #expect(try file.counts().inserted == 1)
        #expect(try file.rows("Thing", ["a\"b", "c;,", "d"]) == [[.integer(1), .integer(2), .integer(3)]])
    }

    @Test func `a file that begins with a bracket is CSV if its delimiter is given`() throws {
        let file = try LibraryImportFile("thing.csv", "[id],[name]\n1,x\n")
        #expect(try file.counts(["--delimiter", "comma"]).inserted == 1)
        #expect(try file.rows("Thing", ["[id]", "[name]"]) == [[.integer(1), .text("x")]])
    }
}
