extension ImportTable {
    /// A file with the columns `id` and `n`, with one row for each text, and maybe the type of `n`.
    private static func column(_ name: String, _ texts: [String], _ type: String? = nil) -> ImportCase {
        let rows = texts.enumerated().map { "\($0 + 1),\($1)\n" }
        return .csv(name, "id,n\n" + rows.joined(), types: type.map { ["n": $0] })
    }

    private static func many(_ text: (Int) -> String, then late: String...) -> [String] {
        (0..<1_000).map(text) + late
    }

    static let types: [ImportCase] = [
        column("whole numbers", ["0", "-1", "20"], "integer64"),
        column("the limits of Int64", ["9223372036854775807", "-9223372036854775808"], "integer64"),
        column("beyond Int64", ["9223372036854775808", "1"], "decimal"),
        column("below Int64", ["-9223372036854775809", "1"], "decimal"),
        column("zeros before digits", ["007", "1569"], "string"),
        column("a single zero", ["0", "0"], "integer64"),
        column("two zeros", ["00", "1"], "string"),
        column("a negative zero", ["-0", "1"], "string"),
        column("a negative zero with a fraction", ["-0.0", "1.5"], "string"),
        column("a plus sign", ["+46812345678", "1"], "string"),
        column("a fraction of zero", ["1.0", "2.0"], "double"),
        column("a whole number and a fraction of zero", ["3", "3.0"], "string"),
        column("whole numbers and fractions", ["3", "2.5"], "double"),
        column("fractions of zero and others", ["3.0", "2.5"], "double"),
        column("a zero after a fraction", ["1.1", "1.10", "1.2"], "string"),
        column("a point at the beginning", [".5", "1"], "string"),
        column("a point at the end", ["5.", "1"], "string"),
        column("an exponent", ["1e2", "3"], "string"),
        column("digits with e", ["12345e7", "67890e1"], "string"),
        column("the shortest text of a large double", ["1e+22", "2.5"], "double"),
        column("the largest double", ["1.7976931348623157e+308", "0.5"], "double"),
        column("beyond the largest double", ["1e400", "0.5"], "string"),
        column("the smallest double", ["5e-324", "0.5"], "double"),
        column("below the smallest double", ["1e-400", "0.5"], "string"),
        column("integers beyond 2^53", ["9007199254740993", "0.5"], "decimal"),
        column("an integer that a double has", ["9007199254740992", "0.5"], "double"),
        column("17 digits after the point", ["0.12345678901234567", "1"], "decimal"),
        column("a double with 17 digits", ["0.10000000000000002", "0.5"], "double"),
        column("38 digits", ["12345678901234567890123456789012345678", "1"], "decimal"),
        column("39 digits", ["123456789012345678901234567890123456789", "1"], "string"),
        column("a decimal with a zero at the end", ["0.123456789012345670", "1"], "string"),
        column("a decimal comma", ["3,5", "4,0"].map { "\"\($0)\"" }, "string"),
        column("thousands", ["\"1,000\"", "2"], "string"),
        column("digits of another script", ["٣", "٤"], "string"),
        column("hexadecimal digits", ["0x10", "1"], "string"),
        column("underscores", ["1_000", "1"], "string"),
        column("NaN and infinity", ["NaN", "inf", "1.5"], "string"),
        column("blanks before a number", [" 1", "2"], "string"),
        column("gaps", ["", "1", "", "2"], "integer64"),
        column("only gaps", ["", "", ""], "string"),
        column("words for no value", ["1990", "NULL", "2001"], "string"),
        column("a late fraction", many(String.init, then: "3.1"), "double"),
        column("a late decimal", many(String.init, then: "0.12345678901234567"), "decimal"),
        column("a late text", many(String.init, then: "x"), "string"),
        column("a late zero before digits", many(String.init, then: "007"), "string"),
        column("a late large integer", many(String.init, then: "9223372036854775808"), "decimal"),
        column("late numbers after gaps", many({ _ in "" }, then: "1", "2.5"), "double"),
        column("a late date after gaps", many({ _ in "" }, then: "2020-01-02"), "date"),
        column(
            "a late text after true and false", many({ $0 % 2 == 0 ? "true" : "false" }, then: "maybe"),
            "string"),
    ]

    static let typesOfDates: [ImportCase] = [
        column("true and false", ["true", "false"], "boolean"),
        column("True and False", ["True", "False"], "boolean"),
        column("TRUE and FALSE", ["TRUE", "FALSE"], "boolean"),
        column("true and False", ["true", "False"], "string"),
        column("yes and no", ["yes", "no"], "string"),
        column("0 and 1", ["0", "1"], "integer64"),
        column("true and 1", ["true", "1"], "string"),
        column("days", ["2020-01-02", "1999-12-31"], "date"),
        column("the first and the last day", ["0001-01-01", "9999-12-31"], "date"),
        column("the year 0", ["0000-01-01", "2020-01-01"], "date"),
        column("a leap day", ["2020-02-29", "2000-02-29"], "date"),
        column("no leap day", ["2021-02-29", "2020-01-01"], "string"),
        column("a leap day of 1900", ["1900-02-29", "2020-01-01"], "string"),
        column("a day of the Julian calendar", ["1582-10-10", "1500-02-28"], "date"),
        column("the month 13", ["2020-13-01", "2020-01-01"], "string"),
        column("the day 0", ["2020-01-00", "2020-01-01"], "string"),
        column("one digit for a month", ["2020-1-02", "2020-01-01"], "string"),
        column("times with T and Z", ["2020-01-02T03:04:05Z", "2020-01-02T00:00:00Z"], "date"),
        column("times with a blank", ["2020-01-02 03:04:05", "2020-01-02 00:00:00"], "date"),
        column("times without seconds", ["2020-01-02T03:04", "2020-01-02T00:00"], "date"),
        column("thousandths", ["2020-01-02T03:04:05.678Z", "2020-01-02T03:04:05.000Z"], "date"),
        column(
            "fractions of different lengths", ["2020-01-02T03:04:05.6Z", "2020-01-02T03:04:05.67Z"], "string"),
        column("days and times", ["2020-01-02", "2020-01-02T03:04:05Z"], "string"),
        column("times with and without Z", ["2020-01-02T03:04:05", "2020-01-02T03:04:05Z"], "string"),
        column("times with T and with a blank", ["2020-01-02T03:04:05", "2020-01-02 03:04:05"], "string"),
        column("offsets", ["2020-01-02T03:04:05+02:00", "2020-01-02T03:04:05+01:00"], "string"),
        column("a leap second", ["2016-12-31T23:59:60Z", "2016-12-31T23:59:59Z"], "string"),
        column("24 o'clock", ["2020-01-02T24:00:00Z", "2020-01-02T23:00:00Z"], "string"),
        column("other notations", ["02.01.2020", "29.09.2018"], "string"),
        column("slashes", ["2018/09/29", "2019/01/03"], "string"),
        column("years", ["2018", "1999"], "integer64"),
        column("months", ["2018-09", "1999-12"], "string"),
        column("weeks", ["2018-W09-1", "1999-W12-7"], "string"),
        column(
            "small letters of identifiers",
            [
                "6f9619ff-8b86-d011-b42d-00cf4fc964ff",
                "00000000-0000-0000-0000-000000000000",
            ], "uuid"),
        column(
            "capital letters of identifiers",
            [
                "6F9619FF-8B86-D011-B42D-00CF4FC964FF",
                "00000000-0000-0000-0000-000000000000",
            ], "uuid"),
        column(
            "identifiers in both cases",
            [
                "6F9619FF-8B86-D011-B42D-00CF4FC964FF",
                "6f9619ff-8b86-d011-b42d-00cf4fc964ff",
            ], "string"),
        column("an identifier in mixed case", ["6F9619FF-8b86-D011-B42D-00CF4FC964FF"], "string"),
        column("identifiers in braces", ["{6f9619ff-8b86-d011-b42d-00cf4fc964ff}"], "string"),
        column("identifiers without lines", ["6f9619ff8b86d011b42d00cf4fc964ff"], "string"),
    ]
}
