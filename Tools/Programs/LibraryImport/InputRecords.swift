import RecordReading

/// The files whose records become rows of one entity: one file, or several of which the entity must hold all.
struct InputRecords {
    /// A file with the options for reading it.
    struct Input {
        /// The path of the file.
        let file: String
        /// The options for reading it, with the results of examining it.
        let options: RecordOptions
    }

    let inputs: [Input]

    /// Opens the files at their beginning.
    ///
    /// - Parameter fieldNames: The names of the fields if they are known.
    func open(fieldNames: [String]? = nil) throws(RecordError) -> any RecordReader {
        guard inputs.count > 1 else {
            return try openRecords(
                path: inputs[0].file, options: inputs[0].options, fieldNames: fieldNames)
        }
        return JoinedReader(inputs, fieldNames: fieldNames)
    }

    /// Returns the names of all fields of the files.
    func allFieldNames(progress: (Int, any RecordReader) -> Void) throws(RecordError) -> [String] {
        guard inputs.count > 1 else {
            return try RecordReading.allFieldNames(
                path: inputs[0].file, options: inputs[0].options, progress: progress)
        }
        var names: [String] = []
        var seen: Set<ExactText> = []
        for input in inputs {
            // The import of a file that cannot be read reports it.
            let found = try? RecordReading.allFieldNames(
                path: input.file, options: input.options, progress: progress)
            for name in found ?? [] where seen.insert(ExactText(name)).inserted { names.append(name) }
        }
        return names
    }
}

/// The records of several files, one file after the other.
///
/// A file that cannot be read, or that cannot be read further, is left out: its own import reports that.
final class JoinedReader: LateFieldReader {
    /// The files that follow, in reverse order.
    private var inputs: [InputRecords.Input]
    private var current: (any RecordReader)?
    /// For each field, its position in the current file, or nil.
    private var positions: [Int?] = []
    /// The fields that are arrays in a file that was read.
    private var arrayNames: Set<String> = []
    private(set) var fieldNames: [String]

    /// Creates a reader.
    ///
    /// - Parameter names: The names of all fields, or nil for those of the first records of each file.
    init(_ inputs: [InputRecords.Input], fieldNames names: [String]?) {
        self.inputs = inputs.reversed()
        fieldNames = names ?? []
        guard names == nil else { return }
        var seen: Set<ExactText> = []
        for input in inputs {
            guard let reader = Self.open(input, nil) else { continue }
            for name in reader.fieldNames where seen.insert(ExactText(name)).inserted {
                fieldNames.append(name)
            }
        }
    }

    /// Opens a file, or returns nil if it cannot be opened.
    private static func open(_ input: InputRecords.Input, _ fieldNames: [String]?) -> (any RecordReader)? {
        do throws(RecordError) {
            return try openRecords(path: input.file, options: input.options, fieldNames: fieldNames)
        } catch {
            return nil
        }
    }

    var line: Int { current?.line ?? 0 }
    var byteOffset: Int { current?.byteOffset ?? 0 }
    var byteCount: Int { current?.byteCount ?? 0 }
    var frame: RecordFrame { preconditionFailure("Several files have no frame in common.") }

    func next() throws(RecordError) -> Bool {
        while true {
            if current == nil {
                guard let input = inputs.popLast() else { return false }
                // The names are those of all files, so a file of CSV keeps its own.
                current = Self.open(input, fieldNames)
                var places: [ExactText: Int] = [:]
                for (place, name) in (current?.fieldNames ?? []).enumerated() {
                    places[ExactText(name)] = place
                }
                positions = fieldNames.map { places[ExactText($0)] }
                continue
            }
            if try readCurrent() { return true }
            arrayNames.formUnion((current as? any LateFieldReader)?.arrayFieldNames ?? [])
            current = nil
        }
    }

    /// Reads the next record of the current file, and returns false at its end or after a fatal error.
    private func readCurrent() throws(RecordError) -> Bool {
        guard let current else { return false }
        do throws(RecordError) {
            return try current.next()
        } catch {
            if error.isFatal { return false }
            throw error
        }
    }

    func hasField(_ field: Int) -> Bool {
        positions[field].map { current?.hasField($0) == true } ?? false
    }

    func lendRecord(to body: (UnsafeRawBufferPointer?) -> Void) { body(nil) }

    func lendBytes(ofField field: Int, to body: (UnsafeRawBufferPointer?) -> Void) {
        guard let position = positions[field], let current else { return body(nil) }
        current.lendBytes(ofField: position, to: body)
    }

    func kind(ofField field: Int) -> FieldKind {
        positions[field].flatMap { current?.kind(ofField: $0) } ?? .untyped
    }

    var arrayFieldNames: [String] { fieldNames.filter(arrayNames.contains) }

    func refuseOtherNames() {}

    func addNamesOfRest(progress: (Int, any RecordReader) -> Void) {}
}
