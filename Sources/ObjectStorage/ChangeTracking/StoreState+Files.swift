import Crypto

extension StoreState {
    /// The name of the dependency of a state that is derived from the store's files.
    package static let filesName = "the store's files"
    /// The name of the dependency on the history that another program keeps in an untracked store.
    package static let historyName = "the store's history"

    /// Creates the state of an untracked store from that of its files. Equal files have equal states.
    ///
    /// - Parameter position: The position in the history that another program keeps in the store.
    init(_ files: StoreFiles, at position: ChangeHistory.Position? = nil) {
        let file = Array(SHA256.hash(data: files.identity))
        self.init(
            storeIdentity: Array(file.prefix(16)), authenticationKey: file,
            schemaDigest: Array(repeating: 0, count: 32),
            tables: [Table(tableName: Self.filesName, state: Array(SHA256.hash(data: files.bytes)))]
                + (position.map { [Table(tableName: Self.historyName, state: $0.bytes)] } ?? []),
            isConfirmed: true)
    }

    /// The name of the single dependency of a state that is a replicator's position.
    package static let positionName = "the replica's position"

    /// Creates the state of an untracked store from a replicator's position. Equal positions of one path have
    /// equal states.
    ///
    /// - Parameter path: The path of the store's file.
    init(position: [UInt8], path: String) {
        let store = Array(SHA256.hash(data: Array(path.utf8)))
        self.init(
            storeIdentity: Array(store.prefix(16)), authenticationKey: store,
            schemaDigest: Array(repeating: 0, count: 32),
            tables: [Table(tableName: Self.positionName, state: Array(SHA256.hash(data: position)))],
            isConfirmed: true)
    }
}
