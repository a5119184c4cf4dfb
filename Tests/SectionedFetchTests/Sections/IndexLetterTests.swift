import Foundation
import SectionedFetch
import CheckSupport
import Testing

/// Letters of an alphabetic index: without leading marks, and of Chinese, Japanese and Korean texts.
@Suite struct IndexLetterTests {
    private let catalogue: Catalogue
    private let context: ManagedObjectContext

    init() throws {
        catalogue = try Catalogue()
        context = catalogue.container.newContext()
    }

    private func fill(_ titles: [String]) throws {
        for title in titles { Artwork(context: context).title = title }
        try context.save()
    }

    /// Returns the titles under each letter.
    private func sections(
        _ key: SectionKey, by order: TextOrder, descending: Bool = false
    ) throws -> [(letter: String, titles: [String])] {
        // The controller fails if a title of another letter sorts between two titles of one letter.
        let controller = try FetchedResultsController(
            fetchRequest: FetchRequest<Artwork>(sortDescriptors: [
                descending ? .descending(\.title, order: order) : .ascending(\.title, order: order)
            ]),
            context: context, sectionNameKeyPath: key, cacheStore: catalogue.caches)
        try controller.performFetch()
        return try #require(controller.sections).map { ($0.name, $0.compactMap(\.title)) }
    }

    private func indexed(_ titles: [String], _ identifier: String) throws -> [String: [String]] {
        try fill(titles)
        let locale = Locale(identifier: identifier)
        let sections = try sections(.indexLetter(of: \Artwork.title, in: locale), by: .indexed(locale))
        return Dictionary(uniqueKeysWithValues: sections.map { ($0.letter, $0.titles) })
    }

    // MARK: Leading marks

    @Test func `leading blanks, punctuation and apostrophes are ignored`() throws {
        let marks = [
            "ʻ", "ʼ", "‘", "’", "'", "“", "”", "\"", "¡", "¿", "«", "(", "[", "…", "ʿ", "ʾ", "`", "´", " ",
            "\t",
            "\u{A0}", "- ", "— ", "*", "#", "@", "„", "‚", "‹", "《", "「", "（", "\u{200E}“", "'\u{301}",
            "!!! ", "¿¡",
        ]
        let found = try indexed(marks.map { $0 + "alma" } + ["Alma", "Zorn"], "en")
        #expect(found.keys.sorted() == ["A", "Z"])
        #expect(Set(found["A"] ?? []) == Set(marks.map { $0 + "alma" } + ["Alma"]))
        // The plain text comes first, because the others are equal to it without their marks.
        #expect(found["A"]?.first == "alma" || found["A"]?.last == "Alma")
    }

    @Test func `texts without a letter are under the number sign and come first`() throws {
        let titles = ["", " ", "…", "(500) Days", "#1", "$9", "½", "🎵", "¿?", "1984", "'68"]
        try fill(titles + ["Ada", "«Ähre»"])
        let locale = Locale(identifier: "de")
        let found = try sections(.indexLetter(of: "title", in: locale), by: .indexed(locale))
        #expect(found.map(\.letter) == ["#", "A"])
        #expect(Set(found[0].titles) == Set(titles))
        #expect(found[1].titles == ["Ada", "«Ähre»"])
    }

    @Test(arguments: [
        "en", "sv", "hu", "ru", "ja", "ko", "zh", "zh_Hant", "zh-u-co-zhuyin", "zh-u-co-unihan",
    ])
    func `a title that is a letter of the index is under the letter that the alphabet gives`(
        identifier: String
    ) throws {
        let locale = Locale(identifier: identifier)
        let alphabet = IndexAlphabet(locale)
        // The titles of strokes, such as 5劃, begin with a digit.
        let letters = alphabet.letters.filter { $0.first?.isNumber != true }
        try fill(letters + ["\u{E000}", "\u{10FFFD}"])
        let found = try sections(.indexLetter(of: \Artwork.title, in: locale), by: .indexed(locale))
        #expect(found.count >= letters.count)
        for section in found {
            #expect(
                section.titles.map { alphabet.letter(for: $0) } == section.titles.map { _ in section.letter })
        }
    }

    @Test func `texts are ordered as if they had no leading marks`() throws {
        let found = try indexed(["“Hello”", "Hela", "¡Hella!", "(Helm)", "Hélix", "ʻHell"], "en")
        #expect(found["H"] == ["Hela", "Hélix", "ʻHell", "¡Hella!", "“Hello”", "(Helm)"])
    }

    /// Blocks with letters of all kinds, marks, digits and symbols.
    private static let blocks: [ClosedRange<UInt32>] = [
        0x20...0xFF, 0x41...0x7A, 0x100...0x24F, 0x250...0x36F, 0x370...0x3FF, 0x400...0x52F, 0x5D0...0x5EA,
        0x620...0x64A, 0x904...0x939, 0xE01...0xE2E, 0x1E00...0x1EFF, 0x2010...0x205F, 0x2100...0x214F,
        0x3000...0x30FF, 0x3130...0x318F, 0x3400...0x34FF, 0x4E00...0x9FFF, 0xAC00...0xD7A3, 0xF900...0xFA2F,
        0xFF01...0xFF9F, 0x1F600...0x1F64F, 0x20000...0x2A6DF,
    ]

    @Test(arguments: [
        "en", "sv", "da", "cs", "hu", "et", "tr", "ru", "ja", "ko", "zh", "zh_Hant", "zh-u-co-zhuyin",
        "zh-u-co-unihan",
    ])
    func `titles are grouped in the order of an index, in both directions`(identifier: String) throws {
        let seed = UInt64.random(in: 0 ... .max)
        print("seed \(seed)")
        var generator = SeededGenerator(seed: seed)
        let titles = (0..<400).map { _ in
            var title = String.UnicodeScalarView()
            for _ in 0..<Int.random(in: 1...4, using: &generator) {
                if let scalar = Unicode.Scalar(
                    UInt32.random(in: Self.blocks.randomElement(using: &generator)!, using: &generator))
                {
                    title.append(scalar)
                }
            }
            return String(title)
        }
        try fill(titles)
        let locale = Locale(identifier: identifier)
        let alphabet = IndexAlphabet(locale)
        for descending in [false, true] {
            let found = try sections(
                .indexLetter(of: \Artwork.title, in: locale), by: .indexed(locale), descending: descending)
            #expect(found.reduce(0) { $0 + $1.titles.count } == titles.count)
            #expect(Set(found.map(\.letter)).count == found.count)
            #expect(
                found.allSatisfy { section in
                    section.titles.allSatisfy { alphabet.letter(for: $0) == section.letter }
                })
            let known = found.map(\.letter).filter(alphabet.letters.contains)
            #expect((descending ? known.reversed() : known) == alphabet.letters.filter(known.contains))
        }
        // The first letter without regard to marks still agrees with the plain order.
        _ = try sections(.firstLetter(of: \Artwork.title, in: locale), by: .localized(locale))
        // Every order that begins with the letter keeps the titles of a letter together.
        for order in [TextOrder.binary, .localized(locale)] {
            let key = KeyExpression.indexLetter(of: "title", in: locale)
            let controller = try FetchedResultsController(
                fetchRequest: FetchRequest<Artwork>(sortDescriptors: [
                    .ascending(key, order: order), .ascending(\.title),
                ]),
                context: context, sectionNameKeyPath: SectionKey(key), cacheStore: catalogue.caches)
            try controller.performFetch()
        }
    }

    // MARK: Chinese, Japanese and Korean

    /// Frequent family names, by the first letter of their pinyin.
    private static let pinyin: [(letter: String, characters: String)] = [
        ("A", "艾阿"), ("B", "白包"), ("C", "陈曹蔡程崔"), ("D", "邓董杜丁段戴"), ("E", "鄂"), ("F", "冯范方傅"),
        ("G", "郭高顾龚"), ("H", "黄胡何韩侯贺郝"), ("J", "蒋姜江金"), ("K", "康孔"), ("L", "李刘林罗梁吕卢陆廖黎"),
        ("M", "马孟毛莫"), ("N", "牛倪"), ("O", "欧"), ("P", "潘彭"), ("Q", "钱秦邱"), ("R", "任"), ("S", "孙宋苏石邵"),
        ("T", "唐田谭陶"), ("W", "王吴汪魏万"), ("X", "徐许谢萧熊薛"), ("Y", "杨叶袁姚尹"), ("Z", "张赵周朱郑钟邹"),
    ]

    @Test func `Chinese texts are under the first letter of their pinyin`() throws {
        let titles = Self.pinyin.flatMap { $0.characters.map { "\($0)明" } }
        try fill(titles)
        for identifier in ["zh", "zh_Hans_CN", "zh-Hant-u-co-pinyin"] {
            let locale = Locale(identifier: identifier)
            for (key, order) in [
                (SectionKey.firstLetter(of: \Artwork.title, in: locale), TextOrder.localized(locale)),
                (.indexLetter(of: \Artwork.title, in: locale), .indexed(locale)),
            ] {
                let found = try sections(key, by: order)
                #expect(found.map(\.letter) == Self.pinyin.map(\.letter))
                for (section, expected) in zip(found, Self.pinyin) {
                    #expect(Set(section.titles) == Set(expected.characters.map { "\($0)明" }))
                }
            }
        }
    }

    @Test func `the Chinese titles of a reported case are under the letters of their pinyin`() throws {
        // 曾 is céng in CLDR, and zēng as a family name only.
        #expect(
            try indexed(["王伟", "张三", "阿明", "曾国"], "zh").mapValues { $0 } == [
                "A": ["阿明"], "C": ["曾国"], "W": ["王伟"], "Z": ["张三"],
            ])
    }

    @Test func `an index combines Chinese and Latin texts, and the plain order separates them`() throws {
        try fill(["Adam", "阿明", "“Zoe”", "张三", "iPad", "李"])
        let locale = Locale(identifier: "zh")
        let index = try sections(.indexLetter(of: \Artwork.title, in: locale), by: .indexed(locale))
        #expect(index.map(\.letter) == ["A", "I", "L", "Z"])
        #expect(index.map(\.titles) == [["阿明", "Adam"], ["iPad"], ["李"], ["张三", "“Zoe”"]])
        let plain = try sections(.firstLetter(of: \Artwork.title, in: locale), by: .localized(locale))
        #expect(plain.map(\.letter) == ["#", "A", "L", "Z", "Ａ", "Ｉ"])
    }

    @Test func `Chinese texts are under their number of strokes where the locale sorts by strokes`() throws {
        let strokes = [
            ("1劃", "一乙"), ("2劃", "丁人"), ("3劃", "三大"), ("4劃", "王方"), ("5劃", "田白"), ("10劃", "馬高"),
            ("11劃", "張陳"),
        ]
        try fill(strokes.flatMap { $0.1.map(String.init) } + ["Ada"])
        for identifier in ["zh-u-co-stroke", "zh_Hant", "zh_TW", "zh@collation=stroke"] {
            let locale = Locale(identifier: identifier)
            for (key, order) in [
                (SectionKey.firstLetter(of: "title", in: locale), TextOrder.localized(locale)),
                (.indexLetter(of: "title", in: locale), .indexed(locale)),
            ] {
                let found = try sections(key, by: order)
                #expect(found.map(\.letter) == strokes.map(\.0) + ["A"], "\(identifier)")
                #expect(found.dropLast().map { Set($0.titles) } == strokes.map { Set($0.1.map(String.init)) })
            }
        }
    }

    @Test func `Japanese kana are under the first kana of their row`() throws {
        let rows = [
            ("あ", "あいうえおぁアイウエオｱヴ"), ("か", "かきくけこがぎぐげごカキクケコガ"), ("さ", "さしすせそざじずぜぞサ"),
            ("た", "たちつてとだぢづでどっッ"), ("な", "なにぬねのナ"), ("は", "はひふへほばびぶべぼぱぴぷぺぽハﾊ"), ("ま", "まみむめもマ"),
            ("や", "やゆよゃヤ"), ("ら", "らりるれろラ"), ("わ", "わゐゑをんワヲン"),
        ]
        let titles = rows.flatMap { row in row.1.map { "\($0)らい" } }
        try fill(titles)
        let locale = Locale(identifier: "ja_JP")
        for (key, order) in [
            (SectionKey.firstLetter(of: "title", in: locale), TextOrder.localized(locale)),
            (.indexLetter(of: "title", in: locale), .indexed(locale)),
        ] {
            let found = try sections(key, by: order)
            #expect(found.map(\.letter) == rows.map(\.0))
            #expect(found.map { Set($0.titles) } == rows.map { row in Set(row.1.map { "\($0)らい" }) })
        }
    }

    @Test func `Korean syllables are under their initial consonant`() throws {
        let seed = UInt64.random(in: 0 ... .max)
        print("seed \(seed)")
        var generator = SeededGenerator(seed: seed)
        let titles = (0..<300).compactMap { _ in
            Unicode.Scalar(UInt32.random(in: 0xAC00...0xD7A3, using: &generator)).map { "\($0)음" }
        }
        try fill(titles)
        // Unicode's arithmetic: 588 syllables begin with each consonant. Tense ones are under the plain one.
        let initials = Array("ㄱㄱㄴㄷㄷㄹㅁㅂㅂㅅㅅㅇㅈㅈㅊㅋㅌㅍㅎ").map(String.init)
        let expected = Dictionary(grouping: titles) { title in
            initials[Int((title.unicodeScalars.first!.value - 0xAC00) / 588)]
        }
        let locale = Locale(identifier: "ko")
        for (key, order) in [
            (SectionKey.firstLetter(of: "title", in: locale), TextOrder.localized(locale)),
            (.indexLetter(of: "title", in: locale), .indexed(locale)),
        ] {
            let found = try sections(key, by: order)
            #expect(found.map(\.letter) == expected.keys.sorted())
            for section in found { #expect(section.titles.sorted() == expected[section.letter]?.sorted()) }
        }
    }

    // MARK: Requests

    @Test func `an index is served and brought up to date from the cache`() throws {
        try fill(["“Bach”", "Ada", "ʻAlī", "Zorn"])
        let locale = Locale(identifier: "en")
        let request = FetchRequest<Artwork>(sortDescriptors: [.ascending(\.title, order: .indexed(locale))])
        let key = SectionKey.indexLetter(of: \Artwork.title, in: locale)
        try catalogue.restarted(request, by: key).performAndSettle()
        try catalogue.runElsewhere("UPDATE Artwork SET title = '¿Cuándo?' WHERE title = 'Ada'")
        let advanced = try catalogue.restarted(request, by: key)
        try advanced.performFetch()
        #expect(advanced.cacheLookup?.isAdvanced == true)
        #expect(advanced.outline == ["A:1", "B:1", "C:1", "Z:1"])
        advanced.settle()
        #expect(try advanced.verifyCache() == .equal(sections: 4, rows: 4))
    }

    @Test func `an index sorted in the locale's order is an error that names the index order`() throws {
        try fill(["“Ada”", "Alan", "$"])
        let locale = Locale(identifier: "en")
        let controller = try catalogue.restarted(
            FetchRequest<Artwork>(sortDescriptors: [.ascending(\.title, order: .localized(locale))]),
            by: .indexLetter(of: \Artwork.title, in: locale))
        #expect {
            try controller.performFetch()
        } throws: { "\($0)".contains("TextOrder.indexed, “en”") }
    }

    @Test func `an index of another locale is a different request, and an invalid locale an error`() throws {
        try fill(["Ada"])
        func look(_ identifier: String) throws -> MissReason? {
            let locale = Locale(identifier: identifier)
            let controller = try catalogue.restarted(
                FetchRequest<Artwork>(sortDescriptors: [.ascending(\.title, order: .indexed(locale))]),
                by: .indexLetter(of: \Artwork.title, in: locale))
            try controller.performAndSettle()
            return controller.missReason
        }
        #expect(try look("en") != nil)
        #expect(try look("en") == nil)
        #expect(try look("sv") == .requestChanged(parts: ["sort", "section"]))
        #expect(throws: ObjectStorageError.self) { try look("en'; --") }
    }
}
