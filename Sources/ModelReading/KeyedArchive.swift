import Foundation
import ObjectStorage

/// An archive of `NSKeyedArchiver`: objects that are dictionaries and refer to each other by number.
final class KeyedArchive {
    /// The objects of the property list, among them those of the archive.
    let list: BinaryPropertyList
    /// The positions in the list of the archived objects, by their numbers.
    let objects: [Int]

    /// The number of values that collections may still return.
    private var budget = 4_000_000
    /// Whether collections lack values, because the budget is spent.
    private(set) var isExhausted = false

    /// Returns whether a collection may return a number of values. Objects of a forged archive can share
    /// collections, which would then be read without end.
    func spend(_ count: Int) -> Bool {
        guard count <= budget else {
            isExhausted = true
            return false
        }
        budget -= count
        return true
    }

    private init(_ list: BinaryPropertyList, objects: [Int]) {
        self.list = list
        self.objects = objects
    }

    /// Returns the root object of an archive.
    ///
    /// - Throws: ``ObjectStorageError`` if the data are not an intact binary property list, or not a keyed
    ///   archive.
    static func root(of data: Data) throws(ObjectStorageError) -> ArchivedValue {
        let list = try BinaryPropertyList.modelFile(data)
        guard let archive = list.archive, archive.objects.indices.contains(archive.root) else {
            throw ObjectStorageError(
                .invalidModel,
                "This is a property list, but not a compiled Core Data model: it is not an archive of NSKeyedArchiver. Pass a .mom file, or the .momd bundle."
            )
        }
        return ArchivedValue(
            archive: KeyedArchive(list, objects: archive.objects), position: archive.objects[archive.root])
    }
}
