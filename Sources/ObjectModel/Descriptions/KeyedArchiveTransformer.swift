public import Foundation

/// Stores objects of classes that conform to `NSSecureCoding` as archives of `NSKeyedArchiver`, and decodes
/// objects of allowed classes only.
///
/// ```swift
/// enum PaletteTransformer: KeyedArchiveTransformer {
///     typealias Value = Palette
///     static var name: String { "Palette" }
///     static var allowedClasses: [any (NSObject & NSSecureCoding).Type] { [Palette.self, NSArray.self] }
/// }
/// ```
///
/// An archive is checked before it is decoded, on every platform. Damaged bytes, an object of another class
/// at any depth, and objects that contain themselves or are nested deeper than 50 levels are errors. So are
/// texts and data above 64 MiB in total, where shared ones count once for each object that has them. A class
/// is allowed by its name: subclasses must be listed as well, except for the mutable subclasses of
/// Foundation's classes. Texts and numbers need not be listed. Classes of an app must be at the top level of
/// their files and not private, because only these have names in archives.
///
/// On Linux an app's object cannot be a key or a value of an `NSDictionary`, because the dictionary there
/// does not tolerate an object that refuses its values; use an array. An object that the archive refers to
/// may be absent or of another allowed class, so an initializer must accept any values, or return nil.
///
/// Archives that Core Data wrote with secure coding can be read if the classes have the same names. Another
/// process may archive an unordered collection in another order; assigning an equal value then counts as a
/// change.
public protocol KeyedArchiveTransformer: AttributeTransformer where Value: NSObject {
    /// The classes whose objects archives may contain, at any depth.
    static var allowedClasses: [any (NSObject & NSSecureCoding).Type] { get }
}

extension KeyedArchiveTransformer {
    /// Returns the archive of an object.
    ///
    /// - Parameter value: The object to encode.
    /// - Throws: ``TransformationError`` if the object, or one to which it refers, is of a class that is not
    ///   allowed, so that the archive could not be decoded.
    public static func data(from value: Value) throws -> Data {
        guard value is any NSSecureCoding else {
            throw TransformationError("\(type(of: value)) does not conform to NSSecureCoding")
        }
        _ = try KeyedArchive.name(of: type(of: value))
        let data = try KeyedArchive.data(from: value)
        try KeyedArchiveCheck.check(data, allowedNames: allowedNames())
        return data
    }

    /// Returns the object of an archive.
    ///
    /// - Parameter data: The bytes of an archive.
    /// - Throws: ``TransformationError`` if the archive is damaged, has an object of a class that is not
    ///   allowed, exceeds ``TransformationError/maximumByteCount`` bytes, or an object refuses its values.
    public static func value(from data: Data) throws -> Value {
        try TransformationError.checkByteCount(data)
        try KeyedArchiveCheck.check(data, allowedNames: allowedNames())
        let object = try KeyedArchive.object(from: data, of: allowedClasses + [NSString.self, NSNumber.self])
        guard let value = object as? Value else {
            throw TransformationError("an archive of \(type(of: object)), not of \(Value.self)")
        }
        return value
    }

    /// Returns the names of the allowed classes in archives.
    private static func allowedNames() throws(TransformationError) -> Set<String> {
        var names: Set<String> = ["NSString", "NSMutableString", "NSNumber"]
        for type in allowedClasses {
            let name = try KeyedArchive.name(of: type)
            names.insert(name)
            if name.hasPrefix("NS"), !name.contains(".") { names.insert("NSMutable" + name.dropFirst(2)) }
        }
        return names
    }
}

/// Stores property lists: arrays, dictionaries, sets, texts, numbers, dates, data, URLs and UUIDs, as
/// archives. The transformer has the name of Core Data's default one, whose archives it reads.
public enum SecureUnarchiveTransformer: KeyedArchiveTransformer {
    /// An object of any allowed class.
    public typealias Value = NSObject
    /// “NSSecureUnarchiveFromData”.
    public static var name: String { "NSSecureUnarchiveFromData" }
    /// Foundation's classes of property lists, and URLs and UUIDs.
    public static var allowedClasses: [any (NSObject & NSSecureCoding).Type] {
        [
            NSArray.self, NSDictionary.self, NSSet.self, NSString.self, NSNumber.self, NSDate.self,
            NSData.self,
            NSURL.self, NSUUID.self, NSNull.self,
        ]
    }
}
