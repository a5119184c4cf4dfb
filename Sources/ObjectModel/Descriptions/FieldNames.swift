/// Reads the names of a class's stored properties from the metadata that the compiler emits.
///
/// `Mirror` reads the same records, but also instantiates the value and type of each property, which takes
/// about fifty microseconds for each property at program start. The layout is that of "Type Metadata" in the
/// Swift repository (docs/ABI/TypeMetadata.rst) and of its reflection records. It is checked as far as
/// possible; if anything differs, the result is nil and the caller uses `Mirror`.
package enum FieldNames {
    #if os(Linux) && _pointerBitWidth(_64)
    /// The offset of the descriptor's address in a class's metadata, without Objective-C: kind, superclass,
    /// flags, address point, size, alignment, class size and class address point precede it.
    private static let descriptorOffset = 40
    private static let fieldsOffset = 16

    /// Returns the names in the order of declaration, without those of superclasses; nil if the records do
    /// not have the expected layout.
    ///
    /// - Complexity: O(*n*) in the number of properties.
    package static func names(of type: AnyClass) -> [String]? {
        // SAFETY: the metadata of a class, its descriptor and its field records are constant data of the
        // program.
        let metadata = unsafeBitCast(type, to: UnsafeRawPointer.self)
        let descriptor = metadata.load(fromByteOffset: descriptorOffset, as: UnsafeRawPointer?.self)
        // The lowest five bits of a descriptor's flags are the kind of the described entity; 16 is a class.
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

    /// Returns the superclass; nil if the class has none.
    package static func superclass(of type: AnyClass) -> AnyClass? {
        let metadata = unsafeBitCast(type, to: UnsafeRawPointer.self)
        return metadata.load(fromByteOffset: 8, as: AnyClass?.self)
    }

    /// Resolves a relative reference of 32 bits: a distance from its own address; nil for zero.
    private static func relative(_ address: UnsafeRawPointer) -> UnsafeRawPointer? {
        let distance = address.load(as: Int32.self)
        return distance == 0 ? nil : address + Int(distance)
    }
    #else
    /// Returns nil: the metadata is not read on this system.
    package static func names(of type: AnyClass) -> [String]? { nil }
    /// Returns nil: the metadata is not read on this system.
    package static func superclass(of type: AnyClass) -> AnyClass? { nil }
    #endif
}
