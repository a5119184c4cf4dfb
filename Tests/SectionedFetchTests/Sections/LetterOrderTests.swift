import Foundation
import SectionedFetch
import CheckSupport
import Testing

/// First letters agree with the order of the same locale: a list that is sorted by titles alone is grouped
/// by their first letters, for any first character.
@Suite struct LetterOrderTests {
    private let catalogue: Catalogue
    private let context: ManagedObjectContext

    init() throws {
        catalogue = try Catalogue()
        context = catalogue.container.newContext()
    }

    /// Returns the titles under each letter, in the order of the locale.
    private func sections(
        _ titles: [String], locale: String
    ) throws -> [(letter: String, titles: [String])] {
        for title in titles { Artwork(context: context).title = title }
        try context.save()
        let locale = Locale(identifier: locale)
        // The controller fails if a title of another letter sorts between two titles of one letter.
        let controller = try FetchedResultsController(
            fetchRequest: FetchRequest<Artwork>(
                sortDescriptors: [.ascending(\.title, order: .localized(locale))]),
            context: context, sectionNameKeyPath: .firstLetter(of: \Artwork.title, in: locale),
            cacheStore: catalogue.caches)
        try controller.performFetch()
        return try #require(controller.sections).map { ($0.name, $0.objects.compactMap(\.title)) }
    }

    @Test(arguments: [
        ("en", "L", ["Lada", "Łódź", "Lzz"]), ("en", "O", ["Oaks", "Øystein", "Œuvres", "Ozz"]),
        ("en", "A", ["Aa", "Æon Flux", "ªx", "Azz", "🄰"]), ("en", "D", ["Da", "Đorđe"]),
        ("en", "#", ["", " lead", "\t", "1984", "!", "½", "…", "🎵"]),
        ("en", "F", ["Fa", "ﬁn", "Ｆull", "\u{200E}\u{200B}\u{FEFF}\u{1}Fd"]),
        ("en", "K", ["Ka", "㎏"]), ("en", "N", ["Na", "№ 5"]), ("en", "T", ["Ta", "™"]),
        ("en", "V", ["Va", "Ⅷ"]), ("en", "А", ["Анна", "авось"]), ("en", "Α", ["Άλφα", "ἄλφα", "αλφα"]),
        ("en", "か", ["かな", "ガス", "ｶﾅ"]), ("en", "あ", ["ぁ", "アン", "あん"]), ("en", "ก", ["กา", "เก"]),
        ("en", "ㅎ", ["한글", "\u{1112}\u{1161}\u{11AB}", "ㅎ漢", "ㅎa"]),
        ("sv", "Ö", ["Öl", "Øl", "öga"]), ("sv", "O", ["Ofen", "Ò"]), ("da", "Å", ["Århus", "Aarhus"]),
        ("da", "Ø", ["Øl", "Öl"]), ("cs", "CH", ["Chopin", "chata"]), ("cs", "C", ["Cesta", "Czech"]),
        ("hu", "DZS", ["Dzsungel", "dzsessz"]), ("hr", "LJ", ["Ljubav"]), ("es", "Ñ", ["Ñandú"]),
        ("tr", "İ", ["incir", "İzmir"]), ("tr", "I", ["ısı", "Irak"]), ("en", "I", ["incir", "İzmir"]),
    ])
    func `a title is in the section of the letter under which the order sorts it`(
        locale: String, letter: String, titles: [String]
    ) throws {
        // The added titles sort before and after all letters of these alphabets.
        let found = try sections(titles + ["?", "漢"], locale: locale).filter { $0.letter == letter }
        #expect(found.count == 1)
        #expect(Set(found.first?.titles ?? []).subtracting(["?"]) == Set(titles))
    }

    /// Blocks of Unicode with letters, marks, digits, symbols and unassigned code points.
    private static let blocks: [ClosedRange<UInt32>] = [
        0x01...0xFF, 0x41...0x7A, 0x100...0x24F, 0x250...0x36F, 0x370...0x3FF, 0x400...0x52F, 0x530...0x5FF,
        0x600...0x6FF, 0x900...0x97F, 0xBE0...0xBFF, 0xE00...0xEFF, 0x1000...0x10FF, 0x1360...0x137F,
        0x1E00...0x1FFF, 0x2000...0x214F,
        0x2150...0x218F, 0x2460...0x24FF, 0x2C00...0x2DFF, 0x3040...0x30FF, 0x3130...0x318F, 0x3300...0x33FF,
        0x4E00...0x4EFF, 0xA640...0xA7FF, 0xAC00...0xACFF, 0xE000...0xE00F, 0xFB00...0xFB4F, 0xFF00...0xFFEF,
        0x10100...0x1013F, 0x1D400...0x1D4FF, 0x1F130...0x1F18F, 0x1F600...0x1F64F, 0xE0100...0xE010F,
    ]

    @Test(arguments: ["en", "sv", "da", "cs", "hu", "hr", "et", "tr", "ru", "ja", "ko", "zh"])
    func `titles of one letter are adjacent for random first characters`(locale: String) throws {
        let seed = UInt64.random(in: 0 ... .max)
        var generator = SeededGenerator(seed: seed)
        let titles = (0..<400).map { _ in
            let length = Int.random(in: 1...4, using: &generator)
            var title = String.UnicodeScalarView()
            for index in 0..<length {
                let block =
                    index == 0 || Int.random(in: 0..<4, using: &generator) == 0
                    ? Self.blocks.randomElement(using: &generator)! : 0x61...0x7A
                if let scalar = Unicode.Scalar(UInt32.random(in: block, using: &generator)) {
                    title.append(scalar)
                }
            }
            return String(title)
        }
        do {
            let letters = try sections(titles, locale: locale).map(\.letter)
            #expect(Set(letters).count == letters.count, "seed \(seed)")
        } catch {
            Issue.record("seed \(seed): \(error)")
        }
    }
}
