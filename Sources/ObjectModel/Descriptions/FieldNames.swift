/// Reads the names of a class's stored properties from the metadata that the compiler puts into every
/// program.
///
/// `Mirror` reads the same records, but also makes the value and type of each property, which costs some
/// fifty microseconds a property when a program starts. The layout is that of "Type Metadata" in the Swift
/// repository (docs/ABI/TypeMetadata.rst) and of its reflection records; it is checked as far as it can be,
/// and where anything is not as expected the answer is nil and `Mirror` is asked.
enum FieldNames {
    #if os(Linux) && _pointerBitWidth(_64)
    /// Where a class's metadata points to its descriptor, without Objective-C: kind, superclass, flags,
    /// address point, size, alignment, class size and class address point come before it.
    private static let descriptorOffset = 40
    private static let fieldsOffset = 16

    /// The names in the order of declaration, superclasses' not included; nil if the records are not as
    /// expected.
    ///
    /// - Complexity: O(*n*) in the number of properties.
    static func names(of type: AnyClass) -> [String]? {
        // SAFETY: a class's metadata, its descriptor and its field records are constant data of the program.
        let metadata = unsafeBitCast(type, to: UnsafeRawPointer.self)
        let descriptor = metadata.load(fromByteOffset: descriptorOffset, as: UnsafeRawPointer?.self)
        // The lowest five bits of a descriptor's flags say what it describes; 16 is a class.
        guard let descriptor, descriptor.load(as: UInt32.self) & 0x1F == 16 else { return nil }
        guard let fields = relative(descriptor + fieldsOffset) else { return nil }
        let kind = fields.load(fromByteOffset: 8, as: UInt16.self)
        let recordSize = fields.load(fromByteOffset: 10, as: UInt16.self)
        let count = fields.load(fromByteOffset: 12, as: UInt32.self)
        guard kind == 1, recordSize == 12, count <= 4_096 else { return nil }
        var names: [String] = []
        for position in 0..<Int(count) {
            guard let name = relative(fields + 16 + position * 12 + 8) else { return nil }
            names.append(String(cString: name.assumingMemoryBound(to: CChar.self)))
        }
        return names
    }

    /// The superclass; nil if there is none.
    static func superclass(of type: AnyClass) -> AnyClass? {
        let metadata = unsafeBitCast(type, to: UnsafeRawPointer.self)
        return metadata.load(fromByteOffset: 8, as: AnyClass?.self)
    }

    /// What a relative reference of 32 bits refers to: a distance from its own place, or nothing for zero.
    private static func relative(_ place: UnsafeRawPointer) -> UnsafeRawPointer? {
        let distance = place.load(as: Int32.self)
        return distance == 0 ? nil : place + Int(distance)
    }
    #else
    /// Not read on this system.
    static func names(of type: AnyClass) -> [String]? { nil }
    /// Not read on this system.
    static func superclass(of type: AnyClass) -> AnyClass? { nil }
    #endif
}
