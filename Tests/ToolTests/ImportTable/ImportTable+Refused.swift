extension ImportTable {
    static let refusedFiles: [ImportCase] = [
        .refused("an empty file", "", "empty"),
        .refused("only line ends", "\n\n", "empty"),
        .refused("only a mark", "\u{FEFF}", "empty"),
        .refused("only a header", "id,title\n", "no records"),
        .refused("only bad rows", "id,title\n1\n2\n", "fields"),
        .refused("repeated names", "title,title\na,b\n", "title", "--number-columns"),
        .refused("several empty names", "id,,\n1,2,3\n", "without a name", "--number-columns"),
        .refused("a quote that is not closed", "id,title\n1,\"One\n2,Two\n", "never closed"),
        .refused("a quote in the header that is not closed", "id,\"title\n1,One\n", "never closed"),
        .refused("a NUL in the header", "id,ti\0tle\n1,One\n", "NUL"),
        .refused(
            "other names than columns", "id,title\n1,One\n", "--columns", arguments: ["--columns", "a"]),
        .refused("XML", "<?xml version=\"1.0\"?>\n<a><b/></a>\n", "XML"),
        .refused("a page", "<!DOCTYPE html>\n<html></html>\n", "HTML"),
        .refused("PDF", "%PDF-1.4\n1 0 obj\n", "PDF"),
        .refused("a delimiter of two characters", "sep=;;\nid;title\n1;One\n", "first line"),
        .refused(
            "prose", "This is a text, and it has commas.\nIt goes on, for a while.\n\nThen it ends.\n",
            "prose"),
        .refused(
            "an unknown option for a path", #"{"a":[{"b":1}]}"#, "no array", file: "book.json",
            arguments: ["--at", "c"]),
        .refused("an array that ends too early", #"[{"id":1},{"id":2}"#, "not closed", file: "book.json"),
        .refused(
            "a record that ends too early", #"[{"id":1},{"id":"#, "ends in the middle", file: "book.json"),
        .refused("text after the array", #"[{"id":1}] x"#, "follows the array", file: "book.json"),
        .refused("a missing comma", #"[{"id":1} {"id":2}]"#, "comma", file: "book.json"),
        .refused("an empty array", "[]", "no records", file: "book.json"),
        .refused("an array of nothing but scalars", "[1,2]", "object", file: "book.json"),
        .refused("records without members", "[{},{}]", "no fields", file: "book.json"),
        .refused(
            "too deep",
            deepArrays, "nesting", file: "book.json"),
        .refused("a comment before the array", "// books\n[{\"a\":1}]\n", "comment", file: "book.json"),
    ]

    /// The inputs that earlier versions read wrongly.
    static let knownFaults: [ImportCase] = [
        .csv("artists in different case", "artist,track\nABBA,a\nAbba,b\nabba,c\nABBA,d\n"),
        .csv("colons in names", "dc:title,dc:date\nAlpha,1990\nBeta,1991\n"),
        .csv("prices with commas", "id;price\n1;3,50\n2;12,00\n", types: ["price": "string"]) {
            $0.delimiter = ";"
        },
        .csv(
            "an export with equals signs",
            "Title,ISBN13,Date Read\nA,\"=\"\"9780141026169\"\"\",2018/09/29\nB,\"=\"\"9780393312768\"\"\",2019/01/03\nC,\"=\"\"\"\"\",\n"
        ),
        .csv("a broken name", "id,\"first\nname\"\n1,Ann\n"),
        .csv(
            "shares", shares,
            types: ["share": "double"]),
        .bytes(
            "a town in Latin-1",
            town, as: .init(encoding: "cp1252")),
        .csv(
            "books without a header", "1,Book 1,1901\n2,Book 2,1902\n3,Book 3,1903\n", ["--no-header"],
            types: ["column3": "integer64"]
        ) { $0.headless = true },
        .csv("years with NULL", "id,year\n1,1990\n2,NULL\n3,2001\n", types: ["year": "string"]),
        .csv("names in Chinese", "name\n李伟\n张三\n阿明\n曾杰\n"),
        .refused(
            "a preamble",
            catalogue, "the others 3", "--header-line"
        ),
        .csv(
            "the rows below a preamble",
            catalogue, ["--header-line", "4"]
        ) { $0.skipped = 3 },
        status,
        .csv(
            "versions", "version,notes\n1.1,first\n1.10,tenth\n1.2,second\n", ["--key", "version"],
            types: ["version": "string"]),
        .csv(
            "postal codes", "zip,town\n1569,Northtown\n20002,Southtown\n01569,Easttown\n", ["--key", "zip"],
            types: ["zip": "string"]),
        .refused(
            "features",
            features,
            "“features”", "--at features", file: "features.json"),
        .json(
            "json", "features at their path",
            features,
            ["--at", "features"]
        ) { $0.at = "features" },
        .refused(
            "a wrapper", #"{"version":"1.0","books":[{"id":0,"title":"Book 0"},{"id":1,"title":"Book 1"}]}"#,
            "“books”", "--at books", file: "wrapped.json"),
    ]

    private static let status: ImportCase = {
        var status = ImportCase.csv("a name that ends in s", "id,name\n1,open\n2,closed\n")
        (status.file, status.entity) = ("status.csv", "Status")
        return status
    }()

    private static let shares = "id,share\n" + ImportCase.joined(0..<1_000) { "\($0),\($0)\n" } + "1000,3.1\n"
    private static let catalogue =
        "Library catalogue export\nGenerated,2024-01-05\n\nid,title,year\n"
        + ImportCase.joined(0..<20) { "\($0),Book \($0),\(1900 + $0)\n" }
    private static let features =
        #"{"type":"FeatureCollection","features":["#
        + ImportCase.joined(0..<50, ",\n") { #"{"type":"Feature","id":"f\#($0)","mag":\#($0)}"# } + "]}"
    private static let town: [UInt8] = "name,town\nÅsa,Malmö\nBo,Lund\n".unicodeScalars.map {
        UInt8($0.value)
    }

    private static let deepArrays =
        "[{\"a\":" + String(repeating: "[", count: 2_000) + String(repeating: "]", count: 2_000) + "}]"
}
