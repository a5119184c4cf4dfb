extension ImportTable {
    static let jsonRecords: [ImportCase] = [
        .json("json", "an array", #"[{"id":1,"title":"One"},{"id":2,"title":"Two"}]"#),
        .json("json", "an array over lines", "[\n  {\n    \"id\": 1\n  },\n  {\n    \"id\": 2\n  }\n]\n"),
        .json("json", "an array with CRLF", "[\r\n{\"id\":1},\r\n{\"id\":2}\r\n]\r\n"),
        .json("lines", "lines", "{\"id\":1}\n{\"id\":2}\n"),
        .json("lines", "lines without a last line end", "{\"id\":1}\n{\"id\":2}"),
        .json("lines", "lines with CRLF and empty lines", "{\"id\":1}\r\n\r\n{\"id\":2}\r\n  \r\n"),
        .json("lines", "one line", "{\"id\":1,\"tags\":[{\"a\":1}]}\n"),
        .json("objects", "objects over lines", "{\n\"id\":1\n}\n{\n\"id\":2\n}\n"),
        .json("objects", "objects after each other", "{\n\"id\":1}{\"id\":2} {\"id\":3}\n"),
        .json("json", "other members in each record", #"[{"a":1},{"b":2},{"c":3,"a":4}]"#),
        .json("json", "null and an absent member", #"[{"a":null,"b":1},{"b":2},{"a":"x","b":3}]"#),
        .json(
            "lines", "three nothings", "{\"a\":null,\"b\":1}\n{\"a\":\"\",\"b\":2}\n{\"a\":\"nil\",\"b\":3}\n"
        ),
        .json("json", "only null", #"[{"a":null,"b":1},{"a":null,"b":2}]"#, types: ["a": "string"]),
        .json("json", "an empty record", #"[{"a":1},{},{"a":2}]"#),
        .json("json", "null as a record", #"[{"id":1},{"id":2},null,{"id":3}]"#),
        .json("json", "an empty array as a record", #"[{"id":1},[],{"id":3}]"#),
        .json("json", "scalars as records", #"[{"id":1},5,"x",true,{"id":3}]"#),
        .json("json", "an array as a record", "[{\"id\":1},\n[{\"id\":2}],\n{\"id\":3}]"),
        .json("lines", "null and scalars in lines", "{\"id\":1}\nnull\n5\n\"x\"\n[]\n{\"id\":2}\n"),
        .json("json", "repeated members", #"[{"id":1},{"id":2,"id":3},{"id":4}]"#),
        .json("json", "repeated members inside", #"[{"a":{"b":1}},{"a":{"b":1,"b":2}},{"a":{"b":3}}]"#),
        .json("json", "repeated members inside an array", #"[{"a":[1]},{"a":[{"b":1,"b":2}]},{"a":[]}]"#),
        .json("json", "a dotted name that collides", #"[{"a":{"b":1}},{"a":{"b":1},"a.b":2},{"a.b":3}]"#),
        .json("json", "names that differ by escapes only", #"[{"a":1},{"a":1,"\u0061":2},{"\u0061":3}]"#),
        .json("json", "names that differ by case in JSON", #"[{"a":1,"A":2},{"a":3,"A":4}]"#),
        .json("json", "names that differ by form in JSON", "[{\"\u{E9}\":1,\"e\u{301}\":2}]"),
        .json("json", "an empty name in JSON", #"[{"":1,"a":2},{"":3,"a":4}]"#),
        .json("json", "names with dots and underscores", #"[{"a.b":1,"a_b":2,"a":{"c":3}}]"#),
        .json("json", "reserved names in JSON", #"[{"objectID":1,"rowid":2}]"#),
        .json("lines", "NaN in a line", "{\"id\":1,\"x\":0.5}\n{\"id\":2,\"x\":NaN}\n{\"id\":3,\"x\":1.5}\n"),
        .json("lines", "infinity in a line", "{\"x\":0.5}\n{\"x\":-Infinity}\n{\"x\":1.5}\n"),
        .json("json", "NaN in an array", #"[{"x":0.5},{"x":NaN},{"x":1.5}]"#),
        .json("lines", "a trailing comma in a line", "{\"x\":1}\n{\"x\":2,}\n{\"x\":3}\n"),
        .json("lines", "single quotes in a line", "{\"x\":1}\n{'x':2}\n{\"x\":3}\n"),
        .json("lines", "a name without quotes in a line", "{\"x\":1}\n{x:2}\n{\"x\":3}\n"),
        .json("lines", "words of Python in a line", "{\"x\":true}\n{\"x\":True}\n{\"x\":false}\n"),
        .json("lines", "a line that ends too early", "{\"x\":1}\n{\"x\":\n{\"x\":3}\n"),
        .json("lines", "a line of text", "{\"x\":1}\nhello\n{\"x\":3}\n"),
        .json("lines", "zeros before digits in a line", "{\"x\":1}\n{\"x\":02}\n{\"x\":3}\n"),
        .json("lines", "a raw control character", "{\"x\":\"a\"}\n{\"x\":\"a\u{1}\"}\n{\"x\":\"b\"}\n"),
        .json(
            "json", "an array at a path", #"{"version":"1.0","books":[{"id":1},{"id":2}]}"#,
            ["--at", "books"]
        ) {
            $0.at = "books"
        },
        .json(
            "json", "arrays in arrays at a path",
            #"{"pages":[{"items":[{"id":1}]},{"items":[]},{"items":[{"id":2},{"id":3}]}]}"#,
            ["--at", "pages.items"]
        ) { $0.at = "pages.items" },
        .json(
            "json", "null in an array at a path", #"{"a":{"b":[{"id":1},null,{"id":2}]},"c":[{"x":1}]}"#,
            ["--at", "a.b"]
        ) { $0.at = "a.b" },
        .json(
            "json", "late members",
            "[" + numbers + #",{"n":2000,"late":"x"}]"#),
        .json(
            "json", "many members",
            "[{" + ImportCase.joined(0..<300, ",") { #""m\#($0)":\#($0)"# } + "}]"),
    ]

    static let jsonValues: [ImportCase] = [
        .json("json", "whole numbers in JSON", #"[{"n":1},{"n":-20},{"n":0}]"#, types: ["n": "integer64"]),
        .json(
            "json", "the limits of Int64 in JSON", #"[{"n":9223372036854775807},{"n":-9223372036854775808}]"#,
            types: ["n": "integer64"]),
        .json(
            "json", "beyond Int64 in JSON", #"[{"n":9223372036854775808},{"n":1}]"#, types: ["n": "decimal"]),
        .json("json", "1 and 1.0", #"[{"n":1},{"n":1.0}]"#, types: ["n": "double"]),
        .json("json", "1.1 and 1.10", #"[{"n":1.1},{"n":1.10}]"#, types: ["n": "double"]),
        .json("json", "exponents in JSON", #"[{"n":1e2},{"n":1E-7},{"n":2.5e+3}]"#, types: ["n": "double"]),
        .json(
            "json", "a large number with an exponent", #"[{"n":8.956927072712734e+16},{"n":0.5}]"#,
            types: ["n": "double"]),
        .json(
            "json", "a large whole number beside a fraction", #"[{"n":89569270727127341},{"n":0.5}]"#,
            types: ["n": "decimal"]),
        .json("json", "-0 in JSON", #"[{"n":-0},{"n":1}]"#),
        .json("json", "-0.0 in JSON", #"[{"n":-0.0},{"n":1.5}]"#, types: ["n": "double"]),
        .json("json", "beyond a double in JSON", #"[{"n":1e400},{"n":1}]"#),
        .json(
            "json", "many digits in JSON", #"[{"n":0.12345678901234567890},{"n":1}]"#, types: ["n": "decimal"]
        ),
        .json(
            "json", "more than 38 digits in JSON", #"[{"n":0.1234567890123456789012345678901234567891}]"#,
            types: ["n": "string"]),
        .json("json", "numbers and texts of numbers", #"[{"n":1},{"n":"1"}]"#, types: ["n": "string"]),
        .json("json", "texts of numbers", #"[{"n":"1"},{"n":"2"}]"#, types: ["n": "string"]),
        .json(
            "json", "Boolean values in JSON", #"[{"n":true},{"n":false},{"n":null}]"#, types: ["n": "boolean"]
        ),
        .json("json", "texts of Boolean values", #"[{"n":"true"},{"n":"false"}]"#, types: ["n": "string"]),
        .json("json", "Boolean values and numbers", #"[{"n":true},{"n":1}]"#, types: ["n": "string"]),
        .json("json", "dates in JSON", #"[{"n":"2020-01-02"},{"n":"2021-01-02"}]"#, types: ["n": "date"]),
        .json("json", "dates and an empty text", #"[{"n":"2020-01-02"},{"n":""}]"#, types: ["n": "date"]),
        .json(
            "json", "identifiers in JSON", #"[{"n":"6f9619ff-8b86-d011-b42d-00cf4fc964ff"}]"#,
            types: ["n": "uuid"]),
        .json("json", "escapes", #"[{"t":"a\"b\\c\/d\b\f\n\r\t"},{"t":"\u00e9\u0001\u001F"}]"#),
        .json("json", "pairs of surrogates", #"[{"t":"\ud83d\ude00"},{"t":"😀"},{"t":"\uD83D\uDE00x"}]"#),
        .json("json", "half a pair of surrogates", #"[{"t":"x"},{"t":"\ud83d"},{"t":"y"}]"#),
        .json("json", "the second half alone", #"[{"t":"x"},{"t":"\ude00"},{"t":"y"}]"#),
        .json("json", "two halves in the wrong order", #"[{"t":"x"},{"t":"\ude00\ud83d"},{"t":"y"}]"#),
        .json("json", "half a pair in a name", #"[{"t":"x"},{"\ud83d":"y","t":"z"},{"t":"y"}]"#),
        .json("json", "an escaped NUL", #"[{"t":"x"},{"t":"\u0000"},{"t":"y"}]"#),
        .json(
            "json", "normalisation forms in JSON",
            "[{\"t\":\"\u{E9}\"},{\"t\":\"e\u{301}\"},{\"t\":\"\\u00e9\"}]"),
        .json("json", "noncharacters in JSON", #"[{"t":"\uffff"},{"t":"\ufdd0"},{"t":"\ufeff"}]"#),
        .json("json", "line separators in texts", "[{\"t\":\"\u{2028}\"},{\"t\":\"\u{2029}\"}]"),
        .json("json", "a long text", "[{\"t\":\"\(String(repeating: "é", count: 50_000))\"},{\"t\":\"x\"}]"),
        .json("json", "objects inside", #"[{"a":{"b":{"c":1,"d":null}}},{"a":{"b":{"c":2}}}]"#),
        .json("json", "an empty object inside", #"[{"a":{},"b":1},{"a":{"x":1},"b":2}]"#),
        .json("json", "an object and a scalar under one name", #"[{"a":{"b":1}},{"a":5},{"a":null}]"#),
        .json(
            "json", "deep objects",
            deepObjects),
        .json("json", "arrays of values", #"[{"id":1,"tags":["a","b"]},{"id":2,"tags":[]},{"id":3}]"#),
        .json(
            "json", "arrays with white space",
            "[{\"tags\":[ 1 , \"a b\" ,\n { \"x\" : [ ] } ]},{\"tags\":[]}]"),
        .json("json", "arrays with escapes", #"[{"tags":["\u00e9\" ]","\\"]},{"tags":["é"]}]"#),
        .json("json", "arrays of arrays", #"[{"m":[[1,2],[3]]},{"m":[[]]}]"#),
        .json("json", "arrays and scalars", #"[{"a":[1]},{"a":1},{"a":"x"}]"#, types: ["a": "string"]),
        .json(
            "json", "elements as columns", #"[{"tags":["a","b"]},{"tags":[]},{"tags":["c"]}]"#,
            ["--number-elements"]
        ) { $0.elements = true },
        .json(
            "json", "objects in elements as columns", #"[{"p":[{"n":"Ann"},{"n":"Bo"}]},{"p":[]}]"#,
            ["--number-elements"]
        ) { $0.elements = true },
        .json(
            "json", "an element and a dotted name", #"[{"a":[1]},{"a":[1],"a.0":2},{"a.0":3}]"#,
            ["--number-elements"]
        ) { $0.elements = true },
        .json(
            "json", "a late fraction in JSON",
            "[" + numbers + #",{"n":3.1}]"#, types: ["n": "double"]),
        .json(
            "json", "a late text in JSON",
            "[" + numbers + #",{"n":"3"}]"#, types: ["n": "string"]),
    ]

    private static let numbers = ImportCase.joined(0..<1_001, ",") { #"{"n":\#($0)}"# }
    private static let deepObjects: String = {
        let (opening, closing) = (String(repeating: #""a":{"#, count: 50), String(repeating: "}", count: 50))
        return "[{\(opening)\"b\":1\(closing)}]"
    }()
}
