import Foundation
import SectionedFetch
import CheckSupport
import Testing

/// Complete alphabets of an index bar.
@Suite struct IndexAlphabetTests {
    /// The index characters of CLDR, from `characters.json` of `cldr-misc-full` in the repository
    /// `unicode-org/cldr-json`. Characters without a space between them are forms of one letter there;
    /// braces enclose a letter of several characters.
    private static let characters: [(locale: String, index: String)] = [
        ("sv", "A B C D E F G H I J K L M N O P Q R S T U V W X Y Z Å Ä Ö"),
        ("da", "A B C D E F G H I J K L M N O P Q R S T U V W X Y Z Æ Ø Å"),
        ("cs", "A B C Č D E F G H {CH} I J K L M N O P Q R Ř S Š T U V W X Y Z Ž"),
        ("sk", "A Ä B C Č DĎ E F G H {CH} I J K LĽ M N O Ô P Q R S Š TŤ U V W X Y Z Ž"),
        ("pl", "A B C Ć D E F G H I J K L Ł M N O Ó P Q R S Ś T U V W X Y Z Ź Ż"),
        (
            "hu",
            "AÁ B C {CS} D {DZ} {DZS} EÉ F G {GY} H IÍ J K L {LY} M N {NY} OÓ ÖŐ P Q R S {SZ} T {TY} UÚ ÜŰ V W X Y Z {ZS}"
        ),
        ("hr", "A B C Č Ć D {DŽ} Đ E F G H I J K L {LJ} M N {NJ} O P Q R S Š T U V W X Y Z Ž"),
        ("tr", "A B C Ç D E F G H I İ J K L M N O Ö P Q R S Ş T U Ü V W X Y Z"),
        ("et", "A B C D E F G H I J K L M N O P Q R S Š Z Ž T U V W Õ Ä Ö Ü X Y"),
        ("lt", "AĄ B C Č D EĘĖ F G H IĮY J K L M N O P R S Š T UŲŪ V Z Ž"),
        ("vi", "A Ă Â B C D Đ E Ê F G H I J K L M N O Ô Ơ P Q R S T U Ư V W X Y Z"),
        // The Russian order, unlike the list, has Ё as a form of Е.
        ("ru", "А Б В Г Д ЕЁ Ж З И Й К Л М Н О П Р С Т У Ф Х Ц Ч Ш Щ Ы Э Ю Я"),
        ("uk", "А Б В Г Ґ Д Е Є Ж З И І Ї Й К Л М Н О П Р С Т У Ф Х Ц Ч Ш Щ Ю Я"),
        ("el", "Α Β Γ Δ Ε Ζ Η Θ Ι Κ Λ Μ Ν Ξ Ο Π Ρ Σ Τ Υ Φ Χ Ψ Ω"),
        ("he", "א ב ג ד ה ו ז ח ט י כ ל מ נ ס ע פ צ ק ר ש ת"),
        ("ar", "ا ب ت ث ج ح خ د ذ ر ز س ش ص ض ط ظ ع غ ف ق ك ل م ن ه و ي"),
        ("fa", "آ ا ب پ ت ث ج چ ح خ د ذ ر ز ژ س ش ص ض ط ظ ع غ ف ق ک گ ل م ن و ه ی"),
        ("is", "A Á B C D Ð E É F G H I Í J K L M N O Ó P Q R S T U Ú V W X Y Ý Z Þ Æ Ö"),
        ("es", "A B C D E F G H I J K L M N Ñ O P Q R S T U V W X Y Z"),
        ("cy", "A B C {CH} D {DD} E F {FF} G {NG} H I J K L {LL} M N O P {PH} Q R {RH} S T {TH} U V W X Y Z"),
        ("zh", "A B C D E F G H I J K L M N O P Q R S T U V W X Y Z"),
    ]

    @Test func `the letters are the index characters of CLDR`() {
        #expect(Self.characters.count > 20)
        for (locale, index) in Self.characters {
            let letters = index.split(separator: " ").map { group in
                group.hasPrefix("{") ? String(group.dropFirst().dropLast()) : String(group.prefix(1))
            }
            let alphabet = IndexAlphabet(Locale(identifier: locale))
            #expect(alphabet.letters == letters, "\(locale)")
            for group in index.split(separator: " ") where !group.hasPrefix("{") {
                // The forms of a letter are listed under the letter.
                let letter = String(group.prefix(1))
                #expect(group.allSatisfy { alphabet.letter(for: "\($0)") == letter }, "\(locale) \(group)")
            }
        }
    }

    @Test func `locales of other scripts have their own letters, and unknown locales the Latin ones`() {
        func letters(_ locale: String) -> [String] { IndexAlphabet(Locale(identifier: locale)).letters }
        let latin = "ABCDEFGHIJKLMNOPQRSTUVWXYZ".map(String.init)
        #expect(letters("ja") == "あかさたなはまやらわ".map(String.init))
        #expect(letters("ko_KR") == "ㄱㄴㄷㄹㅁㅂㅅㅇㅈㅊㅋㅌㅍㅎ".map(String.init))
        #expect(letters("zh_TW").prefix(3) == ["1劃", "2劃", "3劃"])
        #expect(letters("zh_TW").contains("20劃"))
        #expect(letters("zh-u-co-zhuyin").prefix(3) == ["ㄅ", "ㄆ", "ㄇ"])
        #expect(letters("zh-u-co-unihan").prefix(3) == ["一", "丨", "丶"])
        #expect(letters("en_US") == latin)
        #expect(letters("de@collation=phonebook") == latin)
        #expect(letters("xx") == latin)
    }

    @Test func `every letter of every alphabet is listed under itself`() {
        for identifier in Locale.availableIdentifiers {
            let alphabet = IndexAlphabet(Locale(identifier: identifier))
            #expect(!alphabet.letters.isEmpty, "\(identifier)")
            #expect(Set(alphabet.letters).count == alphabet.letters.count, "\(identifier)")
            for letter in alphabet.letters where letter.first?.isNumber == false {
                #expect(alphabet.letter(for: letter + " ") == letter, "\(identifier)")
            }
        }
    }

    // MARK: The index bar of a controller

    private final class Titles: FetchedResultsControllerDelegate {
        func controller(
            _ controller: FetchedResultsController<Artwork>, sectionIndexTitleForSectionName name: String
        ) -> String? {
            name == "Wolf" ? "Lupus" : nil
        }
    }

    private func controller(
        _ titles: [String?], _ identifier: String = "en", descending: Bool = false
    ) throws -> FetchedResultsController<Artwork> {
        let catalogue = try Catalogue()
        let context = catalogue.container.newContext()
        for title in titles { Artwork(context: context).title = title }
        try context.save()
        let locale = Locale(identifier: identifier)
        let controller = try FetchedResultsController(
            fetchRequest: FetchRequest<Artwork>(sortDescriptors: [
                descending
                    ? .descending(\.title, order: .indexed(locale))
                    : .ascending(\.title, order: .indexed(locale))
            ]),
            context: context, sectionNameKeyPath: .indexLetter(of: \Artwork.title, in: locale),
            cacheStore: catalogue.caches)
        controller.indexAlphabet = IndexAlphabet(locale)
        try controller.performFetch()
        return controller
    }

    @Test(arguments: [false, true])
    func `a letter without a section leads to the section where its rows would be`(descending: Bool) throws {
        let titles = ["Ada", "Ali", "«Čapek»", "Chopin", "Ofen", "Öl", "Ядро"]
        let controller = try controller(titles, "cs", descending: descending)
        let names = try #require(controller.sections).map(\.name)
        #expect((descending ? names.reversed() : names) == ["A", "Č", "CH", "O", "Я"])
        let letters = IndexAlphabet(Locale(identifier: "cs")).letters
        #expect(controller.sectionIndexTitles == letters)
        // By the positions of letters in the list above.
        let expected: [(letters: [String], section: String)] = [
            (["A"], "A"), (["B", "C", "Č"], "Č"), (["D", "E", "F", "G", "H", "CH"], "CH"),
            (["I", "J", "K", "L", "M", "N", "O"], "O"), (["P", "Z", "Ž"], "Я"),
        ]
        let reversed: [(letters: [String], section: String)] = [
            (["A", "B", "C"], "A"), (["Č", "D", "H"], "Č"), (["CH", "I", "N"], "CH"),
            (["O", "P", "Z", "Ž"], "O"),
        ]
        for (letters, section) in descending ? reversed : expected {
            for letter in letters {
                let found = try #require(controller.section(forSectionIndexTitle: letter))
                #expect(names[found] == section, "\(letter)")
            }
        }
    }

    @Test func `letters before and after all sections lead to the first and the last`() throws {
        let controller = try controller(["Mai", "Nil", "1984", nil])
        #expect(controller.sections?.map(\.name) == ["", "#", "M", "N"])
        #expect(controller.sectionIndexTitles == ["#"] + "ABCDEFGHIJKLMNOPQRSTUVWXYZ".map(String.init))
        #expect(
            ["#", "A", "M", "N", "Z"].map { controller.section(forSectionIndexTitle: $0) } == [1, 2, 2, 3, 3])
        #expect(controller.section(forSectionIndexTitle: "Z", at: 26) == 3)
        controller.indexAlphabet = nil
        #expect(controller.sectionIndexTitles == ["#", "M", "N"])
        #expect(controller.section(forSectionIndexTitle: "A") == nil)
    }

    @Test func `an alphabet applies to sections of any name, and to the delegate's titles`() throws {
        let catalogue = try Catalogue()
        let context = catalogue.container.newContext()
        for department in ["“Prints”", "Photographs", "Film", "Wolf"] {
            Artwork(context: context).department = department
        }
        try context.save()
        let locale = Locale(identifier: "en")
        let controller = try FetchedResultsController(
            fetchRequest: FetchRequest<Artwork>(sortDescriptors: [
                .ascending(\.department, order: .indexed(locale))
            ]),
            context: context, sectionNameKeyPath: "department", cacheStore: catalogue.caches)
        controller.indexAlphabet = IndexAlphabet(locale)
        try controller.performFetch()
        #expect(controller.sections?.map(\.name) == ["Film", "Photographs", "“Prints”", "Wolf"])
        #expect(
            ["A", "F", "G", "P", "Q", "W"].map { controller.section(forSectionIndexTitle: $0) } == [
                0, 0, 1, 1, 3, 3,
            ])
        let titles = Titles()
        controller.delegate = titles
        #expect(controller.section(forSectionIndexTitle: "L") == 3)
    }

    @Test func `a letter of several characters is its own index title`() throws {
        let strokes = try controller(["一", "丁", "馬", "高", "陳"], "zh_Hant")
        strokes.indexAlphabet = nil
        #expect(strokes.sectionIndexTitles == ["1劃", "2劃", "10劃", "11劃"])
        #expect(strokes.section(forSectionIndexTitle: "10劃") == 2)
        let czech = try controller(["Chopin", "Cato", "Hus"], "cs")
        czech.indexAlphabet = nil
        #expect(czech.sectionIndexTitles == ["C", "H", "CH"])
        #expect(czech.sectionIndexTitle(forSectionName: "CH") == "CH")
    }

    @Test func `a list without rows has no sections for any letter`() throws {
        let controller = try controller([])
        #expect(controller.sectionIndexTitles.count == 26)
        #expect(controller.section(forSectionIndexTitle: "A") == nil)
    }
}
