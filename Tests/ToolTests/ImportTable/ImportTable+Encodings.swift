extension ImportTable {
    static let encodings: [ImportCase] = wideEncodings + narrowEncodings + damagedTexts + archives

    private static func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

    /// A file of CSV in an encoding.
    private static func encoded(
        _ name: String, _ bytes: [UInt8], _ encoding: String, _ arguments: [String] = []
    ) -> ImportCase {
        .bytes(name, bytes, arguments, as: .init(encoding: encoding))
    }

    private static let wideEncodings: [ImportCase] = [
        .bytes("a mark of UTF-8", bytes("\u{FEFF}id,title\n1,É\n2,b\n")),
        .bytes("a mark before quotes", bytes("\u{FEFF}\"id\",\"title\"\n1,É\n")),
        .bytes(
            "a mark before JSON", bytes("\u{FEFF}[{\"a\":1}]"), file: "book.json", as: .init(form: "json")),
        encoded("UTF-16LE with a mark", wide("\u{FEFF}id,title\n1,Élodie\n2,😀\n"), "utf-16"),
        encoded("UTF-16BE with a mark", wide("\u{FEFF}id,title\n1,Élodie\n2,😀\n", isBig: true), "utf-16"),
        .bytes(
            "a mark before a named delimiter", bytes("\u{FEFF}sep=;\nid;title\n1;É\n"),
            as: .init(delimiter: ";", skipped: 1)),
        .bytes(
            "a named delimiter in UTF-16", wide("\u{FEFF}sep=|\r\nid|title\r\n1|É;\r\n"),
            as: .init(delimiter: "|", encoding: "utf-16", skipped: 1)),
        encoded("UTF-16LE without a mark", wide("name,town\nAnn,Lund\nÉva,Kiruna\n"), "utf-16-le"),
        encoded(
            "UTF-16BE without a mark", wide("name,town\nAnn,Lund\nÉva,Kiruna\n", isBig: true), "utf-16-be"),
        .bytes(
            "JSON Lines in UTF-16", wide("\u{FEFF}{\"a\":\"é\"}\n{\"a\":\"日\"}\n"), file: "book.jsonl",
            as: .init(form: "lines", encoding: "utf-16")),
        encoded("UTF-32LE with a mark", veryWide("\u{FEFF}id,title\n1,É\n2,😀\n"), "utf-32"),
    ]

    private static let narrowEncodings: [ImportCase] = {
        let marks: [UInt8] = [0x93, 0x78, 0x94]
        let price: [UInt8] = [0x0A, 0x79, 0x2C, 0x35, 0x20, 0x80, 0x0A]
        let coffee: [UInt8] = [0x63, 0x61, 0x66, 0xE9, 0x73, 0x0A, 0x78, 0x2C]
        let header = bytes("id,title\n1,")
        let cyrillic: [UInt8] = [0xCC, 0xE8, 0xF0, 0x0A]
        let japanese: [UInt8] = [0x93, 0xFA, 0x96, 0x7B, 0x0A]
        let chinese: [UInt8] = [0xC4, 0xE3, 0x0A]
        return [
            encoded("Latin-1", latin("name,town\nÅsa,Malmö\nBo,Lund\n"), "cp1252"),
            encoded(
                "Windows-1252 with its marks", latin("name,town\nÅsa,Malmö\nBo,") + coffee + marks + price,
                "cp1252"),
            encoded(
                "Windows-1251 by an option", header + cyrillic, "cp1251", ["--encoding", "WINDOWS-1251"]),
            encoded("Shift_JIS by an option", header + japanese, "shift_jis", ["--encoding", "SHIFT_JIS"]),
            encoded("GB18030 by an option", header + chinese, "gb18030", ["--encoding", "GB18030"]),
        ]
    }()

    private static let damagedTexts: [ImportCase] = {
        /// Five rows, one of which ends with some bytes.
        func rows(_ end: [UInt8]) -> [UInt8] {
            bytes("id,title\n1,É\n2,a") + end + bytes("\n3,c\n4,d\n5,e\n")
        }
        let arguments = ["--encoding", "UTF-8"]
        return [
            .bytes("one byte that is not UTF-8", rows([0xFF]), arguments),
            .bytes("a surrogate in UTF-8", rows([0xED, 0xA0, 0x80]), arguments),
            .bytes("an overlong sequence", rows([0xC0, 0xAF]), arguments),
            .bytes("a sequence that ends too early", rows([0xE2, 0x82]), arguments),
            .bytes("a replaced byte", rows([0xFF]), ["--replace-invalid"], as: .init(replaced: true)),
        ]
    }()

    private static let archives: [ImportCase] = [
        .bytes("gzip", gzipped, file: "book.csv.gz", as: .init(gzip: true)),
        .bytes("gzip of two members", gzipped + gzipped, file: "library.gz", as: .init(gzip: true)),
        .bytes("zip", zipped, file: "book.zip", as: .init(member: "a.csv")),
        .bytes(
            "zip with a named member", zipped, ["--member", "a.csv"], file: "book.zip",
            as: .init(member: "a.csv")
        ),
    ]

    private static func wide(_ text: String, isBig: Bool = false) -> [UInt8] {
        var bytes: [UInt8] = []
        for unit in text.utf16 {
            let (high, low) = (UInt8(unit >> 8), UInt8(unit & 0xFF))
            bytes += isBig ? [high, low] : [low, high]
        }
        return bytes
    }

    private static func veryWide(_ text: String) -> [UInt8] {
        var bytes: [UInt8] = []
        for scalar in text.unicodeScalars {
            for shift: UInt32 in [0, 8, 16, 24] { bytes.append(UInt8(scalar.value >> shift & 0xFF)) }
        }
        return bytes
    }

    private static func latin(_ text: String) -> [UInt8] { text.unicodeScalars.map { UInt8($0.value) } }

    private static let content = bytes("id,title\n1,One\n")
    private static let checksum: [UInt8] = [0x12, 0xD9, 0x07, 0x98]

    /// The content, compressed by gzip with the method “stored”.
    private static let gzipped: [UInt8] = {
        var bytes: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 255, 1, 15, 0, 240, 255]
        bytes += content
        bytes += checksum
        bytes += [15, 0, 0, 0]
        return bytes
    }()

    /// An archive with the content as the file `a.csv`, stored.
    private static let zipped: [UInt8] = {
        let name = bytes("a.csv")
        var sums = checksum
        sums += [15, 0, 0, 0, 15, 0, 0, 0, 5, 0]
        var local: [UInt8] = [0x50, 0x4B, 3, 4, 10, 0, 0, 0, 0, 0, 0, 0, 0x21, 0]
        local += sums
        local += [0, 0]
        local += name
        local += content
        var central: [UInt8] = [0x50, 0x4B, 1, 2, 10, 0, 10, 0, 0, 0, 0, 0, 0, 0, 0x21, 0]
        central += sums
        central += [UInt8](repeating: 0, count: 16)
        central += name
        var end: [UInt8] = [0x50, 0x4B, 5, 6, 0, 0, 0, 0, 1, 0, 1, 0]
        end += [UInt8(central.count), 0, 0, 0, UInt8(local.count), 0, 0, 0, 0, 0]
        return local + central + end
    }()
}
