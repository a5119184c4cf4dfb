import Foundation
import RecordReading

/// The rules for all readers of records that name their fields.
struct NamedFormatCheck {
    private let folder: ScratchFolder

    init() throws { folder = try ScratchFolder() }

    /// A record as names and values, or the error of a bad one.
    private enum Item: Equatable {
        case record([String: [UInt8]])
        case error(RecordError)
    }

    /// Reads a file in several ways.
    ///
    /// - Returns: Whether the file has the format and no bad records.
    /// - Throws: ``FuzzFinding`` if the ways differ, or a record breaks a rule.
    func run(_ input: [UInt8], changing change: (inout RecordOptions) -> Void = { _ in }) throws -> Bool {
        let path = try folder.write(input, to: "input")
        var options = RecordOptions()
        change(&options)
        guard let first = read(path, options, names: nil) else { return false }
        options.keepsText = true
        let names: [String]
        do {
            names = try allFieldNames(path: path, options: options)
        } catch {
            throw FuzzFinding("the names cannot be read, but the records can: \(error)")
        }
        guard Set(names.map { Array($0.utf8) }).count == names.count, names.count <= RecordLimits.fieldCount
        else { throw FuzzFinding("the names are too many, or two are equal") }
        let again = read(path, options, names: names) ?? []
        guard again == first else {
            let position = zip(again, first).enumerated().first { $1.0 != $1.1 }?.offset
            throw FuzzFinding(
                "with names, or with their texts, the records are others: \(position.map { "\(again[$0]) instead of \(first[$0])" } ?? "\(again.count) instead of \(first.count)")"
            )
        }
        let lines = 1 + input.count { $0 == 0x0A || $0 == 0x0D || $0 == 0x1D }
        var isGood = true
        for item in first {
            switch item {
            case .error(let error):
                isGood = false
                guard (0...lines).contains(error.line) else {
                    throw FuzzFinding("the error is outside the file: \(error)")
                }
            case .record(let fields):
                for value in fields.values {
                    guard value.count <= RecordLimits.fieldSize, !value.contains(0),
                        String(validating: value, as: UTF8.self) != nil
                    else { throw FuzzFinding("a value is too large or is not text") }
                }
            }
        }
        return isGood
    }

    /// Returns all records and errors, or nil for a file of another format.
    private func read(_ path: String, _ options: RecordOptions, names: [String]?) -> [Item]? {
        guard let reader = try? openRecords(path: path, options: options, fieldNames: names),
            reader is NamedRecordReader
        else { return nil }
        var items: [Item] = []
        while true {
            do throws(RecordError) {
                guard try reader.next() else { return items }
                var fields: [String: [UInt8]] = [:]
                for (position, name) in reader.fieldNames.enumerated() {
                    reader.lendBytes(ofField: position) { bytes in
                        if let bytes { fields[name] = Array(bytes) }
                    }
                }
                items.append(.record(fields))
            } catch {
                items.append(.error(error))
                if error.isFatal { return items }
            }
        }
    }
}
