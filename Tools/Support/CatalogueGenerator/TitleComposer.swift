/// A composer of titles from the vocabulary.
struct TitleComposer: Sendable {
    private let vocabulary: Vocabulary
    private let scripts = Vocabulary.scripts

    init(vocabulary: Vocabulary) {
        self.vocabulary = vocabulary
    }

    /// Returns a song's title of a kind.
    ///
    /// - Complexity: O(1); a few hundred nanoseconds, most of them for the string's allocation.
    func title(of kind: TitlePlan.Kind, using generator: inout SplitMix64) -> String {
        var title = ""
        title.reserveCapacity(48)
        switch kind {
        case .letter(let letter, let isAccented):
            appendLatinTitle(to: &title, letter: letter, isAccented: isAccented, using: &generator)
        case .otherScript:
            let script = scripts[generator.next(below: scripts.count)]
            title += pick(script.words, &generator)
            title += script.separator
            title += pick(script.words, &generator)
        case .digit:
            if generator.next(below: 16) == 0 {
                title += "…And Then "
            } else {
                title += String(1 + generator.next(below: 2_999))
                title += " "
            }
            title += noun(&generator)
            title += " of "
            title += noun(&generator)
        }
        return title
    }

    /// Returns an album's title of two words.
    func albumTitle(using generator: inout SplitMix64) -> String {
        var title = ""
        title.reserveCapacity(32)
        title += pick(pick(vocabulary.firstWords, &generator), &generator)
        title += " "
        title += noun(&generator)
        return title
    }

    private func appendLatinTitle(
        to title: inout String, letter: Int, isAccented: Bool, using generator: inout SplitMix64
    ) {
        let pattern = generator.next(below: 16)
        let accentedFirstWords = vocabulary.accentedFirstWords[letter]
        let accentIsFirst =
            isAccented && !accentedFirstWords.isEmpty && generator.next(below: 2) == 0
        let first =
            accentIsFirst
            ? pick(accentedFirstWords, &generator) : pick(vocabulary.firstWords[letter], &generator)
        let second =
            isAccented && !accentIsFirst
            ? pick(vocabulary.accentedNouns, &generator) : noun(&generator)
        // A few titles begin in lower case, except those with an accented first letter.
        title += pattern == 15 && !accentIsFirst ? first.lowercased() : first
        switch pattern {
        case 0...1:
            join(&title, " ", second)
        case 2...6:
            join(&title, " ", second, " of ", noun(&generator))
        case 7...8:
            join(&title, " and ", second)
        case 9:
            join(&title, " in the ", second)
        case 10:
            join(&title, ", ", second, ", ", noun(&generator))
        case 11:
            join(&title, " \"", second, "\" ", noun(&generator))
        case 12:
            join(&title, " (", second, " ", noun(&generator), ")")
        case 13:
            join(&title, " ", second, ", Part ", String(1 + generator.next(below: 9)))
        case 14 where !isAccented:
            break
        default:
            join(&title, " ", second, " ", noun(&generator))
        }
    }

    private func join(_ title: inout String, _ parts: String...) {
        for part in parts {
            title += part
        }
    }

    private func noun(_ generator: inout SplitMix64) -> String {
        pick(vocabulary.nouns, &generator)
    }

    private func pick<Element>(_ elements: [Element], _ generator: inout SplitMix64) -> Element {
        elements[generator.next(below: elements.count)]
    }
}
