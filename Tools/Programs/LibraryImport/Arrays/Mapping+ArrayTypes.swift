import ArgumentParser
import RecordReading
import SectionedFetch
import ToolSupport

/// The treatment of JSON arrays.
enum ArrayTreatment: String, CaseIterable, ExpressibleByArgument {
    /// Their elements become objects of related entities.
    case related
    /// They are JSON texts.
    case text
}

extension Mapping {
    /// Replaces attributes of a proposal whose values are arrays by arrays of related objects.
    ///
    /// - Parameters:
    ///   - open: Opens the file at its beginning.
    ///   - typed: The attributes whose type an option sets. They stay attributes.
    ///   - model: The store's model, or nil if the store does not exist.
    ///   - note: Called with a sentence about the columns with arrays that stay texts.
    /// - Throws: `RecordError` if the file cannot be read.
    mutating func relateArrays(
        opening open: () throws -> any RecordReader, besides typed: Set<String>,
        beside model: ManagedObjectModel?, note: (String) -> Void
    ) throws {
        guard let reader = try open() as? any LateFieldReader else { return }
        let surveys = try ArraySurvey.surveys(of: nil, in: reader)
        let arrays = Set(reader.arrayFieldNames)
        let names = Self.arrayNames(forColumns: reader.fieldNames)
        var taken = Set([entity] + relationships.map(\.entity) + (model?.entities.map(\.name) ?? []))
        var found: [ArrayColumn] = []
        var texts: [String] = []
        for (column, name) in zip(reader.fieldNames, names) {
            // A field that an option maps otherwise stays as it is.
            guard arrays.contains(column),
                let attribute = attributes.first(where: { $0.column == column }), attribute.name != key,
                !typed.contains(attribute.name)
            else { continue }
            guard
                let array = surveys[column]?.mapping(column: column, name: name, of: entity, taken: &taken)
            else {
                texts.append(column)
                continue
            }
            found.append(array)
            attributes.removeAll { $0.column == column }
        }
        if !found.isEmpty { self.arrays = found }
        if !texts.isEmpty {
            note(
                "Arrays are imported as JSON text, because their elements are of several kinds, or arrays: \(quotedList(texts))."
            )
        }
    }

    /// Returns the names of relationships for columns with arrays: each once.
    static func arrayNames(forColumns columns: [String]) -> [String] {
        var taken: Set<String> = []
        return columns.enumerated().map { position, column in
            let name = relationshipName(forColumn: column, number: position + 1)
            var (result, number) = (name, 2)
            while !taken.insert(result.lowercased()).inserted {
                result = "\(name)_\(number)"
                number += 1
            }
            return result
        }
    }
}
