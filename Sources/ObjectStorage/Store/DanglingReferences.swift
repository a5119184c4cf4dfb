/// References of a to-one relationship to objects that do not exist.
package struct DanglingReferences: Sendable {
    /// The number of the references.
    package var count = 0
    /// The first references by key: the key of the object that has the reference, and the key that no object
    /// has.
    package var examples: [(key: Int64, missingKey: Int64)] = []
}
