/// The names of entities and properties for the tables and columns of a surveyed database.
enum SurveyedName {
    /// The longest name in bytes.
    private static let maximumByteCount = 128
    private static let reserved: Set<String> = ["objectid", "rowid", "oid", "_rowid_"]

    /// Returns a name that a model accepts, as near as possible to a given name. Full stops, which separate
    /// the parts of key paths, at signs, which begin functions of related objects, and control characters
    /// become underscores.
    static func accepted(_ name: String) -> String {
        var result = ""
        for scalar in name.unicodeScalars {
            let isAllowed = scalar.value >= 0x20 && scalar.value != 0x7F && scalar != "." && scalar != "@"
            if result.utf8.count + (isAllowed ? scalar.utf8.count : 1) > maximumByteCount - 8 { break }
            result.unicodeScalars.append(isAllowed ? scalar : "_")
        }
        if result.isEmpty { result = "_" }
        return reserved.contains(result.lowercased()) ? result + "_" : result
    }

    /// Returns the first name that is not taken, or a name with a number if all are taken, and marks it as
    /// taken. SQLite does not distinguish upper and lower case.
    static func take(_ candidates: [String], from taken: inout Set<String>) -> String {
        for name in candidates.map(accepted) where taken.insert(name.lowercased()).inserted { return name }
        let base = accepted(candidates[0])
        var number = 2
        while !taken.insert("\(base)_\(number)".lowercased()).inserted { number += 1 }
        return "\(base)_\(number)"
    }

    /// Returns the words of a name in lower case: `last_visit_date` and `lastVisitDate` have three.
    static func words(of name: String) -> [String] {
        var words: [String] = []
        var word = ""
        var isLower = false
        for character in name {
            guard character.isLetter || character.isNumber else {
                words.append(word)
                word = ""
                isLower = false
                continue
            }
            if character.isUppercase, isLower {
                words.append(word)
                word = ""
            }
            isLower = !character.isUppercase
            word.append(contentsOf: character.lowercased())
        }
        return (words + [word]).filter { !$0.isEmpty }
    }

    /// Returns the name of a reference without the ending that marks a key: `artist` for `artist_id`,
    /// `Artist` for `ArtistId`; nil for a name without one.
    static func withoutKeyEnding(_ name: String) -> String? {
        for ending in ["_id", "_ID", "_Id", "_fk", "_FK"] where name.hasSuffix(ending) && name.count > 3 {
            return String(name.dropLast(3))
        }
        for ending in ["Id", "ID"] where name.hasSuffix(ending) && name.count > 2 {
            let rest = name.dropLast(2)
            if rest.last?.isLowercase == true || rest.last?.isNumber == true { return String(rest) }
        }
        return nil
    }

    /// Returns the names in lower case that a table may have if a reference is named after one of its rows.
    static func tableNames(forReference name: String) -> [String] {
        let name = name.lowercased()
        var names = [name, name + "s", name + "es"]
        if name.hasSuffix("y") { names.append(name.dropLast() + "ies") }
        let irregular = ["person": "people", "child": "children", "man": "men", "woman": "women"]
        if let plural = irregular[name] { names.append(plural) }
        return names
    }
}
