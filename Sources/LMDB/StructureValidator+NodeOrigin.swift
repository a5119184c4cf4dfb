extension StructureValidator {
    /// The nodes of a tree, or of its first leaf, by whether the caller's trees may have them.
    struct NodeOrigin {
        private var own = 0
        private var others = 0
        /// Whether the key of another node has a size that no key of the caller has.
        private var hasOtherSize = false

        /// Counts a node.
        ///
        /// - Parameters:
        ///   - isOwn: Whether a tree of the caller may have the node.
        ///   - hasOwnKeySize: Whether its key has the size of a key of the caller.
        mutating func add(isOwn: Bool, _ hasOwnKeySize: Bool) {
            own += isOwn ? 1 : 0
            others += isOwn ? 0 : 1
            if !isOwn, !hasOwnKeySize { hasOtherSize = true }
        }

        /// Whether the nodes are those of another program: most are, and more than one property of them
        /// indicates it, because one byte of the only entry of a cache may be damaged.
        var isForeign: Bool { own < others && (others > 1 || hasOtherSize) }
    }
}
