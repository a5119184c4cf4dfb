import RecordReading
import SectionedFetch

/// The elements of all arrays of a column: their kinds, the members of objects, and the types of values.
final class ArraySurvey {
    /// The nesting depth up to which elements of arrays become objects. Deeper arrays are JSON texts.
    private static let maximumDepth = 4

    private let depth: Int
    private var kinds: Set<ArrayElements.Kind> = []
    /// Whether a value is not an array.
    private var hasOthers = false
    /// The members of elements that are objects.
    private var names: [String] = []
    /// The types of elements that are values.
    private var valueTypes = TypeCandidates()
    private var types: [String: TypeCandidates] = [:]
    private var nested: [String: ArraySurvey] = [:]
    /// The members that have other values than arrays.
    private var plain: Set<String> = []

    /// Creates a survey.
    ///
    /// - Parameter depth: The number of arrays around those of the column.
    init(depth: Int = 0) { self.depth = depth }

    /// Whether the elements can become objects.
    private var isRelated: Bool { !hasOthers && kinds.count == 1 && !kinds.contains(.mixed) }
    /// Whether all elements are objects.
    var hasOnlyObjects: Bool { kinds == [.objects] }
    /// The members of elements that are objects.
    var members: [String] { names }

    /// Returns the survey of a member's arrays, or nil if it has none.
    func survey(ofMember name: String) -> ArraySurvey? { nested[name] }

    /// Reads a file, and returns the surveys of columns.
    ///
    /// - Parameter columns: The names of the columns; nil for all.
    /// - Throws: `RecordError` if the file cannot be read further.
    static func surveys(
        of columns: Set<String>?, in reader: any RecordReader
    ) throws -> [String: ArraySurvey] {
        let fields = reader.fieldNames.indices.filter { columns?.contains(reader.fieldNames[$0]) ?? true }
        let surveys = fields.map { (field: $0, survey: ArraySurvey()) }
        while true {
            do {
                guard try reader.next() else { break }
            } catch {
                if error.isFatal { throw error }
                continue
            }
            for (field, survey) in surveys {
                reader.lendBytes(ofField: field) { bytes in
                    if let bytes { survey.add(bytes) }
                }
            }
        }
        return Dictionary(
            uniqueKeysWithValues: surveys.map { (reader.fieldNames[$0.field], $0.survey) })
    }

    /// Adds the text of a field.
    func add(_ text: UnsafeRawBufferPointer) {
        guard let ranges = ArrayElements.ranges(in: text) else {
            hasOthers = true
            return
        }
        let kind = ArrayElements.kind(of: ranges, in: text)
        guard kind != .none else { return }
        kinds.insert(kind)
        guard kind != .mixed else { return }
        do {
            let reader = try ArrayElements.reader(text, kind)
            while try reader.next() {
                if kind == .objects { addMembers(of: reader) } else { addValue(of: reader) }
            }
        } catch {
            // The text only looks like an array.
            hasOthers = true
        }
    }

    private func addValue(of reader: JSONRecordReader) {
        reader.lendBytes(ofField: 0) { bytes in
            if let bytes, !bytes.isEmpty { valueTypes.add(bytes, kind: reader.kind(ofField: 0)) }
        }
    }

    /// Adds the current record of a reader of elements.
    private func addMembers(of reader: JSONRecordReader) {
        for (field, name) in reader.fieldNames.enumerated() {
            if types[name] == nil {
                names.append(name)
                types[name] = TypeCandidates()
            }
            reader.lendBytes(ofField: field) { bytes in
                guard let bytes, !bytes.isEmpty else { return }
                let kind = reader.kind(ofField: field)
                if kind == .text, depth + 1 < Self.maximumDepth, ArrayElements.ranges(in: bytes) != nil {
                    let survey = nested[name] ?? ArraySurvey(depth: depth + 1)
                    nested[name] = survey
                    survey.add(bytes)
                } else {
                    plain.insert(name)
                }
                types[name]?.add(bytes, kind: kind)
            }
        }
    }

    /// Returns the mapping of the column to new entities, or nil if its elements stay texts: if they are of
    /// several kinds, or arrays.
    ///
    /// - Parameters:
    ///   - name: The name of the relationship to the elements.
    ///   - taken: The names of entities, to which those of the arrays are added.
    func mapping(
        column: String, name relationship: String, of parent: String, taken: inout Set<String>
    ) -> Mapping.ArrayColumn? {
        guard isRelated, let kind = kinds.first else { return nil }
        let attributeNames = Mapping.attributeNames(forColumns: kind == .values ? ["name"] : names)
        let parentName = parent.prefix(1).lowercased() + parent.dropFirst()
        func free(_ name: String) -> String {
            let taken = attributeNames.map { $0.lowercased() }
            var (result, number) = (name, 2)
            while taken.contains(result.lowercased()) {
                result = "\(name)_\(number)"
                number += 1
            }
            return result
        }
        let entity = Self.entityName(column, of: parent, &taken)
        var array = Mapping.ArrayColumn(
            name: relationship, column: column, entity: entity, inverse: free(parentName),
            position: free("position"),
            elements: kind == .values ? .values : .objects, attributes: [])
        if kind == .values {
            array.attributes = [
                Mapping.Attribute(name: "name", column: ArrayElements.valueName, type: valueTypes.type)
            ]
            return array
        }
        let relationships = Mapping.arrayNames(forColumns: names)
        for (position, name) in names.enumerated() {
            if !plain.contains(name), let survey = nested[name],
                let inner = survey.mapping(
                    column: name, name: relationships[position], of: entity, taken: &taken)
            {
                array.arrays = array.nested + [inner]
                continue
            }
            array.attributes.append(
                Mapping.Attribute(
                    name: attributeNames[position], column: name, type: types[name]?.type ?? .string))
        }
        return array
    }

    private static func entityName(
        _ column: String, of parent: String, _ taken: inout Set<String>
    ) -> String {
        let name = Mapping.entityName(forFile: column.replacing(".", with: "_"))
        for candidate in [name, "\(parent)_\(name)"] where taken.insert(candidate).inserted {
            return candidate
        }
        var number = 2
        while !taken.insert("\(parent)_\(name)_\(number)").inserted { number += 1 }
        return "\(parent)_\(name)_\(number)"
    }
}
