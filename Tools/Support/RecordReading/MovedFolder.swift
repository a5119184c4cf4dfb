/// A folder that was moved after a music library named its files by URLs.
public struct MovedFolder: Hashable, Sendable {
    /// An absolute path: the host of a file URL, or nothing for this one, and the names of the folders.
    private struct Path: Hashable {
        var host = ""
        let names: [[UInt8]]
    }

    /// The former path of the folder.
    private let old: Path
    /// Its present path.
    private let new: Path

    /// Parses `OLD=NEW`, two absolute paths or file URLs. Returns nil for another text.
    public init?(_ text: String) {
        let signs = text.indices.filter { text[$0] == "=" }
        for sign in signs {
            guard let old = Self.path(String(text[..<sign])),
                let new = Self.path(String(text[text.index(after: sign)...]))
            else { continue }
            (self.old, self.new) = (old, new)
            return
        }
        return nil
    }

    /// Returns the URL of a file with its present path, or nil for a file in none of the folders. Of several
    /// folders around the file, the innermost one decides.
    static func moved(_ location: [UInt8], by folders: [MovedFolder]) -> [UInt8]? {
        let text = String(decoding: location, as: UTF8.self)
        guard !folders.isEmpty, text.lowercased().hasPrefix("file:"), let path = Self.path(text) else {
            return nil
        }
        var best: MovedFolder?
        for folder in folders where folder.contains(path) {
            if folder.old.names.count > best?.old.names.count ?? -1 { best = folder }
        }
        guard let best else { return nil }
        let names = best.new.names + path.names.dropFirst(best.old.names.count)
        let end = text.hasSuffix("/") ? "/" : ""
        return Array("file://\(best.new.host)/\(names.map(escaped).joined(separator: "/"))\(end)".utf8)
    }

    private func contains(_ path: Path) -> Bool {
        path.host == old.host && path.names.count >= old.names.count
            && zip(old.names, path.names).allSatisfy(Self.areEqual)
    }

    /// Returns whether two names are equal. Texts are compared by canonical equivalence, because the URLs of
    /// macOS have decomposed letters.
    private static func areEqual(_ first: [UInt8], _ second: [UInt8]) -> Bool {
        if first == second { return true }
        guard let first = String(validating: first, as: UTF8.self),
            let second = String(validating: second, as: UTF8.self)
        else { return false }
        return first == second
    }

    /// Returns the path of a text that is absolute, or a file URL; nil for another text.
    private static func path(_ text: String) -> Path? {
        var path = text
        if text.lowercased().hasPrefix("file:") {
            path = String(text.dropFirst(5))
            var host = ""
            if path.hasPrefix("//") {
                guard let slash = path.dropFirst(2).firstIndex(of: "/") else { return nil }
                host = path[path.index(path.startIndex, offsetBy: 2)..<slash].lowercased()
                path = String(path[slash...])
            }
            // Names are separated before they are decoded, because a name may contain an escaped slash.
            return Path(
                host: host == "localhost" ? "" : host,
                names: path.utf8.split(separator: UInt8(ascii: "/")).map { decoded(Array($0)) })
        }
        let first = path.unicodeScalars.first
        let isDrive =
            first.map { $0.isASCII && $0.properties.isAlphabetic } == true
            && path.dropFirst().hasPrefix(":")
        if isDrive { path = path.replacing("\\", with: "/") }
        guard path.hasPrefix("/") || isDrive else { return nil }
        return Path(names: path.utf8.split(separator: UInt8(ascii: "/")).map { Array($0) })
    }

    /// Returns a name with its escaped bytes, which may be no UTF-8.
    private static func decoded(_ name: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        var place = 0
        while place < name.count {
            let digits = name[place...].prefix(3).dropFirst()
            if name[place] == UInt8(ascii: "%"), digits.count == 2,
                digits.allSatisfy({ $0.isDigit || $0.isLetter }),
                let byte = UInt8(String(decoding: digits, as: UTF8.self), radix: 16)
            {
                result.append(byte)
                place += 3
            } else {
                result.append(name[place])
                place += 1
            }
        }
        return result
    }

    private static let plain = Set(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~!$&'()*+,;=:@".utf8)

    private static func escaped(_ name: [UInt8]) -> String {
        var text = ""
        for byte in name {
            if plain.contains(byte) {
                text.unicodeScalars.append(UnicodeScalar(byte))
            } else {
                let digits = String(byte, radix: 16, uppercase: true)
                text += "%" + (digits.count < 2 ? "0" : "") + digits
            }
        }
        return text
    }
}
