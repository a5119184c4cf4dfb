/// The records of one table of a music library.
///
/// Only identifiers are kept in memory: those of tracks, for the tables of tracks and of playlist items, or
/// those of playlists, for the table of playlists.
final class MusicLibraryHandler: XMLRecordHandler {
    /// The records that are complete.
    var records: [NamedRecord] = []
    private let table: MusicLibraryTable
    private let movedFolders: [MovedFolder]
    /// The open dictionaries and arrays, each with the last key or the number of elements.
    private var containers: [(isDictionary: Bool, key: [UInt8]?, count: Int)] = []
    private var depth = 0
    private var text: [UInt8] = []
    private var isTextKept = false
    private var isTooLong = false
    /// The current track or playlist.
    private var record = NamedRecord(line: 0)
    private var item = NamedRecord(line: 0)
    private var hasTracks = false
    private var tracks = MusicTrackIDs()
    private var playlists = MusicIDs(
        noun: "playlist", key: "Playlist Persistent ID", numberKey: "Playlist ID")
    /// A sentence about numbers in place of identifiers, or nil.
    var note: String? {
        switch table {
        case .track: tracks.note
        case .playlist: playlists.note
        case .playlistItem: nil
        }
    }

    /// Creates a handler for a table.
    init(_ table: MusicLibraryTable, movedFolders: [MovedFolder]) {
        self.table = table
        self.movedFolders = movedFolders
    }

    /// Whether the current element is inside the dictionary of a track.
    private var isInTrack: Bool { containers.count >= 3 && isKey(0, "Tracks") }
    private var isInPlaylist: Bool { containers.count >= 3 && isKey(0, "Playlists") }
    private var isInItem: Bool { isInPlaylist && containers.count >= 5 && isKey(2, "Playlist Items") }

    private func isKey(_ level: Int, _ name: String) -> Bool {
        level < containers.count && containers[level].key?.elementsEqual(name.utf8) == true
    }

    /// Begins an element.
    func begin(_ name: String, _ attributes: [XMLAttribute], line: Int) throws(XMLRefusal) {
        depth += 1
        if depth == 1 {
            guard name == "plist" else { throw XMLRefusal(reason: "the document is “\(name)”, not “plist”") }
            return
        }
        text.removeAll(keepingCapacity: true)
        isTooLong = false
        isTextKept = name != "dict" && name != "array"
        guard !isTextKept else { return }
        if containers.isEmpty, name != "dict" {
            throw XMLRefusal(reason: "the property list is not a music library: it is not a dictionary")
        }
        countValue()
        containers.append((name == "dict", nil, 0))
        guard name == "dict" else { return }
        if containers.count == 3, isInTrack || isInPlaylist {
            record = NamedRecord(line: line)
        } else if containers.count == 5, isInItem {
            item = NamedRecord(line: line)
        }
    }

    /// Adds text of a key or a value.
    func addText(_ bytes: UnsafeRawBufferPointer) {
        guard isTextKept, !isTooLong else { return }
        text += bytes
        isTooLong = text.count > RecordLimits.fieldSize
    }

    /// Ends an element.
    func end(_ name: String, line: Int) throws(XMLRefusal) {
        depth -= 1
        switch name {
        case "plist": if !hasTracks { throw XMLRefusal(reason: "the property list has no “Tracks”") }
        case "key":
            guard containers.last?.isDictionary == true else {
                return refuse("a key is outside of a dictionary")
            }
            if containers.last?.key != nil { refuse("the key “\(key)” has no value") }
            if text.count > RecordLimits.nameSize {
                refuse("a key of more than \(RecordLimits.nameSize) bytes")
                text.removeLast(text.count - RecordLimits.nameSize)
            }
            containers[containers.count - 1].key = Self.usualKey(text)
        case "dict", "array": try endContainer()
        default:
            if let kind = Self.kind(of: name) {
                addValue(name, kind)
            } else {
                refuse("“\(name)” is not an element of a property list")
            }
            countValue()
            clearKey()
        }
        isTextKept = false
    }

    /// The keys that make the tables, by their names in lowercase.
    private static let usualKeys = Dictionary(
        uniqueKeysWithValues: [
            "Tracks", "Playlists", "Playlist Items", "Track ID", "Persistent ID", "Playlist ID",
            "Playlist Persistent ID", "Parent Persistent ID", "Name", "Location",
        ].map { (Array($0.lowercased().utf8), Array($0.utf8)) })

    /// Returns the usual spelling of a key that makes the tables; other keys as they are.
    private static func usualKey(_ key: [UInt8]) -> [UInt8] {
        guard key.count <= 32 else { return key }
        return usualKeys[key.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }] ?? key
    }

    private static func kind(of name: String) -> FieldKind? {
        switch name {
        case "string", "data": .exactText
        case "integer", "real": .number
        case "true", "false": .boolean
        case "date": .date
        default: nil
        }
    }

    private var key: String { String(decoding: containers.last?.key ?? [], as: UTF8.self) }

    private func clearKey() {
        if containers.last?.isDictionary == true { containers[containers.count - 1].key = nil }
    }

    /// Counts a value of the innermost array, and checks that one of a dictionary has a key.
    private func countValue() {
        guard let last = containers.last else { return }
        if last.isDictionary {
            if last.key == nil { refuse("a value has no key") }
        } else {
            containers[containers.count - 1].count += 1
        }
    }

    private func refuse(_ reason: String) {
        if isInItem { item.refuse(.markup(reason)) } else { record.refuse(.markup(reason)) }
    }

    private func addValue(_ name: String, _ kind: FieldKind) {
        let value =
            switch name {
            case "true", "false": Array(name.utf8)
            case "data": text.filter { !(0x09...0x0D).contains($0) && $0 != 0x20 }
            default: text
            }
        if isInItem {
            add(value, kind, to: &item, from: 4)
        } else if isInTrack || isInPlaylist {
            add(value, kind, to: &record, from: 2)
        }
    }

    /// Adds a value to a record whose dictionary is a container.
    private func add(_ value: [UInt8], _ kind: FieldKind, to record: inout NamedRecord, from level: Int) {
        var name: [UInt8] = []
        for container in containers[level...] {
            if !name.isEmpty { name.append(UInt8(ascii: ".")) }
            name += container.isDictionary ? container.key ?? [] : Array("\(container.count)".utf8)
        }
        guard record.value(name) == nil else {
            return record.refuse(.duplicateName(String(decoding: name, as: UTF8.self)))
        }
        if isTooLong { record.refuse(.limit("a field of more than \(RecordLimits.fieldSize) bytes")) }
        var value = value
        if isInTrack, name.elementsEqual("Location".utf8) {
            value = MovedFolder.moved(value, by: movedFolders) ?? value
        }
        record.add(name, value, kind)
    }
}

extension MusicLibraryHandler {
    private func endContainer() throws(XMLRefusal) {
        if containers.count == 2, isKey(0, "Tracks") { hasTracks = true }
        if containers.count == 3, isInTrack {
            if table != .playlist, let problem = tracks.add(&record) { record.refuse(problem) }
            if table == .track { records.append(record) }
        } else if containers.count == 3, isInPlaylist {
            if table == .playlist {
                if let problem = playlists.add(&record) { record.refuse(problem) }
                records.append(record)
            } else {
                // The items have the identifiers of playlists in the same form.
                _ = playlists.identifier(of: record)
            }
        } else if containers.count == 5, isInItem, table == .playlistItem {
            guard hasTracks else {
                throw XMLRefusal(
                    reason:
                        "the playlists precede the tracks; export the library again from iTunes or Apple Music"
                )
            }
            completeItem()
            records.append(item)
        }
        if !containers.isEmpty { containers.removeLast() }
        clearKey()
    }

    /// Adds the identifiers of the playlist and of the track to a playlist's item.
    private func completeItem() {
        let position = containers[3].count
        let name = String(decoding: record.value("Name".utf8) ?? [], as: UTF8.self)
        guard let playlist = playlists.identifier(of: record) else {
            return item.refuse(.markup("the playlist “\(name)” has no “Playlist Persistent ID”"))
        }
        guard let number = item.value("Track ID".utf8) else {
            return item.refuse(.markup("item \(position) of “\(name)” names no track"))
        }
        let shown = String(decoding: number, as: UTF8.self)
        guard let track = tracks.identifier(of: number) else {
            return item.refuse(
                .markup(
                    "item \(position) of “\(name)” names track \(shown), which the file does not have with a Persistent ID"
                ))
        }
        var complete = NamedRecord(line: item.line)
        complete.problem = item.problem
        complete.add(
            Array(MusicLibraryTable.itemID.utf8), playlist + Array("-\(position)".utf8), .exactText)
        complete.add(Array("Position".utf8), Array("\(position)".utf8), .number)
        complete.add(Array("Playlist".utf8), playlist, .exactText)
        complete.add(Array("Track".utf8), track, .exactText)
        for field in item.fields { complete.add(field.name, field.value, field.kind) }
        item = complete
    }
}
