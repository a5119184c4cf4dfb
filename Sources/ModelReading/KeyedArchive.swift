import Foundation
import ObjectStorage

/// An archive of `NSKeyedArchiver`: objects that are dictionaries and refer to each other by number.
final class KeyedArchive {
    /// The objects of the property list, among them those of the archive.
    let list: BinaryPropertyList
    /// The positions in the list of the archived objects, by their numbers.
    let objects: [Int]

    private init(_ list: BinaryPropertyList, objects: [Int]) {
        self.list = list
        self.objects = objects
    }

    /// Returns the root object of an archive.
    ///
    /// - Throws: ``ObjectStorageError`` if the data are not an intact binary property list, or not a keyed
    ///   archive.
    static func root(of data: Data) throws(ObjectStorageError) -> ArchivedValue {
        let list = try BinaryPropertyList(data)
        let top = ArchivedValue(archive: KeyedArchive(list, objects: []), position: list.top)
        guard top["$archiver"]?.text == "NSKeyedArchiver",
            case .array(let objects)? = top["$objects"]?.object,
            case .identifier(let root)? = top["$top"]?["root"]?.object, objects.indices.contains(root)
        else {
            throw ObjectStorageError(
                .invalidModel,
                "This is a property list, but not a compiled Core Data model: it is not an archive of NSKeyedArchiver. Pass a .mom file, or the .momd bundle."
            )
        }
        return ArchivedValue(archive: KeyedArchive(list, objects: objects), position: objects[root])
    }
}
