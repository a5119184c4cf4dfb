extension ImportTable {
    static let quotesAndLineEnds: [ImportCase] = [
        .csv("plain", "id,title\n1,One\n2,Two\n"),
        .csv("a quote inside quotes", "id,title\n1,\"say \"\"hi\"\"\"\n2,\"\"\"\"\n"),
        .csv("only quotes inside quotes", "id,title\n1,\"\"\"\"\"\"\n2,x\n"),
        .csv("quotes in the middle of a field", "id,title\n1,say \"hi\"\n2,5\" disk\n"),
        .csv("a blank before a quote", "id,title\n1, \"x\"\n2,y\n"),
        .csv("an empty text in quotes", "id,title\n1,\"\"\n2,\n"),
        .csv("a delimiter in quotes", "id,title\n1,\"a,b\"\n2,\",\"\n"),
        .csv("LF in quotes", "id,title\n1,\"a\nb\"\n2,\"\n\"\n"),
        .csv("CRLF in quotes", "id,title\r\n1,\"a\r\nb\"\r\n2,c\r\n"),
        .csv("CR in quotes", "id,title\n1,\"a\rb\"\n2,c\n"),
        .csv("CR as line end", "id,title\r1,One\r2,Two\r"),
        .csv("CRLF as line end", "id,title\r\n1,One\r\n2,Two\r\n"),
        .csv("mixed line ends", "id,title\r\n1,One\n2,Two\r3,Three"),
        .csv("CR before CRLF", "id,title\r\n1,One\r\r\n2,Two\r\n"),
        .csv("no line end at the end", "id,title\n1,One\n2,Two"),
        .csv("an empty last field without a line end", "id,title\n1,One\n2,"),
        .csv("a quoted last field without a line end", "id,title\n1,One\n2,\"Two\""),
        .csv("an empty quoted last field", "id,title\n1,One\n2,\"\""),
        .csv("empty lines between rows", "id,title\n\n1,One\n\n\n2,Two\n\n"),
        .csv("empty lines above the header", "\n\r\nid,title\n1,One\n"),
        .csv("lines of CRLF only", "id,title\r\n\r\n1,One\r\n\r\n"),
        .csv("everything in quotes", "\"id\",\"title\"\n\"1\",\"One\"\n\"2\",\"Two\"\n"),
        .csv("text after a closing quote", "id,title\n1,One\n2,\"Two\"x\n3,Three\n4,Four\n5,Five\n6,Six\n"),
        .csv(
            "a quote after a closing quote and a blank",
            "id,title\n1,One\n2,\"Two\" \"x\"\n3,Three\n4,Four\n5,Five\n"),
        .csv("a backslash before a quote is no escape", "id,title\n1,\"a\\\"\n2,\\\n"),
        .csv("apostrophes are no quotes", "id,title\n1,'a'\n2,'b\n"),
        .csv("a NUL makes a bad row", "id,title\n1,One\n2,T\0o\n3,Three\n4,Four\n5,Five\n"),
        .csv("a NUL in quotes makes a bad row", "id,title\n1,One\n2,\"T\0\"\n3,Three\n4,Four\n5,Five\n"),
        .csv("control characters", "id,title\n1,\u{1}\u{1B}[31m\n2,\u{7F}\u{B}\u{C}\n"),
        .csv("line separators of Unicode are no line ends", "id,title\n1,a\u{2028}b\n2,\u{85}c\n"),
        .csv("a long field", "id,title\n1,\(String(repeating: "x", count: 100_000))\n2,y\n"),
        .csv(
            "a long field in quotes", "id,title\n1,\"\(String(repeating: "\"\"\n", count: 30_000))\"\n2,y\n"),
        .csv(
            "many columns",
            ImportCase.joined(0..<300, ",") { "c\($0)" } + "\n"
                + (0..<300).map(String.init).joined(separator: ",") + "\n"),
        .csv("only blanks", "id,title\n1,   \n2,\t\n"),
        .csv("blanks at the ends", "id,title\n1, a \n2,b\t\n"),
        .csv("no-break spaces", "id,title\n1,\u{A0}a\u{A0}\n2,\u{3000}\n"),
        .csv("normalisation forms are kept", "id,title\n1,\u{E9}\n2,e\u{301}\n3,\u{1F1E9}\u{1F1EA}\n"),
        .csv("texts that are equal but for their form", "isbn,n\n\u{E9},1\ne\u{301},2\n"),
        .csv("noncharacters and the last scalar", "id,title\n1,\u{FFFE}\n2,\u{FFFF}\n3,\u{10FFFF}\n"),
        .csv("a mark inside the text is kept", "id,title\n1,\u{FEFF}a\n2,b\u{FEFF}\n"),
    ]

    static let shapes: [ImportCase] = [
        .csv("one column", "title\nOne\nTwo\n", ["--delimiter", "comma"]),
        .csv(
            "an empty line in a file of one column is a row", "title\nOne\n\nTwo\n", ["--delimiter", "comma"]),
        .csv("one column of numbers", "n\n1\n2\n", types: ["n": "integer64"]),
        .csv("one row", "id,title\n1,One\n"),
        .csv("short rows", "id,title,year\n1,One,1\n2,Two\n3,Three,3\n4,Four,4\n5,Five,5\n"),
        .csv("long rows", "id,title\n1,One\n2,Two,2\n3,Three\n4,Four\n5,Five\n"),
        .csv("rows of blanks", "id,title,year\n1,One,1\n  \n3,Three,3\n4,Four,4\n5,Five,5\n"),
        .csv("a delimiter at the end of each row", "id,title\n1,One,\n2,Two\n3,Three\n4,Four\n5,Five\n"),
        .csv("a row of delimiters", "id,title,year\n1,One,1\n,,\n3,Three,3\n"),
        .csv("an empty name", "id,,year\n1,One,1\n2,Two,2\n"),
        .csv("empty names with numbers", "id,,\n1,One,1\n2,Two,2\n", ["--number-columns"]) {
            $0.numbered = true
        },
        .csv("repeated names with numbers", "title,title,title\na,b,c\nd,e,f\n", ["--number-columns"]) {
            $0.numbered = true
        },
        .csv("names that differ by case", "Title,title\na,b\nc,d\n"),
        .csv("names that differ by form", "\u{E9},e\u{301}\na,b\nc,d\n"),
        .csv("names with dots", "a.b,a_b\n1,2\n3,4\n"),
        .csv("a name over two lines", "id,\"first\nname\"\n1,Ann\n2,Bo\n"),
        .csv("names with blanks at the ends", " id , title \n1,One\n2,Two\n"),
        .csv("reserved names", "objectID,rowid,oid,_rowid_\n1,2,3,4\n5,6,7,8\n"),
        .csv("names of SQL", "select,from,\"a\"\"b\",group\n1,2,3,4\n5,6,7,8\n"),
        .csv(
            "names with colons", "dc:title,dc:date\nAlpha,1990\nBeta,1991\n", types: ["dc:date": "integer64"]),
        .csv("a name of a number among texts", "title,2001\nOne,1\nTwo,2\n"),
        .csv("a long name", "id,\(String(repeating: "é", count: 200))\n1,2\n3,4\n"),
        .csv("names in other scripts", "名前,כותרת\n1,a\n2,b\n"),
        .csv("a row like the header", "id,title\n1,One\nid,title\n2,Two\n"),
        .csv("the key has a gap", "id,title\n1,One\n,Two\n3,Three\n"),
        .csv("the key repeats", "id,title\n1,One\n1,Two\n3,Three\n"),
        .csv("keys that are equal as numbers", "id,title\n1,One\n1.0,Two\n01,Three\n"),
        .csv("keys that differ by case", "id,title\na,One\nA,Two\n"),
        .csv("an ISBN with X", "isbn,title\n080442957X,One\n0306406152,Two\n"),
    ]
}
