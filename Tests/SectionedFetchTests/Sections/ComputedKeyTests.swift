import Foundation
import SectionedFetch
import CheckSupport
import Testing

@Suite struct ComputedKeyTests {
    let catalogue: Catalogue
    let context: ManagedObjectContext

    init() throws {
        catalogue = try Catalogue()
        context = catalogue.container.newContext()
    }

    private func outline(
        titles: [String?], locale: String, diacritics: KeyExpression.Diacritics, keyFirst: Bool = false
    ) throws -> [String] {
        for title in titles { Artwork(context: context).title = title }
        try context.save()
        let key = KeyExpression.firstLetter(
            of: \Artwork.title, in: Locale(identifier: locale), diacritics: diacritics)
        let order = TextOrder.localized(Locale(identifier: locale))
        let byTitle = FetchRequest<Artwork>.SortDescriptor.ascending(\.title, order: order)
        let request = FetchRequest<Artwork>(
            sortDescriptors: keyFirst ? [.ascending(key, order: order), byTitle] : [byTitle])
        let controller = try FetchedResultsController(
            fetchRequest: request, context: context, sectionNameKeyPath: SectionKey(key),
            cacheStore: catalogue.caches)
        try controller.performFetch()
        return controller.outline
    }

    @Test func `letters with diacritics share a section with the plain ones in a localized order`() throws {
        let titles = ["Eab", "Éac", "ead", "1984", "!x", "Zed", nil, "", "Ofen", "Öl", "ßa"]
        #expect(
            try outline(titles: titles, locale: "de", diacritics: .together)
                == [":1", "#:3", "E:3", "O:2", "S:1", "Z:1"])
    }

    @Test func `letters that belong to the locale's alphabet have their own sections`() throws {
        #expect(
            try outline(titles: ["Ofen", "Öl", "Zed", "Åre", "Apa"], locale: "sv", diacritics: .together)
                == ["A:1", "O:1", "Z:1", "Å:1", "Ö:1"])
    }

    @Test func `letters with diacritics can have their own sections if the letter sorts first`() throws {
        #expect(
            try outline(titles: ["Eab", "Éac", "ead"], locale: "en", diacritics: .apart, keyFirst: true)
                == ["E:2", "É:1"])
        #expect(throws: ObjectStorageError.self) {
            _ = try outline(titles: [], locale: "en", diacritics: .apart)
        }
    }

    @Test(arguments: [KeyExpression.Diacritics.together, .apart], [true, false])
    func `the composed and decomposed forms of a letter share a section in either order`(
        diacritics: KeyExpression.Diacritics, composedFirst: Bool
    ) throws {
        let (composed, decomposed) = ("\u{C5}hus", "A\u{30A}ngstrom")
        let (first, second) = composedFirst ? (composed, decomposed) : (decomposed, composed)
        for title in [first, "Ada", "Zoo"] { Artwork(context: context).title = title }
        try context.save()
        let letter = KeyExpression.firstLetter(
            of: \Artwork.title, in: Locale(identifier: "sv"), diacritics: diacritics)
        let order = TextOrder.localized(Locale(identifier: "sv"))
        let request = FetchRequest<Artwork>(
            sortDescriptors: [.ascending(letter, order: order), .ascending(\.title, order: order)])
        try catalogue.restarted(request, by: SectionKey(letter)).performAndSettle()
        // Another program inserts the row, so that the entry is advanced on a connection that has read only
        // the second form.
        try catalogue.runElsewhere("INSERT INTO Artwork (title) VALUES ('\(second)')")
        let advanced = try catalogue.restarted(request, by: SectionKey(letter))
        try advanced.performFetch()
        #expect(advanced.cacheLookup?.isAdvanced == true)
        #expect(advanced.outline == ["A:1", "Z:1", "\u{C5}:2"])
        #expect(advanced.outline.last.map { Array($0.utf8) } == Array("\u{C5}:2".utf8))
        advanced.settle()
        #expect(try advanced.verifyCache() == .equal(sections: 3, rows: 4))
    }

    @Test func `a section whose name differs only in Unicode composition is renamed`() throws {
        let artist = Artist(context: context)
        artist.name = "\u{C9}mile"
        let artwork = Artwork(context: context)
        (artwork.title, artwork.artist) = ("Work", artist)
        try context.save()
        let request = FetchRequest<Artwork>(sortDescriptors: [.ascending("artist")])
        let key = SectionKey("artist", namedBy: "artist.name")
        try catalogue.restarted(request, by: key).performAndSettle()
        try catalogue.runElsewhere("UPDATE Artist SET name = 'E' || char(0x301) || 'mile'")
        let advanced = try catalogue.restarted(request, by: key)
        try advanced.performFetch()
        #expect(advanced.cacheLookup?.isAdvanced == true)
        #expect(advanced.sections.map { Array($0[0].name.utf8) } == Array("E\u{301}mile".utf8))
        advanced.settle()
        #expect(try advanced.verifyCache() == .equal(sections: 1, rows: 1))
    }

    @Test func `letters of all scripts have sections`() throws {
        let letters = try outline(
            titles: ["война", "Анна", "йод", "иней", "日本", "한글"], locale: "ru", diacritics: .together,
            keyFirst: true)
        #expect(letters.sorted() == ["А:1", "В:1", "И:1", "Й:1", "日:1", "ㅎ:1"].sorted())
    }

    @Test func `Turkish has two letters i`() throws {
        #expect(
            try outline(titles: ["ısı", "incir"], locale: "tr", diacritics: .together, keyFirst: true) == [
                "I:1", "İ:1",
            ])
    }

    /// Compares years and months with those of Foundation's calendar, an independent implementation.
    @Test(arguments: ["UTC", "America/New_York", "Asia/Kolkata", "Pacific/Apia", "Europe/Berlin"])
    func `years and months are those of Foundation's calendar`(zone: String) throws {
        let seed = UInt64.random(in: 0 ... .max)
        print("seed \(seed)")
        var generator = SeededGenerator(seed: seed)
        let timeZone = try #require(TimeZone(identifier: zone))
        var calendar = Calendar(identifier: .iso8601)
        calendar.timeZone = timeZone
        var expected: [String: Int] = [:]
        for _ in 0..<400 {
            let date = Date(timeIntervalSinceReferenceDate: .random(in: -3.0e9...3.0e9, using: &generator))
            Artwork(context: context).added = date
            let parts = calendar.dateComponents([.year, .month], from: date)
            let (year, month) = (parts.year ?? 0, parts.month ?? 0)
            expected["\(year)-\(month < 10 ? "0" : "")\(month)", default: 0] += 1
        }
        try context.save()
        let controller = try FetchedResultsController(
            fetchRequest: FetchRequest<Artwork>(sortDescriptors: [.ascending(\.added)]), context: context,
            sectionNameKeyPath: .month(of: \Artwork.added, in: timeZone), cacheStore: catalogue.caches)
        try controller.performFetch()
        #expect(controller.outline.sorted() == expected.map { "\($0.key):\($0.value)" }.sorted())
    }

    /// Uses more time zones in turn than a connection caches values for.
    @Test func `values that a connection caches for one time zone are used for no other`() throws {
        let seed = UInt64.random(in: 0 ... .max)
        print("seed \(seed)")
        var generator = SeededGenerator(seed: seed)
        // Each zone has a different local time at noon GMT, and most have a different date at some hour.
        let zones = (-12...14).compactMap { TimeZone(secondsFromGMT: $0 * 3_600) }
        try #require(zones.count == 27)
        let midnight = Date(timeIntervalSince1970: 1_709_251_200)  // 2024-03-01 00:00 GMT
        for hour in -14...14 { Artwork(context: context).added = midnight + TimeInterval(hour * 3_600) }
        try context.save()
        for _ in 0..<80 {
            let index = Int.random(in: 0..<zones.count, using: &generator)
            let controller = try FetchedResultsController(
                fetchRequest: FetchRequest<Artwork>(sortDescriptors: [.ascending(\.added)]),
                context: context, sectionNameKeyPath: .month(of: \Artwork.added, in: zones[index]))
            try controller.performFetch()
            // The hours before local midnight are in February.
            let offset = index - 12
            let before = min(29, max(0, 14 - offset))
            let expected = [("2024-02", before), ("2024-03", 29 - before)].filter { $0.1 > 0 }
            #expect(controller.outline == expected.map { "\($0.0):\($0.1)" }, "offset \(offset)")
        }
    }

    @Test func `a declared month has a name for any number`() throws {
        let utc = try #require(TimeZone(identifier: "UTC"))
        let controller = try FetchedResultsController(
            fetchRequest: FetchRequest<Artwork>(sortDescriptors: [.ascending(\.added)]), context: context,
            sectionNameKeyPath: .month(of: \Artwork.added, in: utc).declaring([
                DeclaredSection(Int64.min), DeclaredSection(-1), DeclaredSection(202_403),
            ]), cacheStore: catalogue.caches)
        try controller.performFetch()
        #expect(controller.outline == ["-92233720368547759-92:0", "-0001-99:0", "2024-03:0"])
    }

    /// The spellings of earlier versions, called through a protocol, so that the tests have no warnings.
    private protocol FormerSpelling {
        func keys(_ locale: Locale) -> [SectionKey]
    }

    private struct FormerLetters: FormerSpelling {
        @available(*, deprecated)
        func keys(_ locale: Locale) -> [SectionKey] {
            [
                SectionKey(.firstLetter(of: "title", locale: locale, diacritics: .apart)),
                SectionKey(.firstLetter(of: \Artwork.title, locale: locale, diacritics: .apart)),
                .firstLetter(of: "title", locale: locale, diacritics: .apart),
                .firstLetter(of: \Artwork.title, locale: locale, diacritics: .apart),
            ]
        }
    }

    @Test func `the former label of the locale gives an equal key`() {
        let locale = Locale(identifier: "sv")
        let former: any FormerSpelling = FormerLetters()
        let key = SectionKey.firstLetter(of: \Artwork.title, in: locale, diacritics: .apart)
        #expect(former.keys(locale) == [key, key, key, key])
    }

    @Test func `a key of the wrong type is a typed error`() throws {
        let error = #expect(throws: ObjectStorageError.self) {
            try FetchedResultsController(
                fetchRequest: FetchRequest<Artwork>(sortDescriptors: [.ascending(\.year)]), context: context,
                sectionNameKeyPath: .firstLetter(of: \Artwork.year), cacheStore: catalogue.caches)
        }
        #expect(error?.code == .invalidKeyPath)
    }
}
