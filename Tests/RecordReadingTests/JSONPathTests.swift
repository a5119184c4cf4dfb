import CheckSupport
import Foundation
import RecordReading
import Testing

/// Records in arrays inside other objects.
@Suite struct JSONPathTests {
    private func reading(_ text: String, at path: String?) throws -> Reading {
        let file = try TemporaryFile(text)
        return Reading(try JSONRecordReader(path: file.path, arrayPath: path))
    }

    @Test(
        arguments: [
            ("{\"x\": [1, {\"a\": 9}], \"items\": [{\"a\": \"1\"}, {\"a\": \"2\"}], \"y\": 1}", "items"),
            ("{\"data\": {\"more\": {}, \"items\": [{\"a\": \"1\"}, {\"a\": \"2\"}]}}", "data.items"),
            ("{\"data.items\": [{\"a\": \"1\"}, {\"a\": \"2\"}], \"data\": 3}", "data.items"),
            (
                "{\"pages\": [{\"items\": [{\"a\": \"1\"}]}, {\"x\": 1}, {\"items\": [{\"a\": \"2\"}]}]}",
                "pages.items"
            ),
            ("[{\"items\": [{\"a\": \"1\"}]}, {\"items\": [{\"a\": \"2\"}]}]", "items"),
            ("{\"items\": [{\"a\": \"1\"}]}\n{\"items\": [{\"a\": \"2\"}]}\n", "items"),
            ("[{\"item\": {\"a\": \"1\"}}, {\"n\": {\"a\": 7}, \"item\": {\"a\": \"2\"}}]", "item"),
            ("{\"k\": \"}]{[\\\"\", \"\\u0069tems\": [{\"a\": \"1\"}, {\"a\": \"2\"}]}", "items"),
        ])
    func `the records of a path are read`(text: String, path: String) throws {
        let reading = try reading(text, at: path)
        #expect(reading.errors.isEmpty)
        #expect(reading.values("a") == ["1", "2"])
    }

    @Test func `elements that are no objects are skipped and counted, and bad ones too`() throws {
        let reading = try reading(
            "{\"items\": [null, {\"a\": \"1\"},\n[], {\"a\": NaN}, 7,\n{\"a\": \"2\"}], \"x\": [{\"a\": 3}]}",
            at: "items")
        #expect(reading.values("a") == ["1", "2"])
        #expect(reading.errors.map(\.line) == [1, 2, 2, 2])
        #expect(reading.errors.allSatisfy { !$0.isFatal })
    }

    @Test(arguments: ["item", "items.a", "x.items", "Items"])
    func `a path that the file does not have is refused with those that it has`(path: String) throws {
        let text = "{\"items\": [{\"a\": \"1\"}], \"x\": {\"b\": 1}, \"y\": 2}"
        let file = try TemporaryFile(text)
        var options = RecordOptions()
        options.arrayPath = path
        let error = #expect(throws: RecordError.self) {
            let reader = try openRecords(path: file.path, options: options)
            while try reader.next() {}
        }
        guard case .noArray(path, _)? = error?.reason else {
            Issue.record("not \(String(describing: error))")
            return
        }
        #expect(error?.isFatal == true)
        if !path.contains(".") { #expect(error?.reason == .noArray(path, others: ["items", "x"])) }
    }

    @Test(arguments: [
        "{\"items\": [{\"a\": 1}", "{\"items\": [{\"a\": 1}]", "{\"items\": [{\"a\": 1}], \"x\": {\"y\": ",
    ])
    func `a file that ends early is an error, also after the array`(text: String) throws {
        let reading = try reading(text, at: "items")
        #expect(reading.values("a") == ["1"])
        #expect(reading.errors.map(\.isFatal) == [true])
    }

    @Test func `an array larger than many windows is read, without the fields of other arrays`()
        throws
    {
        let objects = (0..<40_000).map { "{\"a\": \"\($0)\", \"text\": \"some { text [ \($0)\"}" }
        let text =
            "{\"before\": [\(objects.joined(separator: ","))], \"items\": [\n\(objects.joined(separator: ",\n"))\n], \"after\": [{\"z\": 1}]}"
        #expect(text.utf8.count > 12 << 18)
        let reading = try reading(text, at: "items")
        #expect(reading.errors.isEmpty)
        #expect(reading.fieldNames == ["a", "text"])
        #expect(reading.values("a") == (0..<40_000).map { String($0) })
        #expect(reading.lines == Array(2...40_001))
    }

    @Test(.enabled(if: Python.path != nil, "python3 is not on the search path"))
    func `random documents give the records that Python finds`() throws {
        let seed = SeededGenerator.newSeed()
        var generator = SeededGenerator(seed: seed)
        func value(_ depth: Int) -> String {
            switch Int.random(in: 0..<(depth > 4 ? 3 : 8), using: &generator) {
            case 0: return "\"\(["p", "]", "}", "\\\"", "é"].randomElement(using: &generator)!)\""
            case 1: return ["null", "true", "12", "-1.5e3"].randomElement(using: &generator)!
            case 2: return String(Int.random(in: 0..<1_000, using: &generator))
            case 3, 4:
                let count = Int.random(in: 0...3, using: &generator)
                return "[" + (0..<count).map { _ in value(depth + 1) }.joined(separator: ", ") + "]"
            default:
                let names = ["p", "q", "r"].shuffled(using: &generator).prefix(
                    Int.random(in: 0...3, using: &generator))
                return "{" + names.map { "\"\($0)\": \(value(depth + 1))" }.joined(separator: ",\n") + "}"
            }
        }
        let program = """
            import json
            def walk(value, steps, element):
                if not steps:
                    if isinstance(value, dict):
                        yield value
                    elif isinstance(value, list) and not element:
                        for inner in value:
                            if isinstance(inner, dict):
                                yield inner
                elif isinstance(value, list):
                    for inner in value:
                        yield from walk(inner, steps, True)
                elif isinstance(value, dict):
                    for key, inner in value.items():
                        if key == steps[0]:
                            yield from walk(inner, steps[1:], False)
            for data in inputs:
                print(len(list(walk(json.loads(data), ["p", "q"], False))))
            """
        let documents = (0..<2_000).map { _ in "{\"p\": [\(value(1)), \(value(1))], \"q\": \(value(1))}" }
        let expected = try Python.run(program, on: documents.map { Array($0.utf8) })
        var total = 0
        for (document, expected) in zip(documents, expected) {
            var count = 0
            do {
                count = try reading(document, at: "p.q").records.count
            } catch let error as RecordError {
                guard case .noArray = error.reason else { throw error }
            }
            #expect("\(count)" == expected, "seed \(seed): \(document)")
            total += count
        }
        #expect(total > 500)
    }
}

/// Files that are one object with arrays.
@Suite struct JSONWrapperTests {
    @Test(
        arguments: [
            ("{\"version\": 1, \"books\": [{\"id\": 1}, {\"id\": 2}]}", ["books"]),
            (
                "{\n  \"books\": [{\"id\": 1}],\n \"data\": {\"authors\": [{\"id\": 2}], \"tags\": [1]}\n}\n",
                ["books", "data.authors"]
            ),
            ("{\"books\": [null, {\"id\": 1}, {\"id\"", ["books"]),
        ])
    func `a file that is one object with arrays of objects is refused with their paths`(
        text: String, paths: [String]
    ) throws {
        let file = try TemporaryFile(text)
        let error = #expect(throws: RecordError.self) { try openRecords(path: file.path) }
        #expect(error?.reason == .wrapper(paths))
        #expect(error?.isFatal == true)
        #expect(error?.description.contains("--at \(paths[0])") == true)
    }

    @Test(arguments: [
        "{\"id\": 1, \"books\": [{\"id\": 1}]}\n{\"id\": 2}\n", "{\"id\": 1, \"tags\": [1, 2]}",
        "{\"id\": 1, \"none\": [], \"a\": {\"b\": 1}}", "[{\"id\": 1, \"books\": [{\"id\": 1}]}]",
    ])
    func `other files are read`(text: String) throws {
        let file = try TemporaryFile(text)
        #expect(Reading(try openRecords(path: file.path)).errors.isEmpty)
    }

    @Test func `one line of a file that is called lines is a record`() throws {
        let text = "{\"id\": 1, \"books\": [{\"id\": 2}]}"
        for name in ["x.jsonl", "x.NDJSON"] {
            let file = try TemporaryFile(text, name: name)
            #expect(Reading(try openRecords(path: file.path)).values("id") == ["1"])
            let other = try TemporaryFile(text.replacing(", ", with: ",\n"), name: name)
            #expect(throws: RecordError.self) { try openRecords(path: other.path) }
        }
    }

    @Test func `the whole object is read with a dot as the path`() throws {
        let file = try TemporaryFile("{\"id\": 1, \"books\": [{\"id\": 2}]}")
        var options = RecordOptions()
        options.arrayPath = "."
        #expect(Reading(try openRecords(path: file.path, options: options)).values("id") == ["1"])
    }
}
