import RecordReading

extension ReadingOptions {
    /// Returns a sentence about the options that have no effect on a file, or nil if all have one.
    ///
    /// - Parameter reader: A reader of the file.
    func unusedNote(for reader: any RecordReader, of file: String) -> String? {
        let (format, used) = Self.usedOptions(reader)
        let unused = given.filter { !used.contains($0) }
        guard !unused.isEmpty else { return nil }
        return
            "\(unused.joined(separator: ", ")) \(unused.count == 1 ? "has" : "have") no effect, because “\(file)” is \(format)."
    }

    /// The options for one format or for some formats that were passed.
    private var given: [String] {
        let options: [(name: String, isGiven: Bool)] = [
            ("--skip-lines", skipLines > 0), ("--header-line", headerLine != nil), ("--no-header", noHeader),
            ("--columns", !columns.isEmpty), ("--comment", comment != nil), ("--skip-footer", skipFooter > 0),
            ("--number-columns", numberColumns), ("--number-elements", numberElements),
            ("--arrays", arrays != nil), ("--repair", repair), ("--map-path", !movedFolders.isEmpty),
        ]
        return options.filter(\.isGiven).map(\.name)
    }

    /// Returns the name of a reader's format, and those of the options above that have an effect on it.
    private static func usedOptions(_ reader: any RecordReader) -> (format: String, options: Set<String>) {
        switch reader {
        case is CSVReader:
            return (
                "CSV",
                [
                    "--skip-lines", "--header-line", "--no-header", "--columns", "--comment", "--skip-footer",
                    "--number-columns",
                ]
            )
        case let reader as NamedRecordReader:
            let options: Set<String> =
                switch reader.format {
                case .musicLibrary: ["--repair", "--map-path"]
                case .outline: ["--repair"]
                case .marcXML: ["--repair", "--columns", "--number-elements"]
                case .marc: ["--columns", "--number-elements"]
                case .ris: ["--number-elements"]
                case .bibTeX: []
                }
            return (reader.format.rawValue, options)
        default: return ("JSON", ["--number-elements", "--arrays"])
        }
    }

    /// Returns a sentence about a file that is read as CSV because of `--delimiter` and looks like another
    /// format, or nil.
    func delimiterNote(for path: String, options: RecordOptions) -> String? {
        guard delimiter != nil, InputFile.canBeReadAgain(path, options: options) else { return nil }
        var options = options
        options.delimiter = nil
        guard let reader = try? openRecords(path: path, options: options), !(reader is CSVReader),
            (try? reader.next()) == true
        else { return nil }
        let format = Self.usedOptions(reader).format
        return
            "“\(InputFile.name(of: path))” looks like \(format), and is read as CSV because of --delimiter."
    }
}
