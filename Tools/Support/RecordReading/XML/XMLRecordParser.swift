import CExpat

/// A parser of records in XML by expat, which is given a few kilobytes at a time.
///
/// External entities are never loaded. A document that declares entities is refused, so that none can be
/// expanded.
final class XMLRecordParser: NamedRecordParser {
    /// The bytes that are parsed.
    let source: ByteSource
    /// Nil, because an element of a document is no document.
    var frame: RecordFrame? { nil }
    private let handler: any XMLRecordHandler
    private let parser: XML_Parser?
    private var repair: AmpersandRepair?
    private var depth = 0
    private var position = 0
    private var hasEnded = false
    private var hasDoctype = false
    private var refusal: (reason: String, line: Int)?
    private var failure: RecordError?

    /// The number of bytes that the parser was given.
    private var size = 0
    /// The number of bytes at the end of them that are an incomplete tag, comment or reference.
    private var incompleteSize = 0

    /// The least number of bytes that the parser is given at a time.
    private static let pieceSize = 16 << 10
    /// The greatest number of bytes that the parser is given at a time.
    private static let maximumPieceSize = 512 << 10
    /// The greatest number of nested elements.
    private static let maximumDepth = 1_000

    /// Creates a parser whose events a handler receives.
    init(_ source: ByteSource, handler: any XMLRecordHandler, options: RecordOptions) {
        self.source = source
        self.handler = handler
        if options.repairsAmpersands { repair = AmpersandRepair() }
        // Converted bytes are UTF-8, regardless of the declaration.
        parser = XML_ParserCreate(source.encoding == nil ? nil : "UTF-8")
        guard let parser else { return }
        XML_SetUserData(parser, Unmanaged.passUnretained(self).toOpaque())
        XML_SetElementHandler(
            parser,
            { XMLRecordParser.from($0)?.begin($1, $2) },
            { XMLRecordParser.from($0)?.end($1) })
        XML_SetCharacterDataHandler(parser) { data, text, count in
            guard let text else { return }
            XMLRecordParser.from(data)?.handler.addText(
                UnsafeRawBufferPointer(start: text, count: Int(count)))
        }
        XML_SetStartDoctypeDeclHandler(parser) { data, _, _, _, _ in
            XMLRecordParser.from(data)?.hasDoctype = true
        }
        XML_SetEntityDeclHandler(parser) { data, name, _, _, _, _, _, _, _ in
            XMLRecordParser.from(data)?.refuse(
                "the document declares the entity “\(name.map { String(cString: $0) } ?? "")”, and declared entities are not read; write their texts in place of them"
            )
        }
        XML_SetAttlistDeclHandler(parser) { data, element, name, _, value, _ in
            guard value != nil else { return }
            let names = [element, name].map { $0.map { String(cString: $0) } ?? "" }
            XMLRecordParser.from(data)?.refuse(
                "the document declares a value of the attribute “\(names[1])” for each “\(names[0])”, and declared values are not read; write them into the elements"
            )
        }
        XML_SetSkippedEntityHandler(parser) { data, name, _ in
            XMLRecordParser.from(data)?.refuse(
                XMLRecordParser.undefined(name.map { String(cString: $0) } ?? ""))
        }
    }

    deinit { if let parser { XML_ParserFree(parser) } }

    /// Sentences about the records and the repaired characters, or nil.
    var note: String? {
        let notes = [handler.note, repairNote].compactMap(\.self)
        return notes.isEmpty ? nil : notes.joined(separator: " ")
    }

    private var repairNote: String? {
        guard let count = repair?.count, count > 0 else { return nil }
        return
            "\(count == 1 ? "One “&” that begins" : "\(count) “&” that begin") no reference \(count == 1 ? "was" : "were") read as “&”."
    }

    /// Returns the next record, which may be bad, or nil after the last.
    func next() throws(RecordError) -> NamedRecord? {
        while position == handler.records.count {
            handler.records.removeAll(keepingCapacity: true)
            position = 0
            if let failure { throw failure }
            if hasEnded { return nil }
            try parsePiece()
        }
        defer { position += 1 }
        return handler.records[position]
    }

    private func parsePiece() throws(RecordError) {
        // The parser scans an incomplete tag from its beginning again, so a long one gets longer pieces.
        let wanted = min(max(Self.pieceSize, incompleteSize), Self.maximumPieceSize)
        while source.available < wanted, try source.fill() {}
        let count = min(source.available, wanted)
        let bytes = UnsafeBufferPointer(start: source.bytes + source.start, count: count)
        hasEnded = count == 0
        let isParsed: Bool
        if let repaired = repair?.repaired(bytes, isLast: hasEnded) {
            isParsed = repaired.withUnsafeBufferPointer { parse($0) }
        } else {
            isParsed = parse(bytes)
        }
        source.consume(count)
        guard !isParsed || refusal != nil else { return }
        if let refusal {
            failure = error(refusal.reason, line: refusal.line)
        } else {
            failure = syntaxError()
        }
    }

    private func parse(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        size += bytes.count
        let status = bytes.withMemoryRebound(to: CChar.self) {
            XML_Parse(parser, $0.baseAddress, Int32($0.count), hasEnded ? 1 : 0)
        }
        let index = Int(XML_GetCurrentByteIndex(parser))
        incompleteSize = index < 0 ? 0 : size - index
        if status == XML_STATUS_OK, incompleteSize > RecordLimits.recordSize {
            refusal = ("a tag or a comment of more than \(RecordLimits.recordSize) bytes", line)
            return false
        }
        return status == XML_STATUS_OK
    }

    private var line: Int { Int(XML_GetCurrentLineNumber(parser)) }

    private func error(_ reason: String, line: Int) -> RecordError {
        fatal(.markup(reason), line: line)
    }
}

extension XMLRecordParser {
    private static func from(_ data: UnsafeMutableRawPointer?) -> XMLRecordParser? {
        data.map { Unmanaged<XMLRecordParser>.fromOpaque($0).takeUnretainedValue() }
    }

    /// Ends the parsing because of a reason.
    private func refuse(_ reason: String) {
        guard refusal == nil else { return }
        refusal = (reason, line)
        XML_StopParser(parser, XML_Bool(0))
    }

    private static func undefined(_ name: String) -> String {
        "“&\(name);” is not defined in XML; write the character, or pass --repair to read the text as it stands"
    }

    /// Returns a name without its prefix.
    private static func localName(_ name: UnsafePointer<CChar>?) -> String {
        guard let name else { return "" }
        let text = String(cString: name)
        return text.utf8.lastIndex(of: UInt8(ascii: ":")).map { String(text[text.index(after: $0)...]) }
            ?? text
    }

    private func begin(
        _ name: UnsafePointer<CChar>?, _ list: UnsafeMutablePointer<UnsafePointer<CChar>?>?
    ) {
        guard refusal == nil else { return }
        depth += 1
        guard depth <= Self.maximumDepth else {
            return refuse("the elements are nested more than \(Self.maximumDepth) deep")
        }
        var attributes: [XMLAttribute] = []
        var place = 0
        while let list, let name = list[place], let value = list[place + 1] {
            attributes.append(XMLAttribute(name: Self.bytes(name), value: Self.bytes(value)))
            place += 2
        }
        // With a document type that is elsewhere, expat leaves out what it cannot know.
        if hasDoctype, !attributes.isEmpty, let name = undefinedReference() {
            return refuse(Self.undefined(name))
        }
        do throws(XMLRefusal) {
            try handler.begin(Self.localName(name), attributes, line: line)
        } catch {
            refuse(error.reason)
        }
    }

    private func end(_ name: UnsafePointer<CChar>?) {
        guard refusal == nil else { return }
        depth -= 1
        do throws(XMLRefusal) {
            try handler.end(Self.localName(name), line: line)
        } catch {
            refuse(error.reason)
        }
    }

    private static func bytes(_ text: UnsafePointer<CChar>) -> [UInt8] {
        var count = 0
        while text[count] != 0 { count += 1 }
        return UnsafeBufferPointer(start: text, count: count).map { UInt8(bitPattern: $0) }
    }

    /// Returns the bytes around the position of the parser, and the position among them.
    private func context() -> (bytes: [UInt8], position: Int) {
        var offset: Int32 = 0
        var size: Int32 = 0
        guard let start = XML_GetInputContext(parser, &offset, &size) else { return ([], 0) }
        let first = max(0, Int(offset) - 256)
        let last = min(Int(size), Int(offset) + max(256, Int(XML_GetCurrentByteCount(parser))))
        guard first < last else { return ([], 0) }
        return ((first..<last).map { UInt8(bitPattern: start[$0]) }, Int(offset) - first)
    }

    /// Returns the name of a reference in the current tag, or after the position, that XML does not define.
    private func undefinedReference() -> String? {
        let (bytes, position) = context()
        let count = Int(XML_GetCurrentByteCount(parser))
        var tag = count > 0 ? bytes[position..<min(bytes.count, position + count)] : bytes[position...]
        while let sign = tag.firstIndex(of: UInt8(ascii: "&")) {
            tag = tag[(sign + 1)...]
            guard let end = tag.firstIndex(of: UInt8(ascii: ";")) else { return nil }
            let name = String(decoding: tag[..<end], as: UTF8.self)
            if !name.hasPrefix("#"), !["amp", "lt", "gt", "quot", "apos"].contains(name) { return name }
        }
        return nil
    }

    /// Returns the error at which expat stopped, with a remedy.
    private func syntaxError() -> RecordError {
        let code = XML_GetErrorCode(parser)
        let column = Int(XML_GetCurrentColumnNumber(parser)) + 1
        switch code {
        case XML_ERROR_UNDEFINED_ENTITY:
            if let name = undefinedReference() { return error(Self.undefined(name), line: line) }
        case XML_ERROR_INVALID_TOKEN:
            if let sign = ampersand() {
                return error(
                    "“&” is not escaped in “\(sign)”, near column \(column); write &amp;, or pass --repair to read it as it stands",
                    line: line)
            }
        case XML_ERROR_NO_ELEMENTS, XML_ERROR_UNCLOSED_TOKEN, XML_ERROR_PARTIAL_CHAR,
            XML_ERROR_UNCLOSED_CDATA_SECTION:
            return error(
                "the file ends before the document does; it may be truncated, so get it again", line: line)
        case XML_ERROR_TAG_MISMATCH:
            return error(
                "an element is closed that is not the innermost one, in column \(column); correct the tags",
                line: line)
        default: break
        }
        let text = XML_ErrorString(code).map { String(cString: $0) } ?? "error \(code.rawValue)"
        let isToken = code == XML_ERROR_INVALID_TOKEN
        return error(
            "not well-formed XML near column \(column) (\(text))"
                + (isToken ? "; a quote or “<” in a value must be written &quot; or &lt;" : ""), line: line)
    }

    /// Returns the text around an `&` that is not escaped, at the position of an error.
    private func ampersand() -> String? {
        let (bytes, position) = context()
        guard position < bytes.count else { return nil }
        var sign = position
        // The error is after the name that the sign seems to begin.
        while sign > 0, bytes[sign] != UInt8(ascii: "&") {
            guard position - sign < 64, bytes[sign] != 0x0A else { return nil }
            sign -= 1
        }
        guard bytes[sign] == UInt8(ascii: "&") else { return nil }
        let end = min(bytes.count, sign + 12)
        let text = String(decoding: bytes[sign..<end], as: UTF8.self)
        return String(text.prefix { !$0.isNewline && $0 != "\"" && $0 != "<" })
    }
}
