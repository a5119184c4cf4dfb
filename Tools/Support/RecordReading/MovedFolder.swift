import Foundation

/// A folder that was moved after a music library named its files by URLs.
public struct MovedFolder: Hashable, Sendable {
    /// The names on the former path of the folder.
    private let old: [String]
    /// The names on its present path.
    private let new: [String]

    /// Parses `OLD=NEW`, two absolute paths or file URLs. Returns nil for another text.
    public init?(_ text: String) {
        let signs = text.indices.filter { text[$0] == "=" }
        for sign in signs {
            guard let old = Self.names(of: String(text[..<sign])),
                let new = Self.names(of: String(text[text.index(after: sign)...]))
            else { continue }
            (self.old, self.new) = (old, new)
            return
        }
        return nil
    }

    /// Returns the URL of a file in the folder with its present path, or nil for another file.
    func moved(_ location: [UInt8]) -> [UInt8]? {
        let text = String(decoding: location, as: UTF8.self)
        guard text.lowercased().hasPrefix("file:"), let names = Self.names(of: text) else { return nil }
        // Texts are compared by canonical equivalence: the URLs of macOS have decomposed letters.
        guard names.count >= old.count, Array(names.prefix(old.count)) == old else { return nil }
        let path = (new + names.dropFirst(old.count)).map(Self.escaped).joined(separator: "/")
        return Array("file:///\(path)\(text.hasSuffix("/") ? "/" : "")".utf8)
    }

    /// Returns the names on an absolute path or in a file URL; nil for another text.
    private static func names(of text: String) -> [String]? {
        var path = text
        if text.lowercased().hasPrefix("file:") {
            path = String(text.dropFirst(5))
            if path.hasPrefix("//") {
                guard let slash = path.dropFirst(2).firstIndex(of: "/") else { return nil }
                path = String(path[slash...])
            }
            // Names are separated before they are decoded, because a name may contain an escaped slash.
            let names = path.split(separator: "/").map { $0.removingPercentEncoding }
            return names.allSatisfy { $0 != nil } ? names.compactMap { $0 } : nil
        }
        let first = path.unicodeScalars.first
        let isDrive =
            first.map { $0.isASCII && $0.properties.isAlphabetic } == true
            && path.dropFirst().hasPrefix(":")
        if isDrive { path = path.replacing("\\", with: "/") }
        guard path.hasPrefix("/") || isDrive else { return nil }
        return path.split(separator: "/").map(String.init)
    }

    private static let plain = Set(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~!$&'()*+,;=:@".utf8)

    private static func escaped(_ name: String) -> String {
        var text = ""
        for byte in name.utf8 {
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
