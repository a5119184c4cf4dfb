import CZlib

/// The directory of a zip archive.
struct ZipArchive {
    /// A file in the archive.
    struct Member {
        /// The path inside the archive.
        let name: String
        /// The compression method.
        let method: Int
        let isEncrypted: Bool
        let checksum: UInt32
        let compressedSize: Int
        let size: Int
        /// The offset of the member's local header.
        let offset: Int
    }

    private let file: FileInput
    /// The files, without directories and without the files that macOS adds for its own attributes.
    let members: [Member]

    /// Reads the directory of an archive, also of one with 64-bit sizes.
    ///
    /// - Throws: ``RecordError`` if the file is damaged.
    init(_ file: FileInput) throws(RecordError) {
        self.file = file
        let tailSize = min(file.size, 65_535 + 22)
        let tail = try file.bytes(at: file.size - tailSize, count: tailSize)
        let mark: [UInt8] = [0x50, 0x4B, 5, 6]
        guard
            let end = stride(from: tail.count - 22, through: 0, by: -1).first(where: {
                tail[$0...].starts(with: mark)
            })
        else {
            throw RecordError(unreadable: file.name, "the zip archive is damaged: its directory is missing")
        }
        var count = tail.number(at: end + 10, bytes: 2)
        var size = tail.number(at: end + 12, bytes: 4)
        var offset = tail.number(at: end + 16, bytes: 4)
        if end >= 20, tail[(end - 20)...].starts(with: [0x50, 0x4B, 6, 7]),
            count == 0xFFFF || size == 0xFFFF_FFFF || offset == 0xFFFF_FFFF
        {
            let place = tail.number(at: end - 12, bytes: 8)
            guard place >= 0, place <= file.size - 56 else { throw Self.damage(file) }
            let record = try file.bytes(at: place, count: 56)
            count = record.number(at: 32, bytes: 8)
            size = record.number(at: 40, bytes: 8)
            offset = record.number(at: 48, bytes: 8)
        }
        guard size >= 0, size <= 64 << 20, offset >= 0, offset <= file.size - size else {
            throw Self.damage(file)
        }
        members = try Self.members(of: try file.bytes(at: offset, count: size), count: count, file)
    }

    private static func members(
        of directory: [UInt8], count: Int, _ file: FileInput
    ) throws(RecordError) -> [Member] {
        var members: [Member] = []
        var place = 0
        var number = 0
        while number < count {
            guard place + 46 <= directory.count, directory[place...].starts(with: [0x50, 0x4B, 1, 2]) else {
                throw damage(file)
            }
            let nameSize = directory.number(at: place + 28, bytes: 2)
            let extraSize = directory.number(at: place + 30, bytes: 2)
            let commentSize = directory.number(at: place + 32, bytes: 2)
            let next = place + 46 + nameSize + extraSize + commentSize
            guard next <= directory.count else { throw damage(file) }
            let name = String(decoding: directory[(place + 46)..<(place + 46 + nameSize)], as: UTF8.self)
            var sizes = [24, 20].map { directory.number(at: place + $0, bytes: 4) }
            sizes.append(directory.number(at: place + 42, bytes: 4))
            let extra = directory[(place + 46 + nameSize)..<(place + 46 + nameSize + extraSize)]
            replace(&sizes, from: Array(extra))
            guard sizes.allSatisfy({ $0 >= 0 }) else { throw damage(file) }
            let last = name.split(separator: "/").last ?? ""
            if !name.hasSuffix("/"), !name.hasPrefix("__MACOSX/"), last != ".DS_Store" {
                members.append(
                    Member(
                        name: name, method: directory.number(at: place + 10, bytes: 2),
                        isEncrypted: directory[place + 8] & 1 == 1,
                        checksum: UInt32(directory.number(at: place + 16, bytes: 4)),
                        compressedSize: sizes[1], size: sizes[0], offset: sizes[2]))
            }
            place = next
            number += 1
        }
        return members
    }

    /// Replaces the sizes and the offset that do not fit into 32 bits by those of the field for 64 bits.
    private static func replace(_ sizes: inout [Int], from extra: [UInt8]) {
        var place = 0
        while place + 4 <= extra.count {
            let (kind, size) = (extra.number(at: place, bytes: 2), extra.number(at: place + 2, bytes: 2))
            place += 4
            guard kind == 1, place + size <= extra.count else {
                place += size
                continue
            }
            var value = place
            for position in sizes.indices where sizes[position] == 0xFFFF_FFFF {
                guard value + 8 <= place + size else { return }
                sizes[position] = extra.number(at: value, bytes: 8)
                value += 8
            }
            return
        }
    }

    /// Returns the contents of a member.
    ///
    /// - Parameter name: The name of the member, or nil for the only one.
    /// - Throws: ``RecordError`` if there is no such member, or it cannot be read.
    func contents(of name: String?) throws(RecordError) -> any ByteInput {
        let member = try member(name)
        guard !member.isEncrypted else {
            throw RecordError(unreadable: file.name, "“\(member.name)” is encrypted; extract it first")
        }
        guard member.method == 0 || member.method == 8 else {
            throw RecordError(
                unreadable: file.name,
                "“\(member.name)” is compressed by method \(member.method), which is not supported; extract it first"
            )
        }
        guard member.offset <= file.size - 30 else { throw Self.damage(file) }
        let header = try file.bytes(at: member.offset, count: 30)
        let start =
            member.offset + 30 + header.number(at: 26, bytes: 2) + header.number(at: 28, bytes: 2)
        guard header.starts(with: [0x50, 0x4B, 3, 4]), start <= file.size - member.compressedSize else {
            throw Self.damage(file)
        }
        let stored = FilePart(file, from: start, count: member.compressedSize)
        let plain: any ByteInput =
            member.method == 0 ? stored : try InflatedInput(stored, format: .raw, name: file.name)
        return CheckedInput(plain, checksum: member.checksum, size: member.size, name: file.name)
    }

    private func member(_ name: String?) throws(RecordError) -> Member {
        let names = members.prefix(10).map { "“\($0.name)”" }.joined(separator: ", ")
        let shown = names + (members.count > 10 ? " and \(members.count - 10) more" : "")
        if let name {
            guard let member = members.first(where: { $0.name == name }) else {
                throw RecordError(unreadable: file.name, "the archive has no “\(name)”; it has \(shown)")
            }
            return member
        }
        guard members.count == 1 else {
            throw RecordError(
                unreadable: file.name,
                members.isEmpty
                    ? "the archive has no file"
                    : "the archive has \(members.count) files; choose one with --member: \(shown)")
        }
        return members[0]
    }

    private static func damage(_ file: FileInput) -> RecordError {
        RecordError(unreadable: file.name, "the zip archive is damaged")
    }
}

/// A part of a seekable file.
private final class FilePart: ByteInput {
    private let file: FileInput
    private let start: Int
    private let count: Int
    private(set) var position = 0

    init(_ file: FileInput, from start: Int, count: Int) {
        self.file = file
        self.start = start
        self.count = count
    }

    func read(into buffer: UnsafeMutablePointer<UInt8>, capacity: Int) throws(RecordError) -> Int {
        let part = try file.read(at: start + position, buffer, min(capacity, count - position))
        position += part
        return part
    }
}

/// The bytes of an input whose size and CRC-32 are known and checked at the end.
private final class CheckedInput: ByteInput {
    private let upstream: any ByteInput
    private let checksum: UInt32
    private let size: Int
    private let name: String
    private var found: UInt = 0
    private var count = 0

    init(_ upstream: any ByteInput, checksum: UInt32, size: Int, name: String) {
        self.upstream = upstream
        self.checksum = checksum
        self.size = size
        self.name = name
    }

    var position: Int { upstream.position }

    func read(into buffer: UnsafeMutablePointer<UInt8>, capacity: Int) throws(RecordError) -> Int {
        let part = try upstream.read(into: buffer, capacity: capacity)
        found = crc32(found, buffer, UInt32(part))
        count += part
        guard count <= size, part > 0 || count == size && found == UInt(checksum) else {
            throw RecordError(unreadable: name, "the zip archive is damaged: its checksum or size is wrong")
        }
        return part
    }
}

extension [UInt8] {
    /// Returns the number that some bytes are in little-endian order, or -1 if it is not an `Int`.
    fileprivate func number(at start: Int, bytes count: Int) -> Int {
        var value: UInt64 = 0
        for place in (0..<count).reversed() { value = value << 8 | UInt64(self[start + place]) }
        return Int(exactly: value) ?? -1
    }
}
