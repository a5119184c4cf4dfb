import Foundation
import SectionedFetch
import Testing
import ToolSupport

@testable import LibraryImport

/// Names of columns and properties with characters that the syntax of options uses.
@Suite struct LibraryImportNameTests {
    @Test func `every option takes quoted names`() throws {
        let header =
            ##""a=b","c:d","e,f","say ""hi""","#g","h\i","j k","m=n","o/p","q.r",plain"##
        let file = try LibraryImportFile(
            header
                + "\n1,007,x,1,drop,-,03.02.2021,on,\"1.234,5\",t,=\n2,8,y,2,drop,z,04.02.2021,off,\"2,5\",u,v\n"
        )
        let counts = try file.counts([
            "--entity", "Row", "--key", ##"#"a=b""##, "--type", ##"#"c:d"=string"##,
            "--type", ##"#"say \"hi\""=string"##, "--relationship", ##"#"r:s":#"e,f"=#"Tag".#"na=me""##,
            "--ignore", ##"#"#g""##, "--no-value", ##"#"h\\i"=-"##, "--no-value", ##"#"=""##,
            "--date-form", ##"#"j k"=dd.MM.yyyy"##, "--boolean-form", ##"#"m=n"=on/off"##,
            "--number-form", ##"#"o/p"=1.234,5"##,
        ])
        #expect(counts.inserted == 2 && counts.createdRelated == 2)
        let model = try PersistentContainer(url: file.directory.file("library.store")).model
        let row = try model.requireEntity(named: "Row")
        #expect(row.attribute(named: "a=b")?.isUnique == true)
        #expect(row.attribute(named: "c:d")?.type == .string)
        #expect(row.attribute(named: "say \"hi\"")?.type == .string)
        #expect(row.relationship(named: "r:s")?.destinationEntityName == "Tag")
        #expect(row.attribute(named: "#g") == nil && row.attribute(named: "e,f") == nil)
        #expect(row.attribute(named: "j k")?.type == .date)
        #expect(row.attribute(named: "m=n")?.type == .boolean)
        #expect(row.attribute(named: "o/p")?.type == .double)
        let rows = try file.rows("Row", ["c:d", "say \"hi\"", #"h\i"#, "plain"])
        #expect(rows.map { $0[2].isNull } == [true, false], "\(rows)")
        #expect(rows.map { $0[3].isNull } == [true, false], "\(rows)")
        // The browser takes the same names.
        let list = try ToolProcess.run(
            "library-browser", [file.storePath, "--entity", "Row", "--columns", ##"#"a=b",#"r:s".#"na=me""##])
        #expect(list.status == 0 && list.output.contains("x") && list.output.contains("y"), "\(list)")
    }

    @Test func `--columns takes quoted names`() throws {
        let file = try LibraryImportFile("1,2\n3,4\n")
        let arguments = ["--no-header", "--columns", ##"#"last, first",#"a ""##, "--entity", "Row"]
        #expect(try file.counts(arguments).inserted == 2)
        #expect(try file.rows("Row", ["last, first"]).count == 2)
    }

    @Test(arguments: [
        (##"#"a=b"=c=d"##, "a=b", "c=d"), (##"a=b=c"##, "a=b", "c"), (##"#a=c"##, "#a", "c"),
        (##"#"open=c"##, "#\"open", "c"), (##"#"\"\\"="##, "\"\\", ""), ("Übung=x", "Übung", "x"),
    ])
    func `a column ends at its closing quote, or at the last equals sign`(
        text: String, column: String, value: String
    ) {
        let parts = MappingOptions.columnAndValue(text)
        #expect(parts?.column == column && parts?.value == value)
    }

    @Test func `a written name is read as the name`() {
        for name in ["a=b", "a:b", "a,b", " ", "\"", "\\", "#", "#\"x\"", "é e\u{301}", "x", "\\\"", "a+b"] {
            #expect(PropertyNames.name(PropertyNames.written(name)) == name)
            let parts = MappingOptions.columnAndValue(PropertyNames.written(name) + "=v=w=")
            guard PropertyNames.written(name).hasPrefix("#\"") else { continue }
            #expect(parts?.column == name && parts?.value == "v=w=", "\(name)")
        }
    }
}
