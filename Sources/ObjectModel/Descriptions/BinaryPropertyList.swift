package import Foundation

/// The objects of a binary property list, with the references between them, read without trust in its bytes:
/// each offset and count is checked before it is used, and only Swift values are created.
///
/// Foundation's reader does not expose the references of a keyed archive on all systems. Each object is read
/// once, so a list in which objects contain each other takes no more time or memory than its size. A reader
/// that follows the references needs a separate budget, because containers can be shared.
///
/// The format has a header, objects, a table of their offsets and a trailer of 32 bytes. Source: the comments
/// of `CFBinaryPList.c` in Apple's CoreFoundation.
package struct BinaryPropertyList {
    /// An object, which refers to others by their positions in ``objects``.
    package enum Object: Equatable {
        case null
        case boolean(Bool)
        case integer(Int64)
        case real(Double)
        /// Seconds since 2001.
        case date(Double)
        case data([UInt8])
        case text(String)
        /// A reference of a keyed archive.
        case identifier(Int)
        case array([Int])
        case set([Int])
        case dictionary(keys: [Int], values: [Int])
    }

    /// The reason why bytes are not an intact list, as the end of a sentence.
    package struct Damage: Error {
        /// The reason.
        package let reason: String
    }

    /// The objects in the order of the file. All positions in them are valid.
    package let objects: [Object]
    /// The position of the object that contains all others.
    package let top: Int

    /// Returns whether data begin like a binary property list.
    package static func isBeginning(of data: Data) -> Bool { data.starts(with: Array("bplist0".utf8)) }

    /// Reads all objects.
    ///
    /// - Throws: ``Damage`` if an object is outside the file, overlaps too many others, or is of an unknown
    ///   kind.
    /// - Complexity: O(*n*) in the number of bytes, in time and memory.
    package init(_ data: Data) throws(Damage) {
        guard data.starts(with: Array("bplist00".utf8)), data.count >= 8 + 1 + 32 else {
            throw Damage(reason: "it does not begin like a binary property list")
        }
        var reader = Reader(bytes: Array(data))
        let trailer = reader.bytes.count - 32
        let offsetSize = Int(reader.bytes[trailer + 6])
        reader.referenceSize = Int(reader.bytes[trailer + 7])
        guard 1...8 ~= offsetSize, 1...8 ~= reader.referenceSize,
            let count = reader.number(at: trailer + 8, size: 8), count > 0,
            let top = reader.number(at: trailer + 16, size: 8), top < count,
            let table = reader.number(at: trailer + 24, size: 8), table <= trailer, count <= table,
            count <= (trailer - table) / offsetSize
        else { throw Damage(reason: "its table of objects is outside the file") }
        reader.objectCount = count
        reader.end = table
        // Objects of an intact file do not overlap.
        reader.budget = table
        var objects: [Object] = []
        objects.reserveCapacity(count)
        for position in 0..<count {
            guard let offset = reader.number(at: table + position * offsetSize, size: offsetSize),
                let object = reader.object(at: offset)
            else { throw Damage(reason: "its object \(position) is not readable") }
            objects.append(object)
        }
        self.objects = objects
        self.top = top
    }

    /// Returns the position of the value that a dictionary has for a text; nil without such a value.
    ///
    /// - Complexity: O(*n*) in the number of entries.
    package func position(of key: String, in dictionary: Int) -> Int? {
        guard case .dictionary(let keys, let values) = objects[dictionary],
            let index = keys.firstIndex(where: { objects[$0] == .text(key) })
        else { return nil }
        return values[index]
    }

    /// Returns the positions of the values of a dictionary by its texts; empty for another object.
    ///
    /// - Complexity: O(*n*) in the number of entries.
    package func entries(of dictionary: Int) -> [String: Int] {
        guard case .dictionary(let keys, let values) = objects[dictionary] else { return [:] }
        return zip(keys, values).reduce(into: [:]) { entries, entry in
            if case .text(let key) = objects[entry.0] { entries[key] = entry.1 }
        }
    }

    /// Returns the bytes of a data object; nil for another object.
    package func bytes(at position: Int) -> [UInt8]? {
        if case .data(let bytes) = objects[position] { bytes } else { nil }
    }

    /// The positions of the objects of a keyed archive by their numbers, and the number of its root object,
    /// which may not exist. Nil for a list that is not an archive of `NSKeyedArchiver`, or has no root.
    ///
    /// - Complexity: O(*n*) in the number of entries of the archive's outer dictionaries.
    package var archive: (objects: [Int], root: Int)? {
        guard let archiver = position(of: "$archiver", in: top),
            objects[archiver] == .text("NSKeyedArchiver"),
            let table = position(of: "$objects", in: top), case .array(let archived) = objects[table],
            let roots = position(of: "$top", in: top), let reference = position(of: "root", in: roots),
            case .identifier(let root) = objects[reference]
        else { return nil }
        return (archived, root)
    }
}

extension BinaryPropertyList {
    /// The bytes with the sizes that the trailer names. A nil result means that the bytes are damaged.
    fileprivate struct Reader {
        let bytes: [UInt8]
        var referenceSize = 1
        var objectCount = 0
        /// The position after the last object.
        var end = 0
        /// The number of bytes left for the remaining objects.
        var budget = 0

        /// Returns an unsigned number, most significant byte first; nil if it does not fit.
        func number(at position: Int, size: Int) -> Int? {
            guard position >= 0, size <= 8, position <= bytes.count - size else { return nil }
            var value: UInt64 = 0
            for byte in bytes[position..<position + size] { value = value << 8 | UInt64(byte) }
            return Int(exactly: value)
        }

        private func bits(at position: Int, size: Int) -> UInt64? {
            guard position >= 0, position <= end - size else { return nil }
            return bytes[position..<position + size].reduce(0) { $0 << 8 | UInt64($1) }
        }

        /// Returns the object at a position.
        mutating func object(at offset: Int) -> Object? {
            guard offset >= 8, offset < end else { return nil }
            let (kind, low) = (bytes[offset] >> 4, Int(bytes[offset] & 15))
            let start = offset + 1
            guard spend(1) else { return nil }
            switch kind {
            case 0: return [0: .null, 8: .boolean(false), 9: .boolean(true)][low]
            case 1: return low <= 4 ? integer(at: start, size: 1 << low) : nil
            case 2: return real(at: start, size: 1 << low)
            case 3: return low == 3 ? bits(at: start, size: 8).map { .date(Double(bitPattern: $0)) } : nil
            case 4:
                return items(low, start, size: 1).map { .data(Array(bytes[$0.start..<$0.start + $0.count])) }
            case 5:
                // Foundation reads ASCII only.
                return items(low, start, size: 1).flatMap { item in
                    let text = bytes[item.start..<item.start + item.count]
                    return text.allSatisfy { $0 < 0x80 } ? .text(String(decoding: text, as: UTF8.self)) : nil
                }
            case 6:
                return items(low, start, size: 2).map { item in
                    let units = (0..<item.count).map {
                        UInt16(bytes[item.start + 2 * $0]) << 8 | UInt16(bytes[item.start + 2 * $0 + 1])
                    }
                    return .text(String(decoding: units, as: UTF16.self))
                }
            case 8:
                guard low < 8, start + low < end else { return nil }
                return number(at: start, size: low + 1).map { .identifier($0) }
            case 10: return items(low, start, size: referenceSize).flatMap(references).map { .array($0) }
            case 12: return items(low, start, size: referenceSize).flatMap(references).map { .set($0) }
            case 13:
                return items(low, start, size: 2 * referenceSize).flatMap { item in
                    guard let keys = references(item),
                        let values = references((item.start + item.count * referenceSize, item.count))
                    else { return nil }
                    return .dictionary(keys: keys, values: values)
                }
            default: return nil
            }
        }

        private func integer(at start: Int, size: Int) -> Object? {
            // A number of 16 bytes is an unsigned 64-bit number, or negative.
            if size == 16 {
                guard let high = bits(at: start, size: 8), let low = bits(at: start + 8, size: 8) else {
                    return nil
                }
                let value = Int64(bitPattern: low)
                return high == (value < 0 ? .max : 0) ? .integer(value) : .real(Double(low))
            }
            return bits(at: start, size: size).map { .integer(Int64(bitPattern: $0)) }
        }

        private func real(at start: Int, size: Int) -> Object? {
            switch size {
            case 4: bits(at: start, size: 4).map { .real(Double(Float(bitPattern: UInt32($0)))) }
            case 8: bits(at: start, size: 8).map { .real(Double(bitPattern: $0)) }
            default: nil
            }
        }

        /// Returns the position and the number of the items of an object.
        private mutating func items(_ low: Int, _ start: Int, size: Int) -> (start: Int, count: Int)? {
            var (start, count) = (start, low)
            if low == 15 {
                guard start < end, bytes[start] >> 4 == 1, bytes[start] & 15 <= 3 else { return nil }
                let width = 1 << Int(bytes[start] & 15)
                guard let long = number(at: start + 1, size: width) else { return nil }
                (start, count) = (start + 1 + width, long)
            }
            guard start <= end, count <= (end - start) / size, spend(count * size) else { return nil }
            return (start, count)
        }

        private mutating func spend(_ count: Int) -> Bool {
            budget -= count
            return budget >= 0
        }

        private func references(_ item: (start: Int, count: Int)) -> [Int]? {
            var references: [Int] = []
            references.reserveCapacity(item.count)
            for index in 0..<item.count {
                guard let reference = number(at: item.start + index * referenceSize, size: referenceSize),
                    reference < objectCount
                else { return nil }
                references.append(reference)
            }
            return references
        }
    }
}
