/// A consumer of the events of an XML document, which makes records of them.
protocol XMLRecordHandler: AnyObject {
    /// The records that are complete.
    var records: [NamedRecord] { get set }
    /// A sentence about the records that were read, or nil.
    var note: String? { get }

    /// Begins an element.
    ///
    /// - Parameters:
    ///   - name: The name without a prefix.
    ///   - line: The line of the element.
    /// - Throws: ``XMLRefusal`` for a document of another kind.
    func begin(_ name: String, _ attributes: [XMLAttribute], line: Int) throws(XMLRefusal)

    /// Adds text of the innermost element.
    func addText(_ text: UnsafeRawBufferPointer)

    /// Ends an element.
    func end(_ name: String, line: Int) throws(XMLRefusal)
}

extension XMLRecordHandler {
    /// No sentence.
    var note: String? { nil }
}

/// An attribute of an element.
struct XMLAttribute {
    let name: [UInt8]
    let value: [UInt8]
}

/// The reason why a document is refused.
struct XMLRefusal: Error {
    let reason: String
}
