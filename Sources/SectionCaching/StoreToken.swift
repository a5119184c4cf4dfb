/// Opaque "the data as of": equal or not equal, never ordered.
///
/// It names what it was made of, so that a look-up can say what changed.
public struct StoreToken: Hashable, Sendable {
    /// One thing that an index depends on, and its state.
    public struct Dependency: Hashable, Sendable {
        /// What it is: for a data store, an entity.
        public let name: String
        /// Bytes that never come back once they changed.
        public let state: [UInt8]

        /// Makes a dependency.
        public init(name: String, state: [UInt8]) {
            self.name = name
            self.state = state
        }
    }

    /// Which store: 16 bytes.
    public let storeIdentity: [UInt8]
    /// The shape of the store's tables, as a digest.
    public let schemaDigest: [UInt8]
    /// What the index depends on, in the order of the names.
    public let dependencies: [Dependency]

    /// Makes a token.
    ///
    /// - Parameter storeIdentity: 16 bytes.
    public init(storeIdentity: [UInt8], schemaDigest: [UInt8], dependencies: [Dependency]) {
        precondition(storeIdentity.count == 16, "A store identity has 16 bytes, not \(storeIdentity.count).")
        self.storeIdentity = storeIdentity
        self.schemaDigest = schemaDigest
        self.dependencies = dependencies.sorted { $0.name < $1.name }
    }

    /// The token as bytes, without the store's identity.
    var bytes: [UInt8] {
        var writer = ByteWriter()
        writer.appendCounted(schemaDigest)
        for dependency in dependencies {
            writer.appendCounted(Array(dependency.name.utf8))
            writer.appendCounted(dependency.state)
        }
        return writer.bytes
    }

    /// Reads a token's bytes; nil if they are not such.
    init?(storeIdentity: [UInt8], bytes: [UInt8]) {
        var reader = ByteReader(bytes)
        guard storeIdentity.count == 16, let schemaDigest = reader.readCounted() else { return nil }
        var dependencies: [Dependency] = []
        while !reader.isAtEnd {
            guard let name = reader.readCounted(), let state = reader.readCounted() else { return nil }
            dependencies.append(Dependency(name: String(decoding: name, as: UTF8.self), state: Array(state)))
        }
        self.init(storeIdentity: storeIdentity, schemaDigest: Array(schemaDigest), dependencies: dependencies)
    }

    /// Why an entry of token `entry` does not answer for this one; nil if they are equal.
    func mismatch(with entry: StoreToken) -> MissReason? {
        guard self != entry else { return nil }
        guard storeIdentity == entry.storeIdentity else { return .storeReplaced }
        let states = Dictionary(entry.dependencies.map { ($0.name, $0.state) }) { first, _ in first }
        let changed = dependencies.filter { states[$0.name] != $0.state }.map(\.name)
        // Around a change of the schema nobody knows what else changed, and states are given anew.
        return changed.isEmpty || schemaDigest != entry.schemaDigest
            ? .schemaChanged : .dataChanged(dependencies: changed)
    }
}
