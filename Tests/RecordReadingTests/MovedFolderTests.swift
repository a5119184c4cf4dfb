import CheckSupport
import RecordReading
import Testing

/// `--map-path`: folders of a music library that were moved.
@Suite struct MovedFolderTests {
    private func locations(_ urls: [String], _ options: [String]) throws -> [String?] {
        let tracks = urls.enumerated().map { number, url in
            "<key>\(number)</key><dict><key>Persistent ID</key><string>\(number)</string><key>Location</key><string>\(url)</string></dict>"
        }
        var reading = RecordOptions()
        reading.arrayPath = "Track"
        reading.movedFolders = options.compactMap(MovedFolder.init)
        try #require(reading.movedFolders.count == options.count)
        let text = "<plist><dict><key>Tracks</key><dict>\(tracks.joined())</dict></dict></plist>"
        return try NamedReading(text, options: reading).records.map { $0["Location"] }
    }

    @Test(
        arguments: [
            (["/a=/x", "/a/b=/y"], "file:///a/b/c", "file:///y/c"),
            (["/a/b=/y", "/a=/x"], "file:///a/b/c", "file:///y/c"),
            (["/a=/x", "/a/b=/y"], "file:///a/bc", "file:///x/bc"),
            (["/a/b=/y", "/=/x"], "file:///a", "file:///x/a"),
            (["/a=/x"], "file:///a", "file:///x"), (["/a=/x"], "file:///ab", "file:///ab"),
            (["/a=/x"], "file://server/a/b", "file://server/a/b"),
            (["file://server/a=/x"], "file://SERVER/a/b", "file:///x/b"),
            (["file://server/a=/x"], "file:///a/b", "file:///a/b"),
            (["/a=file://server/x"], "file://localhost/a/b", "file://server/x/b"),
            (["file://LOCALHOST/a=/x"], "file:///a/b", "file:///x/b"),
            (["/a=/x"], "file:///a/%FF%e9.mp3", "file:///x/%FF%E9.mp3"),
            (["file:///a%FF=/x"], "file:///a%ff/b", "file:///x/b"),
            (["/a=/x"], "file:///a/100%25", "file:///x/100%25"),
            (["/a/b=/x"], "file:///a%2Fb/c", "file:///a%2Fb/c"), (["/a=/x"], "FILE:///a/b/", "file:///x/b/"),
        ])
    func `the innermost folder is found by whole names, bytes and host`(
        options: [String], old: String, new: String
    ) throws {
        #expect(try locations([old], options) == [new])
    }

    /// A separate replacement of prefixes, on the bytes of the names.
    private static let program = """
        import json
        from urllib.parse import urlsplit, unquote_to_bytes, quote
        safe = "-._~!$&'()*+,;=:@"
        for data in inputs:
            urls, options = json.loads(data)
            out = []
            for url in urls:
                u = urlsplit(url)
                host = "" if u.netloc.lower() == "localhost" else u.netloc.lower()
                names = [unquote_to_bytes(n) for n in u.path.split("/") if n]
                best = None
                for option in options:
                    old, new = [[n.encode() for n in p.split("/") if n] for p in option.split("=")]
                    if host == "" and names[:len(old)] == old and (best is None or len(old) > len(best[0])):
                        best = old, new
                if best:
                    url = "file:///" + "/".join(quote(n, safe=safe) for n in best[1] + names[len(best[0]):])
                out.append({"url": url})
            print(json.dumps(out))
        """

    @Test func `random locations are moved as Python moves them`() throws {
        var generator = SeededGenerator(seed: 12)
        let names = ["a", "b", "ab", "%61", "%C3%A9", "%FF", "a%20b", "%2F"]
        let urls = (0..<400).map { _ in
            "file://" + ["", "localhost", "server"].randomElement(using: &generator)!
                + (0..<Int.random(in: 1...4, using: &generator)).map { _ in
                    "/" + names.randomElement(using: &generator)!
                }.joined()
        }
        let options = ["/a=/x", "/a/b=/y z", "/é=/e", "/a/b/ab=/", "/b/a b=/q/r"]
        let input = "[\(urls), \(options)]"
        let expected = try PythonRecords.of(Self.program, on: [Array(input.utf8)])
        #expect(try locations(urls, options) == expected[0].map { $0["url"] })
    }
}
