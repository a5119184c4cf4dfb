import ObjectStorage

/// A value of an archive: an object, a collection, or a simple value. A nil result means that the archive
/// lacks the value, or has a value of another kind.
struct ArchivedValue {
    private let archive: KeyedArchive
    private let position: Int

    init(archive: KeyedArchive, position: Int) {
        self.archive = archive
        self.position = position
    }

    /// The value itself, with references to other objects.
    var object: BinaryPropertyList.Object { archive.list.objects[position] }

    /// Returns the value at a position, or the object that it refers to; nil if that is nil.
    private func value(at position: Int) -> Self? {
        var position = position
        if case .identifier(let number) = archive.list.objects[position] {
            guard archive.objects.indices.contains(number) else { return nil }
            // The first object of every archive represents nil.
            if number == 0 { return nil }
            position = archive.objects[number]
        }
        return Self(archive: archive, position: position)
    }

    /// The value of a key; nil if it is missing or nil.
    subscript(key: String) -> Self? {
        archive.list.position(of: key, in: position).flatMap { value(at: $0) }
    }

    /// The keys of an object, sorted.
    var keys: [String] {
        guard case .dictionary(let keys, _) = object else { return [] }
        return keys.compactMap { if case .text(let key) = archive.list.objects[$0] { key } else { nil } }
            .sorted()
    }

    /// The name of the object's class.
    var className: String? { self["$class"]?["$classname"]?.text }

    /// The text of a string, mutable or not.
    var text: String? {
        switch object {
        case .text(let text): return text
        case .dictionary:
            if case .text(let text)? = self["NS.string"]?.object { return text }
            return nil
        default: return nil
        }
    }

    /// A whole number.
    var integer: Int64? {
        switch object {
        case .integer(let number): number
        case .boolean(let value): value ? 1 : 0
        default: nil
        }
    }

    /// Whether the value is true, or a number other than 0.
    var isTrue: Bool { (integer ?? 0) != 0 }

    /// The items of an array or a set. A dictionary must keep its objects in an array, because a dictionary
    /// in their place could contain itself.
    var items: [Self] {
        let positions = self.positions
        return archive.spend(positions.count) ? positions.compactMap(value) : []
    }

    /// The positions of the items of an array or a set.
    private var positions: [Int] {
        switch object {
        case .array(let positions), .set(let positions): return positions
        case .dictionary:
            switch self["NS.objects"]?.object {
            case .array(let positions)?, .set(let positions)?: return positions
            default: return []
            }
        default: return []
        }
    }

    /// Whether a collection was skipped, because the collections of the archive together have too many items.
    var isArchiveExhausted: Bool { archive.isExhausted }

    /// The entries of a dictionary with texts as keys, in its order.
    var entries: [(key: String, value: Self)] {
        if let strategy = self["searchMapping"] {
            // A dictionary of Core Data's own class stores its keys separately.
            return pairs(strategy["keys"], self["values"])
        }
        guard case .dictionary = object, let keys = self["NS.keys"] else { return [] }
        return pairs(keys, self["NS.objects"])
    }

    private func pairs(_ keys: Self?, _ values: Self?) -> [(key: String, value: Self)] {
        let positions = Array(zip(keys?.positions ?? [], values?.positions ?? []))
        guard archive.spend(positions.count) else { return [] }
        return positions.compactMap { key, item in
            guard let key = value(at: key)?.text, let item = value(at: item) else { return nil }
            return (key, item)
        }
    }
}
