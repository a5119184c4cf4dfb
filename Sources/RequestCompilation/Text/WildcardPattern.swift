import ObjectModel

/// A pattern of `LIKE`: `*` matches any number of characters, also none, `?` matches one, and `\` escapes the
/// character that follows. A character is a grapheme cluster.
package struct WildcardPattern {
    private enum Item: Equatable {
        case character(Substring)
        case one
        case any
    }

    private let items: [Item]

    /// Parses a pattern.
    package init(_ source: String) {
        var items: [Item] = []
        var isEscaped = false
        var position = source.startIndex
        while position < source.endIndex {
            let next = source.index(after: position)
            let character = source[position..<next]
            position = next
            if !isEscaped, character == "\\", position < source.endIndex {
                isEscaped = true
            } else if !isEscaped, character == "?" {
                items.append(.one)
            } else if !isEscaped, character == "*" {
                if items.last != .any { items.append(.any) }
            } else {
                items.append(.character(character))
                isEscaped = false
            }
        }
        self.items = items
    }

    /// Returns whether a text as a whole matches the pattern.
    ///
    /// - Complexity: O(*n* · *m*) for *n* characters and a pattern of *m*: after a retry at one star, earlier
    ///   stars are not retried.
    package func matches(_ text: UnsafeRawBufferPointer) -> Bool {
        let characters = Self.characters(of: String(decoding: text, as: UTF8.self))
        var position = 0
        var item = 0
        var retry: (item: Int, position: Int)?
        while position < characters.count {
            if item < items.count, items[item] == .any {
                retry = (item, position)
                item += 1
            } else if item < items.count, fits(items[item], characters[position]) {
                item += 1
                position += 1
            } else if let last = retry {
                retry = (last.item, last.position + 1)
                item = last.item + 1
                position = last.position + 1
            } else {
                return false
            }
        }
        return items[item...].allSatisfy { $0 == .any }
    }

    private func fits(_ item: Item, _ character: Substring) -> Bool {
        switch item {
        case .one, .any: true
        case .character(let expected): expected.utf8.elementsEqual(character.utf8)
        }
    }

    private static func characters(of text: String) -> [Substring] {
        var characters: [Substring] = []
        var position = text.startIndex
        while position < text.endIndex {
            let next = text.index(after: position)
            characters.append(text[position..<next])
            position = next
        }
        return characters
    }
}
