import CheckSupport
import Foundation
import RecordReading
import Testing

/// OPML, compared with Python's `xml.etree`, and XML that is refused.
@Suite struct OutlineTests {
    private static let program = """
        import json, re
        import xml.etree.ElementTree as ET
        def records(data):
            out = []
            def walk(e, place, parent):
                for n, o in enumerate([c for c in e if c.tag == "outline"], 1):
                    here = place + [str(n)]
                    r = {"place": ".".join(here)}
                    if parent is not None: r["parent"] = parent
                    r.update(o.attrib)
                    out.append(r)
                    walk(o, here, o.get("text", o.get("title", "")))
            walk(ET.fromstring(data).find("body"), [], None)
            return out
        for data in inputs:
            data = re.sub(rb"&(?!(amp|lt|gt|quot|apos);|#[0-9]{1,9};|#x[0-9a-fA-F]{1,8};)", b"&amp;", data)
            try: print(json.dumps(records(data)))
            except ET.ParseError: print("null")
        """

    private static func outline(_ body: String, head: String = "") -> String {
        "<?xml version='1.0'?>\n\(head)<opml version=\"2.0\"><head><title>x</title></head>\n<body>\n\(body)\n</body></opml>"
    }

    private static let made = outline(
        """
        <outline text="A &amp; &lt;b&gt; &#233; &#x1F600;" title='"q"' xmlns:a="urn:a" a:b="c">
          <outline text="one" type="rss" xmlUrl="http://x/?a=1&amp;b=2"/>
          <outline title="two"><outline text="three
        lines"/></outline>
        </outline>
        <!-- <outline text="none"/> --><outline text="" category="/a,/b"/>
        <outline/>
        """)

    private static let raw = outline(
        """
        <outline text="R&D & more &nbsp; &x=1" xmlUrl="http://x/?a=1&b=2&#"/>
        <!-- a & b --><?pi a & b?><outline text="&amp;&#38;"/>
        """)

    private func repairing() -> RecordOptions {
        var options = RecordOptions()
        options.repairsAmpersands = true
        return options
    }

    @Test func `outlines are those that another parser finds, also after a repair`() throws {
        // The attribute with a prefix is compared apart, because Python expands it.
        var inputs = [Self.made.replacing(" xmlns:a=\"urn:a\" a:b=\"c\"", with: ""), Self.raw].map {
            Array($0.utf8)
        }
        let folder = RealFile.path("opml-feeds")
        let names = FileManager.default.enumerator(atPath: folder)?.compactMap { $0 as? String } ?? []
        let files = names.filter { $0.hasSuffix(".opml") }.sorted()
        inputs += try files.map { Array(try Data(contentsOf: URL(filePath: "\(folder)/\($0)"))) }
        let expected = try Python.run(Self.program, on: inputs).map {
            try JSONDecoder().decode([[String: String]]?.self, from: Data($0.utf8))
        }
        try #require(expected.count == inputs.count)
        var refused = 0
        for (input, records) in zip(inputs, expected) {
            let repaired = try NamedReading(input, options: repairing())
            #expect(repaired.errors.isEmpty == (records != nil))
            if let records { #expect(repaired.records == records) }
            let plain = try NamedReading(input)
            if plain.errors.isEmpty { #expect(repaired.note == nil) }
            guard let error = plain.errors.last else {
                #expect(plain.records == records)
                continue
            }
            refused += 1
            #expect(error.isFatal && error.line > 1)
            let remedy = records == nil ? "write &" : "write &amp;, or pass --repair"
            #expect("\(error)".contains(remedy) || "\(error)".contains("must be written &quot;"), "\(error)")
        }
        #expect(refused == (files.isEmpty ? 1 : 81))
        #expect(files.isEmpty || files.count == 118)
    }

    @Test func `a repair is reported, and does not depend on the pieces in which the file is read`() throws {
        let filler = String(repeating: "x", count: 16_370)
        for shift in 0..<40 {
            let text = Self.outline(
                "<!--\(filler.dropLast(shift))-->\n<outline text=\"a&b&amp;c&#65;&\" u=\"<![CDATA[\"/><outline text='&'/>"
                    .replacing("u=\"<![CDATA[\"", with: "u=\"1\""))
            let reading = try NamedReading(text, options: repairing())
            #expect(reading.records.map { $0["text"] } == ["a&b&cA&", "&"], "\(shift)")
            #expect(reading.note == "3 “&” that begin no reference were read as “&”.")
        }
    }

    @Test(
        arguments: [
            ("<opml><body><outline text='a'", "truncated"), (outline("<outline text='a'>"), "closed"),
            (outline("</outline>"), "closed"),
            (outline("<outline text='&undefined;'/>"), "“&undefined;” is not defined"),
            (
                outline(
                    "<outline text='&b;'/>",
                    head: "<!DOCTYPE opml [<!ENTITY a \"x\"><!ENTITY b \"&a;&a;\">]>"),
                "declares the entity “a”"
            ),
            (
                outline(
                    "<outline text='&b;'/>",
                    head: "<!DOCTYPE opml [<!ENTITY b SYSTEM \"file:///etc/passwd\">]>"),
                "declares the entity “b”"
            ),
            (
                outline(
                    "<outline text='a&nbsp;b'/>", head: "<!DOCTYPE opml SYSTEM \"http://x.invalid/opml.dtd\">"
                ),
                "“&nbsp;” is not defined"
            ),
            (
                outline(
                    "<outline text='a'/>",
                    head: "<!DOCTYPE opml [<!ENTITY % p SYSTEM \"http://x.invalid/\"> %p;]>"),
                "declares the entity"
            ),
            (
                outline(
                    String(repeating: "<outline text='a'>", count: 2_000)
                        + String(repeating: "</outline>", count: 2_000)), "nested more than 1000"
            ),
            (outline("<outline text='a' text='b'/>"), "duplicate attribute"),
            (outline("<outline text='\u{1}'/>"), "not well-formed"),
        ])
    func `a document that is not well-formed or not safe is refused`(text: String, reason: String) throws {
        let reading = try NamedReading(text)
        let error = try #require(reading.errors.last)
        #expect(error.isFatal && "\(error)".contains(reason), "\(error)")
    }

    @Test func `the declared encoding is used`() throws {
        let text =
            "<?xml version=\"1.0\" encoding=\"ISO-8859-2\"?>\n<opml><body><outline text=\"\u{141}\"/></body></opml>"
        let bytes = text.unicodeScalars.map { $0 == "\u{141}" ? 0xA3 : UInt8($0.value) }
        let file = try TemporaryFile(bytes)
        var options = RecordOptions()
        options.encoding = try EncodingDetection(path: file.path, options: options).name
        #expect(options.encoding == "ISO-8859-2")
        #expect(try NamedReading(path: file.path, options: options).records.map { $0["text"] } == ["Ł"])
    }

    @Test func `names of elements and attributes are those of OPML in any letter case`() throws {
        let text = """
            <OPML version="1.0"><Head/><Body><OUTLINE TEXT="A" XMLURL="u"/><outline text="B" xmlurl="v" Own="1">
            <Outline Title="C" HtmlUrl="w" own="2"/></outline><outline text="D" xmlUrl="1" xmlurl="2"/>
            <outline text="E" xmlUrl="1" xmlurl="1"/></Body></OPML>
            """
        let reading = try NamedReading(text)
        #expect(
            reading.records == [
                ["place": "1", "text": "A", "xmlUrl": "u"],
                ["place": "2", "text": "B", "xmlUrl": "v", "Own": "1"],
                ["place": "2.1", "parent": "B", "title": "C", "htmlUrl": "w", "own": "2"],
                ["place": "4", "text": "E", "xmlUrl": "1"],
            ])
        #expect(reading.errors.map(\.reason) == [.duplicateName("xmlUrl")])
    }

    @Test func `a document without outlines has no records, and large values are refused alone`() throws {
        #expect(try NamedReading(Self.outline("")).records.isEmpty)
        let large = String(repeating: "x", count: 1 << 20)
        let reading = try NamedReading(Self.outline("<outline text='\(large)y'/><outline text='\(large)'/>"))
        #expect(reading.records.count == 1 && reading.errors.count == 1)
        #expect(reading.errors.first?.isFatal == false)
    }
}
