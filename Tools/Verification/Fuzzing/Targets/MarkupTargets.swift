import RecordReading

/// Music libraries, all tables.
struct MusicLibraryTarget: FuzzTarget {
    static let name = "music-library"
    static let summary = "property lists of iTunes and Apple Music"
    static let words: [[UInt8]] = [
        "<key>", "</key>", "<dict>", "</dict>", "<array>", "</array>", "<integer>", "<true/>", "<data>",
        "Track ID", "Persistent ID", "Playlist Items", "<!--", "-->", "<![CDATA[", "]]>", "&amp;", "&#0;",
        "<!ENTITY a \"b\">", "&a;", "\0",
    ].map { Array($0.utf8) }

    private let check: NamedFormatCheck

    init() throws { check = try NamedFormatCheck() }

    func run(_ input: [UInt8]) throws -> Bool {
        var isGood = true
        for table in ["Track", "Playlist", "PlaylistItem"] {
            let isRead = try check.run(input) { options in
                options.arrayPath = table
                options.movedFolders = [MovedFolder("/old=/srv")].compactMap { $0 }
            }
            isGood = isGood && isRead
        }
        return isGood
    }

    static func seeds() -> [FuzzSeed] {
        let track =
            "<key>1</key><dict><key>Track ID</key><integer>1</integer><key>Persistent ID</key><string>21130E105F3B8845</string><key>Loved</key><true/><key>Location</key><string>file:///old/a%20b.mp3</string></dict>"
        let list =
            "<dict><key>Playlist ID</key><integer>2</integer><key>Playlist Persistent ID</key><string>A000000000000001</string><key>Playlist Items</key><array><dict><key>Track ID</key><integer>1</integer></dict><dict><key>Track ID</key><integer>3</integer></dict></array></dict>"
        func library(_ tracks: String, _ lists: String) -> String {
            "<?xml version=\"1.0\"?>\n<plist version=\"1.0\"><dict>\n<key>Tracks</key><dict>\(tracks)</dict>\n<key>Playlists</key><array>\(lists)</array></dict></plist>"
        }
        return [
            FuzzSeed("empty", library("", "")), FuzzSeed("track", library(track, "")),
            FuzzSeed("list", library(track, list)),
            FuzzSeed("data", library(track, "<dict><key>Smart Info</key><data>AA ==</data></dict>")),
            FuzzSeed(
                "reversed",
                "<plist><dict><key>Playlists</key><array>\(list)</array><key>Tracks</key><dict>\(track)</dict></dict></plist>"
            ),
        ]
    }
}

/// OPML, with and without the repair of `&`.
struct OutlineTarget: FuzzTarget {
    static let name = "outline"
    static let summary = "OPML, also with & that is not escaped"
    static let words: [[UInt8]] = [
        "<outline text=\"", "\"/>", "</outline>", "&", "&amp;", "&#38;", "&#x26;", "&nbsp;", "<!--", "-->",
        "<![CDATA[", "]]>", "<?", "?>", "<!DOCTYPE opml SYSTEM \"x\">", "<!ENTITY a \"b\">", "\0",
    ].map { Array($0.utf8) }

    private let check: NamedFormatCheck

    init() throws { check = try NamedFormatCheck() }

    func run(_ input: [UInt8]) throws -> Bool {
        let isGood = try check.run(input)
        let isRepaired = try check.run(input) { $0.repairsAmpersands = true }
        guard isRepaired || !isGood else { throw FuzzFinding("the repair damages a good file") }
        return isGood
    }

    static func seeds() -> [FuzzSeed] {
        func document(_ body: String, _ head: String = "") -> String {
            "<?xml version=\"1.0\"?>\n\(head)<opml version=\"2.0\"><head/><body>\n\(body)\n</body></opml>"
        }
        return [
            FuzzSeed("empty", document("")),
            FuzzSeed(
                "nested", document("<outline text=\"a\"><outline text=\"b\" xmlUrl=\"http://x\"/></outline>")),
            FuzzSeed("raw", document("<outline text=\"a & b &amp; c&d\"/><!-- & --><?x & ?>")),
            FuzzSeed("type", document("<outline text=\"&nbsp;\"/>", "<!DOCTYPE opml SYSTEM \"x\">")),
            FuzzSeed("entity", document("<outline text=\"&a;\"/>", "<!DOCTYPE opml [<!ENTITY a \"b\">]>")),
        ]
    }
}
