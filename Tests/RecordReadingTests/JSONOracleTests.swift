import RecordReading
import CheckSupport
import Testing

@Suite(.enabled(if: Python.path != nil, "python3 is not on the search path"))
struct JSONOracleTests {
    /// Prints `bad`, or `name=value` for each field, sorted; `null` has no value.
    ///
    /// Python accepts more than JSON permits. The program also refuses NaN and Infinity, repeated keys,
    /// halves of surrogate pairs, and NUL.
    private static let program = """
        import json

        class Refused(Exception):
            pass

        def pairs(members):
            keys = [key for key, value in members]
            if len(set(keys)) < len(keys):
                raise Refused()
            return dict(members)

        def constant(name):
            raise Refused()

        class Number(str):
            pass

        def check(text):
            if "\\0" in text or any(0xD800 <= ord(character) < 0xE000 for character in text):
                raise Refused()
            return text.encode().hex()

        def flatten(name, value, fields):
            if isinstance(value, dict):
                for key, inner in value.items():
                    check(key)
                    flatten(key if name is None else name + "." + key, inner, fields)
                return
            if isinstance(value, list):
                for position, inner in enumerate(value):
                    flatten(name + "." + str(position), inner, fields)
                return
            if name in fields:
                raise Refused()
            if value is None:
                fields[name] = ""
            elif isinstance(value, bool):
                fields[name] = "=" + ("true" if value else "false").encode().hex()
            else:
                fields[name] = "=" + check(value)

        decoder = json.JSONDecoder(
            object_pairs_hook=pairs, parse_constant=constant, parse_int=Number, parse_float=Number)
        for data in inputs:
            try:
                value = decoder.decode(data.decode())
                if not isinstance(value, dict):
                    raise Refused()
                fields = {}
                flatten(None, value, fields)
                print(" ".join(sorted(check(name) + shown for name, shown in fields.items())))
            except (Refused, ValueError):
                print("bad")
        """

    private func read(_ bytes: [UInt8]) throws -> String {
        let reading = try Reading(json: bytes)
        guard reading.errors.isEmpty, reading.records.count == 1 else { return "bad" }
        return zip(reading.fieldNames, reading.records[0]).map { name, value in
            Python.hexadecimal(name.utf8) + (value.map { "=" + Python.hexadecimal($0.utf8) } ?? "")
        }.sorted().joined(separator: " ")
    }

    /// Returns a random object as text.
    private func document(using generator: inout SeededGenerator) -> String {
        func space() -> String { ["", "", "", " ", "\t", "\r", "  "].randomElement(using: &generator)! }
        func string() -> String {
            let pieces = [
                "a", "b", ".", "0", "é", "日", "😀", "\\n", "\\\"", "\\\\", "\\/", "\\u00e9", "\\uD83D\\uDE00",
                "\\u0001", "{", "]", ",",
            ]
            let count = Int.random(in: 0...4, using: &generator)
            return "\"" + (0..<count).map { _ in pieces.randomElement(using: &generator)! }.joined() + "\""
        }
        func value(_ depth: Int) -> String {
            switch Int.random(in: 0..<(depth > 3 ? 6 : 9), using: &generator) {
            case 0: return string()
            case 1: return ["true", "false", "null"].randomElement(using: &generator)!
            case 2: return String(Int.random(in: .min ... .max, using: &generator))
            case 3:
                return ["0", "-0", "1e400", "1.5E-7", "0.0", "98765432109876543210"].randomElement(
                    using: &generator)!
            case 4: return string()
            case 5: return String(Double.random(in: -1e6...1e6, using: &generator))
            case 6:
                let elements = (0..<Int.random(in: 0...3, using: &generator)).map { _ in
                    space() + value(depth + 1) + space()
                }
                return "[" + (elements.isEmpty ? space() : elements.joined(separator: ",")) + "]"
            default: return object(depth + 1)
            }
        }
        func object(_ depth: Int) -> String {
            let members = (0..<Int.random(in: 0...4, using: &generator)).map { _ in
                space() + string() + space() + ":" + space() + value(depth) + space()
            }
            return "{" + (members.isEmpty ? space() : members.joined(separator: ",")) + "}"
        }
        return object(0)
    }

    @Test func `intact and damaged documents are read as Python reads them`() throws {
        let seed = SeededGenerator.newSeed()
        var generator = SeededGenerator(seed: seed)
        let damage = Array("{}[],:\"\\ 0123456789.eE+-truefalsn/bu\u{1}\t".utf8)
        let inputs = (0..<10_000).map { number in
            var bytes = Array(document(using: &generator).utf8)
            for _ in 0..<(number % 3) where bytes.count > 1 {
                // The first byte stays, because it determines that the file is JSON.
                let position = Int.random(in: 1..<bytes.count, using: &generator)
                switch Int.random(in: 0..<3, using: &generator) {
                case 0: bytes[position] = damage.randomElement(using: &generator)!
                case 1: bytes.insert(damage.randomElement(using: &generator)!, at: position)
                default: bytes.remove(at: position)
                }
            }
            return bytes
        }
        let expected = try Python.run(Self.program, on: inputs)
        #expect(expected.count == inputs.count)
        for (input, expected) in zip(inputs, expected) {
            #expect(
                try read(input) == expected,
                "seed \(seed): \(String(decoding: input, as: UTF8.self).debugDescription)")
        }
        let badCount = expected.count { $0 == "bad" }
        #expect(badCount > 1_000 && badCount < 9_000, "both kinds must occur: \(badCount) were bad")
    }
}
