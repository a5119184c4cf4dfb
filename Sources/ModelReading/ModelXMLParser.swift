import CExpat
import Foundation
import ObjectStorage

/// A parser of XML documents by expat, which makes their elements.
///
/// External entities and document types are never loaded, and a document that declares entities is refused.
final class ModelXMLParser {
    private var root: ModelXML?
    private var open: [ModelXML] = []
    private var refusal: String?
    private let parser: XML_Parser?

    /// The greatest depth of nested elements. Models have six levels; the limit bounds the recursion.
    private static let maximumDepth = 32
    /// The greatest number of bytes that expat is given at a time.
    private static let pieceSize = 1 << 20

    /// Creates a parser for one document.
    init() {
        parser = XML_ParserCreate(nil)
        guard let parser else { return }
        XML_SetUserData(parser, Unmanaged.passUnretained(self).toOpaque())
        XML_SetElementHandler(
            parser,
            { ModelXMLParser.from($0)?.begin($1, $2) },
            { data, _ in ModelXMLParser.from(data)?.end() })
        XML_SetEntityDeclHandler(parser) { data, name, _, _, _, _, _, _, _ in
            let name = name.map { String(cString: $0) } ?? ""
            ModelXMLParser.from(data)?.refuse(
                "it declares the entity “\(name)”, which models do not. Write its text in place of it.")
        }
    }

    deinit { if let parser { XML_ParserFree(parser) } }

    /// Parses a document and returns its root element.
    ///
    /// - Throws: ``ObjectStorageError`` with ``ObjectStorageError/Code/invalidModel`` and the line, if the
    ///   data is not XML, declares entities, or is nested too deeply.
    /// - Complexity: O(*n*) in the size of the data.
    func root(of data: Data) throws(ObjectStorageError) -> ModelXML {
        guard parser != nil else {
            throw ObjectStorageError(.limitExceeded, "There is no memory to read the model. Free some of it.")
        }
        var rest = data[...]
        repeat {
            let piece = rest.prefix(Self.pieceSize)
            rest = rest.dropFirst(piece.count)
            guard parse(piece, isLast: rest.isEmpty) else { throw error() }
        } while !rest.isEmpty
        guard let root else { throw error() }
        return root
    }

    private func parse(_ piece: Data, isLast: Bool) -> Bool {
        piece.withUnsafeBytes { bytes in
            XML_Parse(
                parser, bytes.assumingMemoryBound(to: CChar.self).baseAddress, Int32(bytes.count),
                isLast ? 1 : 0) == XML_STATUS_OK
        }
    }

    /// The error at the parser's position.
    private func error() -> ObjectStorageError {
        let line = XML_GetCurrentLineNumber(parser)
        if let refusal { return ObjectStorageError(.invalidModel, "Line \(line): \(refusal)") }
        let reason = XML_ErrorString(XML_GetErrorCode(parser)).map { String(cString: $0) }
        let column = XML_GetCurrentColumnNumber(parser) + 1
        return ObjectStorageError(
            .invalidModel,
            "Line \(line): this is not XML (\(reason ?? "an unknown error"), near column \(column)).")
    }

    private static func from(_ data: UnsafeMutableRawPointer?) -> ModelXMLParser? {
        data.map { Unmanaged<ModelXMLParser>.fromOpaque($0).takeUnretainedValue() }
    }

    /// Ends the parsing because of a reason.
    private func refuse(_ reason: String) {
        guard refusal == nil else { return }
        refusal = reason
        XML_StopParser(parser, XML_Bool(0))
    }

    private func begin(
        _ name: UnsafePointer<CChar>?, _ list: UnsafeMutablePointer<UnsafePointer<CChar>?>?
    ) {
        guard refusal == nil, let name else { return }
        guard open.count < Self.maximumDepth else {
            return refuse(
                "this is XML, but not a Core Data model: its elements are nested more than \(Self.maximumDepth) levels deep."
            )
        }
        var attributes: [String: String] = [:]
        var position = 0
        while let list, let name = list[position], let value = list[position + 1] {
            attributes[String(cString: name)] = String(cString: value)
            position += 2
        }
        let element = ModelXML(
            name: String(cString: name),
            element: DataModelEntity.Element(
                attributes: attributes, line: Int(XML_GetCurrentLineNumber(parser))))
        if let parent = open.last { parent.append(element) } else { root = element }
        open.append(element)
    }

    private func end() {
        guard refusal == nil else { return }
        open.removeLast()
    }
}
