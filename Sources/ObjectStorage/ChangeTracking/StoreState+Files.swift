import Crypto

extension StoreState {
    /// The name of the only part of a state that is that of the store's files.
    package static let filesName = "the store's files"

    /// Creates the state of a store without tracking from that of its files: equal files have equal states.
    init(_ files: StoreFiles) {
        let file = Array(SHA256.hash(data: files.identity))
        self.init(
            storeIdentity: Array(file.prefix(16)), authenticationKey: file,
            schemaDigest: Array(repeating: 0, count: 32),
            tables: [Table(tableName: Self.filesName, state: Array(SHA256.hash(data: files.bytes)))],
            isConfirmed: true)
    }
}
