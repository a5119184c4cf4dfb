import Foundation

/// A binary property list, read without trust in its bytes: each offset and count is checked before it is
/// used, and nothing is created but Swift values.
///
/// The format has a header, objects, a table of their offsets and a trailer of 32 bytes. Source:
/// `CFBinaryPList.c` of the open source of Core Foundation.
struct BinaryPropertyList {
    /// An object of the list. Containers hold the numbers of their elements.
    enum Node: Hashable {
        case null
        case bool(Bool)
        case integer(Int64)
        case real(Double)
        case date
        case data(byteCount: Int)
        case string(String)
        /// A reference of a keyed archive to one of its objects.
        case uid(UInt64)
        case array([Int])
        case dictionary([(key: Int, value: Int)].Pairs)
    }

    private let bytes: [UInt8]
    private let offsets: [Int]
    /// The number of the outermost object.
    let top: Int
    private let referenceSize: Int
    /// The end of the objects: the start of the table of offsets.
    private let end: Int

    /// Reads the trailer and the table of offsets.
    ///
    /// - Throws: ``TransformationError`` if they contradict the number of bytes.
    /// - Complexity: O(*n*) in the number of objects.
    init(_ data: Data) throws(TransformationError) {
        bytes = Array(data)
        guard bytes.count >= 8 + 1 + 32, bytes.starts(with: "bplist00".utf8) else {
            throw TransformationError("not a binary property list")
        }
        let trailer = bytes.count - 32
        let offsetSize = Int(bytes[trailer + 6])
        referenceSize = Int(bytes[trailer + 7])
        guard (1...8).contains(offsetSize), (1...8).contains(referenceSize),
            let count = Self.number(bytes[(trailer + 8)..<(trailer + 16)]),
            let top = Self.number(bytes[(trailer + 16)..<(trailer + 24)]),
            let table = Self.number(bytes[(trailer + 24)..<(trailer + 32)]),
            count > 0, top < count, table >= 9, table <= trailer, count <= (trailer - table) / offsetSize
        else { throw TransformationError("a property list with an invalid trailer") }
        self.top = top
        end = table
        var offsets: [Int] = []
        offsets.reserveCapacity(count)
        for position in 0..<count {
            let start = table + position * offsetSize
            guard let offset = Self.number(bytes[start..<(start + offsetSize)]), offset >= 8, offset < table
            else { throw TransformationError("a property list with an invalid offset") }
            offsets.append(offset)
        }
        self.offsets = offsets
    }

    /// The number of objects.
    var count: Int { offsets.count }

    /// Returns an object.
    ///
    /// - Parameter number: The number of the object, which may be out of range.
    /// - Throws: ``TransformationError`` if there is no such object, or its bytes are invalid.
    func node(_ number: Int) throws(TransformationError) -> Node {
        guard offsets.indices.contains(number) else {
            throw TransformationError("a property list with a reference to a missing object")
        }
        let start = offsets[number]
        let marker = bytes[start]
        let low = Int(marker & 0x0F)
        switch marker >> 4 {
        case 0x0:
            switch low {
            case 0x0: return .null
            case 0x8: return .bool(false)
            case 0x9: return .bool(true)
            default: throw Self.invalidObject
            }
        case 0x1:
            // Sixteen bytes are the form of a UInt64 above Int64.max.
            guard low <= 4 else { throw Self.invalidObject }
            let field = try field(start + 1, 1 << low)
            return .integer(field.suffix(8).reduce(Int64(0)) { $0 << 8 | Int64($1) })
        case 0x2:
            let field = try field(start + 1, 1 << low)
            switch field.count {
            case 4:
                return .real(Double(Float(bitPattern: field.reduce(UInt32(0)) { $0 << 8 | UInt32($1) })))
            case 8: return .real(Double(bitPattern: field.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }))
            default: throw Self.invalidObject
            }
        case 0x3:
            guard low == 3 else { throw Self.invalidObject }
            _ = try field(start + 1, 8)
            return .date
        case 0x4:
            let (length, first) = try length(low, after: start)
            return .data(byteCount: try field(first, length).count)
        case 0x5:
            let (length, first) = try length(low, after: start)
            let field = try field(first, length)
            guard field.allSatisfy({ $0 < 0x80 }) else { throw Self.invalidObject }
            return .string(String(decoding: field, as: UTF8.self))
        case 0x6:
            let (length, first) = try length(low, after: start)
            guard length <= bytes.count else { throw Self.invalidObject }
            let field = try field(first, 2 * length)
            let units = stride(from: field.startIndex, to: field.endIndex, by: 2).map {
                UInt16(field[$0]) << 8 | UInt16(field[$0 + 1])
            }
            return .string(String(decoding: units, as: UTF16.self))
        case 0x8:
            let field = try field(start + 1, low + 1)
            guard field.count <= 8 else { throw Self.invalidObject }
            return .uid(field.reduce(UInt64(0)) { $0 << 8 | UInt64($1) })
        case 0xA:
            let (length, first) = try length(low, after: start)
            return .array(try references(first, length))
        case 0xD:
            let (length, first) = try length(low, after: start)
            let all = try references(first, 2 * min(length, bytes.count))
            return .dictionary(.init(zip(all.prefix(length), all.dropFirst(length)).map { ($0, $1) }))
        default: throw Self.invalidObject
        }
    }

    /// Returns the entries of a dictionary.
    ///
    /// - Throws: ``TransformationError`` if a key is no text, or occurs twice.
    func entries(_ pairs: [(key: Int, value: Int)].Pairs) throws(TransformationError) -> [String: Int] {
        var entries: [String: Int] = [:]
        for pair in pairs.list {
            guard case .string(let key) = try node(pair.key),
                entries.updateValue(pair.value, forKey: key) == nil
            else { throw TransformationError("a property list with an invalid dictionary") }
        }
        return entries
    }

    private static var invalidObject: TransformationError {
        TransformationError("a property list with an invalid object")
    }

    /// Returns the length of an object, and the position after it.
    private func length(_ low: Int, after start: Int) throws(TransformationError) -> (Int, Int) {
        guard low == 0x0F else { return (low, start + 1) }
        let marker = try field(start + 1, 1)[start + 1]
        guard marker >> 4 == 1, marker & 0x0F <= 3 else { throw Self.invalidObject }
        let size = 1 << Int(marker & 0x0F)
        guard let length = Self.number(try field(start + 2, size)) else { throw Self.invalidObject }
        return (length, start + 2 + size)
    }

    private func references(_ first: Int, _ count: Int) throws(TransformationError) -> [Int] {
        guard count <= bytes.count else { throw Self.invalidObject }
        let field = try field(first, count * referenceSize)
        var references: [Int] = []
        references.reserveCapacity(count)
        for position in 0..<count {
            let start = field.startIndex + position * referenceSize
            guard let reference = Self.number(field[start..<(start + referenceSize)]),
                reference < offsets.count
            else { throw TransformationError("a property list with a reference to a missing object") }
            references.append(reference)
        }
        return references
    }

    private func field(_ start: Int, _ length: Int) throws(TransformationError) -> ArraySlice<UInt8> {
        guard length >= 0, start <= end, length <= end - start else { throw Self.invalidObject }
        return bytes[start..<(start + length)]
    }

    /// Returns an unsigned number; nil if it is larger than any count of bytes.
    private static func number(_ field: ArraySlice<UInt8>) -> Int? {
        var number: UInt64 = 0
        for byte in field { number = number << 8 | UInt64(byte) }
        return number <= UInt64(Int32.max) ? Int(number) : nil
    }
}

extension [(key: Int, value: Int)] {
    /// The entries of a dictionary, as a type that can be compared.
    struct Pairs: Hashable {
        let list: [(key: Int, value: Int)]

        init(_ list: [(key: Int, value: Int)]) { self.list = list }

        static func == (first: Self, second: Self) -> Bool {
            first.list.elementsEqual(second.list) { $0 == $1 }
        }

        func hash(into hasher: inout Hasher) { for pair in list { hasher.combine(pair.key) } }
    }
}
