import CheckSupport
import Foundation
import RecordReading
import Testing

/// Files of gzip and members of zip archives, which Python writes.
@Suite(.enabled(if: Python.path != nil, "python3 is not on the search path"))
struct CompressedFileTests {
    private static let text = "id,name\n" + (0..<60_000).map { "\($0),Åsa \($0 % 97)\n" }.joined()
    private static let names = (0..<60_000).map { "Åsa \($0 % 97)" }

    /// Returns the bytes that a Python program prints for the text, which is its variable `data`.
    private func made(_ program: String, of text: String = Self.text) throws -> TemporaryFile {
        let file = try TemporaryFile(text)
        return try TemporaryFile(
            Python.output(
                of: """
                    import gzip, io, sys, zipfile, zlib
                    data = open(sys.argv[1], "rb").read()
                    out = sys.stdout.buffer
                    \(program)
                    """, [file.path]))
    }

    private func names(_ file: TemporaryFile, _ change: (inout RecordOptions) -> Void = { _ in }) throws
        -> [String?]
    {
        var options = RecordOptions()
        change(&options)
        let reader = try openRecords(path: file.path, options: options)
        let reading = Reading(reader)
        if let error = reading.errors.first { throw error }
        #expect(reader.byteOffset == reader.byteCount)
        return reading.values("name")
    }

    @Test(arguments: [
        "out.write(gzip.compress(data))",
        "half = len(data) // 2\nout.write(gzip.compress(data[:half]) + gzip.compress(b'') + gzip.compress(data[half:]))",
        "out.write(b''.join(gzip.compress(data[i:i + 5000]) for i in range(0, len(data), 5000)))",
        "out.write(gzip.compress(data, 0) + bytes(1000))",
        "f = gzip.GzipFile('name', 'wb', 9, out)\nf.write(data)\nf.close()",
    ])
    func `a gzip file of one or more members is read, by its content`(program: String) throws {
        #expect(try names(made(program)) == Self.names)
    }

    @Test(arguments: ["zipfile.ZIP_STORED", "zipfile.ZIP_DEFLATED"])
    func `the only file of a zip archive is read`(method: String) throws {
        let plain = try made(
            """
            buffer = io.BytesIO()
            z = zipfile.ZipFile(buffer, "w", \(method))
            z.comment = b"PK\\x05\\x06 is no end"
            z.writestr("folder/", "")
            z.writestr("folder/books.csv", data)
            z.writestr("__MACOSX/folder/._books.csv", "x")
            z.close()
            out.write(buffer.getvalue())
            """)
        #expect(try names(plain) == Self.names)
        // Sizes of 64 bits, and sizes after the data, as programs write them that cannot seek.
        let streamed = try made(
            """
            class Out(io.RawIOBase):
                def writable(self): return True
                def seekable(self): return False
                def write(self, part): return out.write(part)
            z = zipfile.ZipFile(Out(), "w", \(method))
            with z.open("books.csv", "w", force_zip64=True) as f: f.write(data)
            z.close()
            """)
        #expect(try names(streamed) == Self.names)
    }

    @Test func `a member of several is chosen by its name`() throws {
        let file = try made(
            """
            buffer = io.BytesIO()
            z = zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED)
            z.writestr("a.csv", "name\\nx\\n")
            z.writestr("b/books.csv", data)
            z.close()
            out.write(buffer.getvalue())
            """)
        #expect(try names(file) { $0.member = "a.csv" } == ["x"])
        #expect(try names(file) { $0.member = "b/books.csv" } == Self.names)
        let several = #expect(throws: RecordError.self) { try openRecords(path: file.path) }
        #expect(several?.description.contains("“a.csv”, “b/books.csv”") == true)
        var options = RecordOptions()
        options.member = "c.csv"
        let missing = #expect(throws: RecordError.self) { try openRecords(path: file.path, options: options) }
        #expect(missing?.description.contains("has no “c.csv”") == true)
        let renamed = file.path + ".zip"
        try FileManager.default.copyItem(atPath: file.path, toPath: renamed)
        #expect(Reading(try openRecords(path: renamed + ":a.csv")).values("name") == ["x"])
    }

    @Test func `a damaged or cut file is an error, and no record is wrong`() throws {
        let seed = SeededGenerator.newSeed()
        var generator = SeededGenerator(seed: seed)
        let text = "id,name\n" + (0..<200).map { "\($0),Åsa \($0 % 97)\n" }.joined()
        let gzip = try made("out.write(gzip.compress(data))", of: text)
        let zip = try made(
            "buffer = io.BytesIO()\nz = zipfile.ZipFile(buffer, 'w', zipfile.ZIP_DEFLATED)\nz.writestr('books.csv', data)\nz.close()\nout.write(buffer.getvalue())",
            of: text)
        let stored = try made(
            "buffer = io.BytesIO()\nz = zipfile.ZipFile(buffer, 'w')\nz.writestr('books.csv', data)\nz.close()\nout.write(buffer.getvalue())",
            of: text)
        var errorCount = 0
        for file in [gzip, zip, stored] {
            let intact = try Array(Data(contentsOf: URL(filePath: file.path)))
            for number in 0..<400 {
                var bytes = intact
                let place = Int.random(in: 4..<bytes.count, using: &generator)
                if number % 4 == 0 {
                    bytes.removeSubrange(place...)
                } else {
                    bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
                }
                let damaged = try TemporaryFile(bytes)
                do {
                    // A flag, a time or a comment may change without an effect.
                    #expect(
                        try names(damaged) == (0..<200).map { "Åsa \($0 % 97)" },
                        "seed \(seed), \(number), \(place)")
                } catch is RecordError {
                    errorCount += 1
                }
            }
        }
        #expect(errorCount > 700)
    }

    @Test func `an encrypted member and an unknown method are refused`() throws {
        let archive =
            "buffer = io.BytesIO()\nz = zipfile.ZipFile(buffer, 'w')\nz.writestr('a.csv', 'name\\nx\\n')\nz.close()\nb = bytearray(buffer.getvalue())\ni = b.rfind(b'PK\\x01\\x02')\n"
        for (change, words) in [("b[i + 8] |= 1", "is encrypted"), ("b[i + 10] = 12", "method 12")] {
            let file = try made(archive + change + "\nout.write(bytes(b))")
            let error = #expect(throws: RecordError.self) { try openRecords(path: file.path) }
            #expect(error?.description.contains(words) == true, "\(String(describing: error))")
        }
    }

    @Test func `a file that becomes much larger is refused, unless a size is allowed`() throws {
        let program = "out.write(gzip.compress(b'name\\n' + b'x\\n' * 40000000, 9))"
        let file = try made(program)
        let error = #expect(throws: RecordError.self) { _ = try names(file) }
        #expect(error?.description.contains("--max-file-size") == true)
        #expect(error?.isFatal == true)
        let limited = #expect(throws: RecordError.self) {
            _ = try names(file) { $0.maximumFileSize = 1 << 20 }
        }
        #expect(limited?.reason == .limit("the file has more than 1048576 bytes"))
    }

    @Test func `JSON and other encodings are read from compressed files`() throws {
        let file = try made("out.write(gzip.compress(data.decode().encode('utf-16')))")
        let name = try EncodingDetection(path: file.path, options: .init()).name
        #expect(name == "UTF-16LE")
        #expect(try names(file) { $0.encoding = name } == Self.names)
        let json = try made("out.write(gzip.compress(data))", of: "{\"x\": [{\"name\": \"é\"}]}")
        #expect(try names(json) { $0.arrayPath = "x" } == ["é"])
        #expect(throws: RecordError.self) { try openRecords(path: json.path) }
    }

    @Test func `a pipe is read once, and several times from its copy`() throws {
        let file = try TemporaryFile(Self.text)
        let path = file.path + ".pipe"
        for isCopied in [false, true] {
            mkfifo(path, 0o600)
            defer { unlink(path) }
            let writer = Process()
            writer.executableURL = URL(filePath: "/bin/sh")
            writer.arguments = ["-c", "cat \"$1\" > \"$2\"", "sh", file.path, path]
            try writer.run()
            var options = RecordOptions()
            if isCopied {
                options.copy = try InputCopy(path: path, maximumSize: 10_000_000)
                for _ in 0..<2 {
                    #expect(
                        Reading(try openRecords(path: path, options: options)).values("name") == Self.names)
                }
            } else {
                #expect(!canBeReadAgain(path))
                #expect(Reading(try openRecords(path: path)).values("name") == Self.names)
            }
            writer.waitUntilExit()
        }
    }
}
