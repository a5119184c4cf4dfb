/// A cursor that leads to the records of a file inside its objects and arrays, by a path of member names.
///
/// The empty path leads to the array that is the whole file. If the path leads through an array, it continues
/// in each element, so `pages.items` leads to the items of all pages.
struct JSONPathCursor {
    /// An object or array around the next record.
    struct Frame {
        let isArray: Bool
        /// The number of steps of the path that lead to the object or array.
        let step: Int
        /// Whether no member or element was read.
        var isFirst = true
    }

    /// The result of a search.
    enum Outcome {
        /// The parser is at the beginning of an object.
        case record
        /// An element of the array is not an object and was skipped.
        case other(RecordError)
        /// The file has no more records.
        case end
    }

    /// The names of the path's members.
    let names: [[UInt8]]
    var frames: [Frame] = []
    /// Whether a value of the file was entered.
    var hasBegun = false
    /// Whether the file has a value at the end of the path.
    var isFound = false
    /// The names of some members with objects or arrays that the path does not lead to.
    var others: [String] = []

    private static let maximumCountOfOthers = 20

    /// Creates a cursor.
    ///
    /// - Parameter path: The names, separated by dots, or nil for the array that is the whole file.
    init(path: String?) {
        names = path.map { $0.split(separator: ".").map { Array($0.utf8) } } ?? []
    }

    /// Adds the name of a member that the path does not lead to.
    mutating func note(_ name: [UInt8], after step: Int) {
        let path = (names[..<step] + [name]).map { String(decoding: $0, as: UTF8.self) }
        let joined = path.joined(separator: ".")
        guard !isFound, others.count < Self.maximumCountOfOthers, !others.contains(joined) else { return }
        others.append(joined)
    }

    /// Returns the number of steps after a member of an object, or nil if the path does not lead to it. The
    /// name of a member may contain dots.
    func step(after step: Int, member name: [UInt8]) -> Int? {
        var joined: [UInt8] = []
        for position in step..<names.count {
            if position > step { joined.append(UInt8(ascii: ".")) }
            joined += names[position]
            if joined == name { return position + 1 }
        }
        return nil
    }
}
