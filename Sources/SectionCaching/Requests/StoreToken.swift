/// An opaque state of a store's data. Tokens are equal or different, and have no order.
///
/// A token lists its components, so that a look-up can report which of them changed.
public struct StoreToken: Hashable, Sendable {
    /// One component on which an index depends, and its state.
    public struct Dependency: Hashable, Sendable {
        /// The name of the component: for a data store, a table.
        public let name: String
        /// Bytes that never recur once they have changed.
        public let state: [UInt8]

        /// Creates a dependency.
        ///
        /// - Parameters:
        ///   - name: The name of the component: for a data store, a table.
        ///   - state: Bytes that never recur once they have changed.
        public init(name: String, state: [UInt8]) {
            self.name = name
            self.state = state
        }
    }

    /// The identity of the store: 16 bytes.
    public let storeIdentity: [UInt8]
    /// A digest of the schema of the store's tables.
    public let schemaDigest: [UInt8]
    /// The components on which the index depends, in the order of their names.
    public let dependencies: [Dependency]

    /// Creates a token.
    ///
    /// - Parameters:
    ///   - storeIdentity: The identity of the store: 16 bytes. Any other number of bytes traps.
    ///   - schemaDigest: A digest of the schema of the store's tables.
    ///   - dependencies: The components on which the index depends, in any order.
    /// - Complexity: O(*d* log *d*) in the number of dependencies.
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

    /// Decodes a token's bytes; returns nil if they are invalid.
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

    /// Returns the reason why an entry with the token `entry` is not valid for this one; nil if they are
    /// equal.
    func mismatch(with entry: StoreToken) -> MissReason? {
        guard self != entry else { return nil }
        guard storeIdentity == entry.storeIdentity else { return .storeReplaced }
        let states = Dictionary(entry.dependencies.map { ($0.name, $0.state) }) { first, _ in first }
        let changed = dependencies.filter { states[$0.name] != $0.state }.map(\.name)
        // After a change of the schema it is unknown what else changed, and all states are assigned anew.
        return changed.isEmpty || schemaDigest != entry.schemaDigest
            ? .schemaChanged : .dataChanged(dependencies: changed)
    }
}
