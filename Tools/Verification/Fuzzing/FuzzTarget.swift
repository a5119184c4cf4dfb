/// What reads bytes that others wrote, to be tried with any bytes. Whatever the bytes are, it must neither
/// crash nor hang, and what it takes them for must be right.
package protocol FuzzTarget {
    /// The name by which it is run, and of the folder of its corpus.
    static var name: String { get }
    /// What is tried, in a line.
    static var summary: String { get }
    /// Bytes to begin with: what is right, and what is wrong in a known way. Made from nothing, so that they
    /// can be made again when a format changes.
    static func seeds() throws -> [FuzzSeed]
    /// Pieces that mean something to it.
    static var words: [[UInt8]] { get }

    /// Prepares what several trials share.
    init() throws

    /// Reads some bytes in all ways in which they can be read.
    ///
    /// - Returns: Whether they were taken for what they should be.
    /// - Throws: ``FuzzFinding`` if they were taken for something that they are not.
    func run(_ input: [UInt8]) throws -> Bool
}

/// Bytes to begin with, and what they are called in the corpus.
package struct FuzzSeed: Sendable {
    /// The name of the file.
    package let name: String
    /// What is in it.
    package let bytes: [UInt8]

    /// Makes a seed.
    package init(_ name: String, _ bytes: [UInt8]) {
        self.name = name
        self.bytes = bytes
    }

    /// Makes a seed of a text.
    package init(_ name: String, _ text: String) { self.init(name, Array(text.utf8)) }
}

/// Something that was read wrongly.
package struct FuzzFinding: Error, CustomStringConvertible {
    /// What was read, and what is right.
    package let description: String

    /// Makes a finding.
    package init(_ description: String) { self.description = description }
}

/// All targets.
package enum FuzzTargets {
    /// In the order in which they are listed.
    package static var all: [any FuzzTarget.Type] {
        [EntryTarget.self, DataFileTarget.self, PredicateTarget.self, CSVTarget.self, JSONTarget.self]
    }

    /// The target of a name; nil if there is none.
    package static func named(_ name: String) -> (any FuzzTarget.Type)? { all.first { $0.name == name } }
}
