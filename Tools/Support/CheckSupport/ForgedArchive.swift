package import Foundation

/// A keyed archive with any references between its parts, as a binary property list: also shared ones and
/// cycles, which no archiver writes.
package struct ForgedArchive {
    /// The bytes of the objects of the property list.
    private var parts: [[UInt8]] = []
    /// The positions, in the property list, of the archived objects.
    private var objects: [Int] = []

    /// Creates an archive with the object that represents nil, which has the number 0.
    package init() {
        let null = text("$null")
        archive(null)
    }

    /// The number of the next archived object.
    package var nextNumber: Int { objects.count }

    /// Adds a part of the property list to the archived objects and returns its number.
    @discardableResult
    package mutating func archive(_ part: Int) -> Int {
        objects.append(part)
        return objects.count - 1
    }

    /// Adds the description of a class to the archived objects and returns its number.
    package mutating func archive(className: String) -> Int {
        let name = text(className)
        let superclassName = text("NSObject")
        let names = array([name, superclassName])
        let description = dictionary([("$classname", name), ("$classes", names)])
        return archive(description)
    }

    /// Adds a text and returns its position.
    package mutating func text(_ text: String) -> Int {
        let units = Array(text.utf16)
        return add(kind: 6, count: units.count, units.flatMap { [UInt8($0 >> 8), UInt8($0 & 255)] })
    }

    /// Adds a whole number and returns its position.
    package mutating func integer(_ number: Int64) -> Int {
        parts.append([0x13] + Self.bytes(UInt64(bitPattern: number)))
        return parts.count - 1
    }

    /// Adds a reference to an archived object and returns its position.
    package mutating func reference(_ number: Int) -> Int {
        parts.append([0x83] + Self.bytes(UInt32(number)))
        return parts.count - 1
    }

    /// Adds an array of parts and returns its position.
    package mutating func array(_ elements: [Int]) -> Int {
        add(kind: 10, count: elements.count, elements.flatMap { Self.bytes(UInt32($0)) })
    }

    /// Adds a dictionary and returns its position.
    package mutating func dictionary(_ entries: [(key: String, value: Int)]) -> Int {
        var keys: [Int] = []
        for entry in entries { keys.append(text(entry.key)) }
        return add(
            kind: 13, count: entries.count,
            (keys + entries.map(\.value)).flatMap { Self.bytes(UInt32($0)) })
    }

    /// Returns the archive with an object as its root.
    package func data(root: Int) -> Data {
        var whole = self
        let reference = whole.reference(root)
        let roots = whole.dictionary([("root", reference)])
        let entries: [(key: String, value: Int)] = [
            ("$version", whole.integer(100_000)), ("$archiver", whole.text("NSKeyedArchiver")),
            ("$objects", whole.array(objects)),
            ("$top", roots),
        ]
        let top = whole.dictionary(entries)
        var bytes = Array("bplist00".utf8)
        var offsets: [UInt8] = []
        for part in whole.parts {
            offsets += Self.bytes(UInt32(bytes.count))
            bytes += part
        }
        let table = bytes.count
        bytes += offsets + [0, 0, 0, 0, 0, 0, 4, 4]
        for number in [whole.parts.count, top, table] { bytes += Self.bytes(UInt64(number)) }
        return Data(bytes)
    }

    private mutating func add(kind: UInt8, count: Int, _ content: [UInt8]) -> Int {
        let head: [UInt8] =
            count < 15 ? [kind << 4 | UInt8(count)] : [kind << 4 | 15, 0x12] + Self.bytes(UInt32(count))
        parts.append(head + content)
        return parts.count - 1
    }

    private static func bytes<Number: FixedWidthInteger>(_ number: Number) -> [UInt8] {
        stride(from: Number.bitWidth - 8, through: 0, by: -8).map { UInt8(truncatingIfNeeded: number >> $0) }
    }
}
