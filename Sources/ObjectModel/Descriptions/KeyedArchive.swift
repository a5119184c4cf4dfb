import Foundation

/// Writes and reads archives of `NSKeyedArchiver`. The caller checks each archive with ``KeyedArchiveCheck``.
enum KeyedArchive {
    /// Returns the archive of an object as a binary property list.
    static func data(from value: NSObject) throws -> Data {
        // The classes are checked in the finished archive, because on Linux an archiver that requires secure
        // coding ends the program for an object that does not support it.
        #if canImport(Darwin)
        try NSKeyedArchiver.archivedData(withRootObject: value, requiringSecureCoding: true)
        #else
        try NSKeyedArchiver.archivedData(withRootObject: value, requiringSecureCoding: false)
        #endif
    }

    /// Returns the name of a class in archives.
    ///
    /// - Throws: ``TransformationError`` for a nested or private class on Linux, where Foundation traps when
    ///   it computes the name.
    static func name(of type: AnyClass) throws(TransformationError) -> String {
        #if !canImport(Darwin)
        let name = String(reflecting: type)
        guard name.split(separator: ".").count == 2 else {
            throw TransformationError(
                "\(name) is private or inside another type, so its objects cannot be archived")
        }
        #endif
        return NSStringFromClass(type)
    }

    /// Returns the object of an archive that has been checked.
    ///
    /// - Throws: ``TransformationError`` if the archive cannot be decoded, for example because an object
    ///   refuses its values.
    static func object(
        from data: Data, of classes: [any (NSObject & NSSecureCoding).Type]
    ) throws -> NSObject {
        let unarchiver: NSKeyedUnarchiver
        do {
            unarchiver = try NSKeyedUnarchiver(forReadingFrom: data)
        } catch {
            throw TransformationError("an archive that cannot be decoded: \(error)")
        }
        #if canImport(Darwin)
        unarchiver.requiresSecureCoding = true
        #else
        // With secure coding, Foundation's unarchiver on Linux ends the program if a field has an object of a
        // class that its decoding object does not expect. Without secure coding the field is nil. The check
        // has already refused classes that are not allowed anywhere in the archive.
        unarchiver.requiresSecureCoding = false
        #endif
        unarchiver.decodingFailurePolicy = .setErrorAndReturn
        defer { unarchiver.finishDecoding() }
        let object = unarchiver.decodeObject(
            of: classes.map { $0 as AnyClass }, forKey: NSKeyedArchiveRootObjectKey)
        if let error = unarchiver.error {
            throw TransformationError("an archive that cannot be decoded: \(error)")
        }
        guard let object = object as? NSObject else {
            throw TransformationError("an archive that cannot be decoded")
        }
        return object
    }
}
