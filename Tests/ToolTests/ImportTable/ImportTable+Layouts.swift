extension ImportTable {
    static let layouts: [ImportCase] = [
        .csv("semicolons are found", "id;title;price\n1;One;3,50\n2;Two;4,00\n") { $0.delimiter = ";" },
        .csv("tabs are found", "id\ttitle\n1\tOne\n2\tTwo, too\n") { $0.delimiter = "\t" },
        .csv("a quoted name has the other delimiter", "id;\"a,b,c\";x\n1;One;y\n2;Two;z\n") {
            $0.delimiter = ";"
        },
        .csv("commas in fields of tabs", "a,1\tb,2\n1\t2\n3\t4\n", ["--delimiter", "tab"]) {
            $0.delimiter = "\t"
        },
        .csv("bars by an option", "id|title\n1|One\n2|Two\n", ["--delimiter", "|"]) { $0.delimiter = "|" },
        .csv("blanks by an option", "id title\n1 One\n2 \"Two words\"\n", ["--delimiter", " "]) {
            $0.delimiter = " "
        },
        .csv("colons by an option", "id:title\n1:One\n2:\"a:b\"\n", ["--delimiter", ":"]) {
            $0.delimiter = ":"
        },
        .csv("a first line that names the delimiter", "sep=;\nid;title\n1;One, two\n") {
            ($0.delimiter, $0.skipped) = (";", 1)
        },
        .csv("a first line that names a bar, CRLF", "sep=|\r\nid|title\r\n1|One;two\r\n") {
            ($0.delimiter, $0.skipped) = ("|", 1)
        },
        .csv("a first line that names a tab, in quotes", "\"SEP=\t\"\nid\ttitle\n1\tOne\n2\n") {
            ($0.delimiter, $0.skipped) = ("\t", 1)
        },
        .csv(
            "a named delimiter above skipped lines", "sep=,\nabout;this;file\nid,title\n1,One\n",
            ["--header-line", "3"]
        ) { $0.skipped = 2 },
        .csv("another delimiter than the named one", "sep=,\nid;title\n1;One\n", ["--delimiter", ";"]) {
            ($0.delimiter, $0.skipped) = (";", 1)
        },
        .csv("no header below a named delimiter", "sep=;\n1;One\n2;Two\n", ["--no-header"]) {
            ($0.delimiter, $0.skipped, $0.headless) = (";", 1, true)
        },
        .csv("a column whose name begins with sep=", "sep=x,title\n1,One\n", ["--delimiter", ","]),
        .csv("a header line", "about\nmore,text\nid,title\n1,One\n", ["--header-line", "3"]) {
            $0.skipped = 2
        },
        .csv("skipped lines", "about\nid,title\n1,One\n", ["--skip-lines", "1"]) { $0.skipped = 1 },
        .csv("a quote in a skipped line", "a \"quote\nid,title\n1,One\n", ["--skip-lines", "1"]) {
            $0.skipped = 1
        },
        .csv("skipped lines of CR", "about\rid,title\r1,One\r", ["--skip-lines", "1"]) { $0.skipped = 1 },
        .csv(
            "the line of a bad row below skipped lines",
            "about\n\nid,title\n1,One\n2\n3,Three\n4,Four\n5,Five\n", ["--skip-lines", "2"]
        ) { $0.skipped = 2 },
        .csv("no header", "1,One\n2,Two\n", ["--no-header"]) { $0.headless = true },
        .csv("no header and names", "1,One\n2,Two\n", ["--no-header", "--columns", "n,title"]) {
            ($0.headless, $0.columns) = (true, ["n", "title"])
        },
        .csv("other names", "id,title\n1,One\n2,Two\n", ["--columns", "number,name"]) {
            $0.columns = ["number", "name"]
        },
        .csv("comments", "# about\nid,title\n1,One\n#2,\"Two\n3,Three\n", ["--comment", "#"]) {
            $0.comment = "#"
        },
        .csv(
            "comments and CR as line end",
            "# about\rid,\"first\nname\",n,x\r1,One,2,3\r2,Two,3,4\r3,Three,4,5\r# end\r4,Four,5,6\r",
            ["--comment", "#"]
        ) { $0.comment = "#" },
        .csv("a comment sign in a row", "id,title\n1,# One\n2,Two#\n", ["--comment", "#"]) {
            $0.comment = "#"
        },
        .csv("a comment sign in quotes", "id,title\n1,\"a\n# b\"\n2,c\n", ["--comment", "#"]) {
            $0.comment = "#"
        },
        .csv("a quoted comment sign", "title,id\n\"#a\",1\nb,2\n", ["--comment", "#"]) { $0.comment = "#" },
        .csv("comments of several characters", "id,title\n//x\n1,One\n/2,Two\n", ["--comment", "//"]) {
            $0.comment = "//"
        },
        .csv("a footer", "id,title\n1,One\n2,Two\nTotal: 2 rows\n", ["--skip-footer", "1"]) { $0.footer = 1 },
        .csv("a footer after an empty line", "id,title\n1,One\n\nTotal\nby hand\n", ["--skip-footer", "2"]) {
            $0.footer = 2
        },
        .csv("a footer without a line end", "id,title\n1,One\n2,Two\nTotal", ["--skip-footer", "1"]) {
            $0.footer = 1
        },
        .csv("an equals sign before quotes", "id,isbn13\n1,\"=\"\"9780141026169\"\"\"\n2,\"=\"\"\"\"\"\n"),
    ]
}
