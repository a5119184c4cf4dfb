/// A parser of untrusted bytes, which is run on arbitrary bytes. For all bytes, it must neither crash nor
/// hang, and must read no contents that the bytes do not have.
package protocol FuzzTarget {
    /// The name of the target, and of the folder of its corpus.
    static var name: String { get }
    /// The bytes that the target reads, in a few words.
    static var summary: String { get }
    /// Returns the first inputs: valid ones, and ones with known errors. They are generated, so that they can
    /// be generated again when a format changes.
    static func seeds() throws -> [FuzzSeed]
    /// Tokens of the format.
    static var words: [[UInt8]] { get }

    /// Prepares the data that several trials share.
    init() throws

    /// Reads the input in all ways in which the program can read it.
    ///
    /// - Returns: Whether the input was accepted as valid.
    /// - Throws: ``FuzzFinding`` if the input was read wrongly.
    func run(_ input: [UInt8]) throws -> Bool
}

/// A first input and its name in the corpus.
package struct FuzzSeed: Sendable {
    /// The name of the file.
    package let name: String
    /// The contents of the file.
    package let bytes: [UInt8]

    /// Creates a seed from bytes.
    package init(_ name: String, _ bytes: [UInt8]) {
        self.name = name
        self.bytes = bytes
    }

    /// Creates a seed from a text.
    package init(_ name: String, _ text: String) { self.init(name, Array(text.utf8)) }
}

/// The error of an input that was read wrongly.
package struct FuzzFinding: Error, CustomStringConvertible {
    /// The wrong and the right contents.
    package let description: String

    /// Creates a finding.
    package init(_ description: String) { self.description = description }
}

/// The list of all targets.
package enum FuzzTargets {
    /// All targets, in the order of listings.
    package static var all: [any FuzzTarget.Type] {
        [
            EntryTarget.self, DataFileTarget.self, PredicateTarget.self, CSVTarget.self, JSONTarget.self,
            ModelCacheTarget.self, MusicLibraryTarget.self, OutlineTarget.self, BibTeXTarget.self,
            RISTarget.self, MARCTarget.self,
        ]
    }

    /// Returns the target with a name; nil if no target has it.
    package static func named(_ name: String) -> (any FuzzTarget.Type)? { all.first { $0.name == name } }
}
