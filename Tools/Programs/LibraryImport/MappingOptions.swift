import ArgumentParser
import InternalUtilities
import RecordReading
import SectionedFetch
import ToolSupport

/// The options that map a file's columns to an entity.
struct MappingOptions: ParsableArguments {
    @Option(name: .customLong("mapping"), help: "A mapping file in the format that “propose” prints.")
    var mappingPath: String?

    @Option(help: "The entity of the rows. Without a mapping, the default is the file's name.")
    var entity: String?

    @Option(
        help: ArgumentHelp(
            "The attribute that identifies a row, or the name of its column.",
            discussion: """
                In every option, a column or property whose name has characters of the option's syntax, such as = : , or a \
                quotation mark, is written #"a=b", with a backslash before a quotation mark or a backslash: \
                --type '#"a=b"=string'.
                """))
    var key: String?

    @Flag(help: "The rows have no key: every row is inserted.")
    var noKey = false

    @Option(
        name: .customLong("relationship"),
        help:
            "A column with the name of a related object: COLUMN=ENTITY, or NAME:COLUMN=ENTITY.ATTRIBUTE. Repeatable."
    )
    var relationships: [String] = []

    @Option(name: .customLong("type"), help: "The type of a column: COLUMN=TYPE. Repeatable.")
    var types: [String] = []

    @Option(
        name: .customLong("no-value"),
        help: ArgumentHelp(
            "A word that means no value, in one column or in all: NA, or COLUMN=NA. Repeatable.",
            valueName: "word"))
    var noValues: [String] = []

    @Flag(help: "Remove blanks at both ends of all values.")
    var trim = false

    @Flag(help: "Read =\"0123\", which spreadsheets write to keep digits as text, as 0123.")
    var unquote = false

    @Option(
        name: .customLong("number-form"),
        help: ArgumentHelp(
            "The form of a column's numbers: the number 1234.5, or 1234, in that form: COLUMN=1.234,5. Repeatable.",
            valueName: "form"))
    var numberForms: [String] = []

    @Option(
        name: .customLong("date-form"),
        help: ArgumentHelp(
            "The pattern of a column's dates: COLUMN=dd.MM.yyyy, or COLUMN=MMM d, yyyy h:mm a. Repeatable.",
            valueName: "form"))
    var dateForms: [String] = []

    @Option(
        name: .customLong("boolean-form"),
        help: ArgumentHelp(
            "The words of a column for true and false: COLUMN=yes/no. Repeatable.", valueName: "form"))
    var booleanForms: [String] = []

    @Flag(
        name: .customLong("no-built-in"),
        help:
            "Propose a mapping for exports of Goodreads, LibraryThing and other known programs as for any other file, without the built-in mapping."
    )
    var noBuiltIn = false

    @Option(name: .customLong("ignore"), help: "A column that is not imported. Repeatable.")
    var ignored: [String] = []

    func validate() throws {
        if noKey, key != nil { throw ValidationError("--key and --no-key exclude each other.") }
        for text in relationships { _ = try Self.relationship(text, columns: []) }
        for text in types { _ = try Self.type(text) }
        for text in numberForms { _ = try Self.numberForm(text) }
        for text in dateForms { _ = try Self.dateForm(text) }
        for text in booleanForms { _ = try Self.booleanForm(text) }
    }

    /// Returns the mapping of the mapping file, or else of the entity in the store, or else a proposal, with
    /// the changes that the other options make.
    ///
    /// - Parameters:
    ///   - model: The store's model, or nil if the store does not exist.
    ///   - proposesForms: Whether the forms that texts of a column have are proposed, instead of named in
    ///     notes.
    ///   - arrays: The treatment of arrays. Nil relates their elements if the store's entity has a
    ///     relationship for them.
    ///   - note: Called with each note for the user.
    func mapping(
        file: String, reading: RecordOptions, model: ManagedObjectModel?, proposesForms: Bool,
        arrays: ArrayTreatment? = nil,
        note: (String) -> Void, progress: (Importer.Progress) -> Void = { _ in }
    ) throws -> Mapping {
        try mapping(
            of: InputRecords(inputs: [.init(file: file, options: reading)]), model: model,
            proposesForms: proposesForms, arrays: arrays, note: note, progress: progress)
    }

    /// Returns the mapping of files with the same kind of records, as for one file.
    ///
    /// - Parameter name: The entity of the rows if no option has it, or nil for the name of the first file.
    func mapping(
        of records: InputRecords, entity name: String? = nil, model: ManagedObjectModel?,
        proposesForms: Bool, arrays: ArrayTreatment?, note: (String) -> Void,
        progress: (Importer.Progress) -> Void
    ) throws -> Mapping {
        if let mappingPath {
            var mapping = try Mapping.read(path: mappingPath)
            if let entity { mapping.entity = entity }
            try change(&mapping, fieldNames: nil)
            return mapping
        }
        let file = records.inputs[0].file
        let name =
            try entity ?? name
            ?? InputFile.entityName(forFile: file, reading: records.inputs[0].options, in: model)
        let allNames = try records.allFieldNames { progress(.init($0, of: $1)) }
        let builtIn = try noBuiltIn ? nil : BuiltInMapping(records.open(), fieldNames: allNames)
        if let text = builtIn?.note { note(text) }
        if let known = model?.entity(named: name), let model {
            var named =
                try ignored.map(PropertyNames.name)
                + relationships.map { try Self.relationship($0, columns: allNames).column }
            named += builtIn?.relationships.map(\.column) ?? []
            var storedArrays: [String: StoredArray] = [:]
            if arrays != .text, try records.open() is any LateFieldReader {
                storedArrays = StoredArray.byColumn(allNames, of: known, in: model).filter {
                    !named.contains($0.key)
                }
                named += storedArrays.keys
            }
            var mapping = try Mapping(
                adopting: known, of: model, fieldNames: allNames, besides: named, note: note)
            builtIn?.apply(to: &mapping, of: known, fieldNames: allNames)
            try change(&mapping, fieldNames: allNames)
            try mapping.adoptArrays(
                storedArrays, opening: { try records.open(fieldNames: allNames) }, of: model, note: note)
            return mapping
        }
        let fieldNames = try namesThatFit(allNames, records, note: note)
        if fieldNames.count == 1, fieldNames[0].contains(where: { ",;|\t".contains($0) }) {
            note("The file has one column, “\(fieldNames[0])”. If it has several, pass --delimiter.")
        }
        func open() throws(RecordError) -> any RecordReader { try records.open(fieldNames: fieldNames) }
        let proposal = Proposal(try open(), entity: name)
        var mapping = proposal.mapping
        var typed = builtIn?.apply(to: &mapping, fieldNames: fieldNames) ?? []
        typed.formUnion(try change(&mapping, fieldNames: fieldNames, isProposal: true))
        // The options may have removed the attribute that was proposed as the key.
        if key == nil, !mapping.attributes.contains(where: { $0.name == mapping.key }) { mapping.key = nil }
        if proposesForms {
            if let hint = proposal.hint { note(hint) }
        } else {
            try proposal.requireRecords(of: file)
        }
        if arrays == .related {
            try mapping.relateArrays(opening: open, besides: typed, beside: model, note: note)
        }
        let isKeyProposed = mapping.key != nil && key == nil
        try mapping.chooseTypes(
            opening: open, keeping: typed, checkingKey: isKeyProposed,
            keyCandidates: mapping.key == nil && !noKey ? proposal.keyCandidates : [],
            appliesForms: proposesForms,
            note: note,
            progress: progress)
        return mapping
    }

    /// Returns the fields of a proposal: all fields, or those of the first records if a store cannot hold
    /// all.
    private func namesThatFit(
        _ allNames: [String], _ records: InputRecords, note: (String) -> Void
    ) throws(RecordError) -> [String] {
        guard allNames.count > Mapping.maximumPropertyCount else { return allNames }
        let names = try records.open().fieldNames
        let late = Set(allNames).subtracting(names)
        if !late.isEmpty {
            note(
                "The file has \(Quantity.count(allNames.count)) fields, more than a store holds, so fields that the first records do not have are left out: \(quotedList(allNames.filter(late.contains))). A mapping may choose others."
            )
        }
        return names
    }

    /// Applies the options and returns the names of the attributes whose type an option sets.
    ///
    /// - Parameter isProposal: Whether the types may be changed: those of a mapping file or of the store are
    ///   changed only by `--type`.
    @discardableResult
    private func change(
        _ mapping: inout Mapping, fieldNames: [String]?, isProposal: Bool = false
    ) throws -> Set<String> {
        let columns = fieldNames ?? mapping.columns
        let columnsOfNames = Dictionary(
            mapping.attributes.map { ($0.name, $0.column) }, uniquingKeysWith: { first, _ in first })
        /// Returns the column with the same bytes as the name, or else one that is canonically equivalent, or
        /// else one whose attribute has the name.
        func exact(_ name: String) -> ExactText {
            let name = ExactText(name)
            if columns.contains(where: { ExactText($0) == name }) { return name }
            return ExactText(
                columns.first { $0 == name.text } ?? columnsOfNames[name.text] ?? name.text)
        }
        func require(_ column: String, _ option: String) throws {
            // A mapping file need not use a column that a relationship or --ignore names.
            guard fieldNames != nil, !columns.contains(exact(column).text) else { return }
            throw ToolFailure(
                "\(option): the file has no column “\(column)”. \(NearestName.suggestion(for: column, among: columns))"
            )
        }
        var named: [String: String] = [:]
        for text in relationships {
            var relationship = try Self.relationship(text, columns: columns)
            if let other = named.updateValue(text, forKey: relationship.name.lowercased()) {
                throw ToolFailure(
                    "--relationship \(other) and --relationship \(text): both are called “\(relationship.name)”. Rename one with NAME:COLUMN=ENTITY."
                )
            }
            try require(relationship.column, "--relationship \(text)")
            let column = exact(relationship.column)
            relationship.column = column.text
            let others = Set(ignored.map { exact(PropertyNames.name($0)) } + [column])
            mapping.attributes.removeAll { others.contains(ExactText($0.column)) }
            if let other = mapping.attributes.first(where: {
                $0.name.lowercased() == relationship.name.lowercased()
            }) {
                throw ToolFailure(
                    "--relationship \(text): the column “\(other.column)” already becomes the attribute “\(other.name)”. Choose another name with NAME:COLUMN=ENTITY, or pass --ignore \"\(other.column)\"."
                )
            }
            mapping.relationships.removeAll { $0.name == relationship.name }
            mapping.relationships.append(relationship)
        }
        for column in ignored.map(PropertyNames.name) {
            try require(column, "--ignore \(column)")
            let exact = exact(column)
            mapping.attributes.removeAll { ExactText($0.column) == exact }
            mapping.relationships.removeAll { ExactText($0.column) == exact }
            mapping.ignored?.append(exact.text)
        }
        var typed: Set<String> = []
        var typedColumns: Set<ExactText> = []
        for text in types {
            let (column, type) = try Self.type(text)
            let exact = exact(column)
            guard typedColumns.insert(exact).inserted else {
                throw ToolFailure(
                    "--type \(text): another --type already sets the type of the column “\(column)”.")
            }
            guard let position = mapping.attributes.firstIndex(where: { ExactText($0.column) == exact })
            else {
                throw ToolFailure(
                    "--type \(text): no attribute has the column “\(column)”. \(NearestName.suggestion(for: column, among: mapping.attributes.map(\.column)))"
                )
            }
            mapping.attributes[position].type = type
            typed.insert(mapping.attributes[position].name)
        }
        typed.formUnion(
            try applyForms(to: &mapping, settingTypes: isProposal, besides: typed, exact: exact))
        if noKey { mapping.key = nil }
        if let key = key.map(PropertyNames.name) {
            // The name of the column is accepted if the attribute has another name.
            let attribute =
                mapping.attributes.first { $0.name == key } ?? mapping.attributes.first { $0.column == key }
            mapping.key = attribute?.name ?? key
        }
        return typed
    }

    /// Parses the value of `--relationship`.
    ///
    /// - Parameter columns: The columns of the file. Their names may contain the option's separators.
    private static func relationship(
        _ text: String, columns: [String]
    ) throws(ValidationError) -> Mapping.Relationship {
        let parts = parts(ofRelationship: text, columns: Set(columns))
        let right = PropertyNames.split(String(parts?.destination ?? ""), at: ".").map(PropertyNames.name)
        guard let (name, column, _) = parts, right.count <= 2, !right.contains("") else {
            throw ValidationError(
                "--relationship \(text): write COLUMN=ENTITY or NAME:COLUMN=ENTITY.ATTRIBUTE.")
        }
        let number = (columns.firstIndex(of: column) ?? 0) + 1
        let relationship = name ?? Mapping.relationshipName(forColumn: column, number: number)
        return Mapping.Relationship(
            name: relationship, column: column, entity: right[0],
            attribute: right.count == 2 ? right[1] : "name", inverse: Mapping.inverseName(of: relationship))
    }

    /// Splits a text at the longest column name that it begins with, or else at the longest one after a
    /// relationship's name.
    private static func parts(
        ofRelationship text: String, columns: Set<String>
    ) -> (name: String?, column: String, destination: Substring)? {
        if text.contains("#\""), let parts = quotedParts(ofRelationship: text) { return parts }
        let signs = text.indices.filter { text[$0] == "=" }
        func destination(_ sign: String.Index) -> Substring { text[text.index(after: sign)...] }
        for sign in signs.reversed() where columns.contains(String(text[..<sign])) {
            return (nil, String(text[..<sign]), destination(sign))
        }
        for sign in signs.reversed() {
            for colon in text[..<sign].indices where text[colon] == ":" && colon > text.startIndex {
                let column = String(text[text.index(after: colon)..<sign])
                if columns.contains(column) { return (String(text[..<colon]), column, destination(sign)) }
            }
        }
        // The caller reports a column that the file does not have.
        guard let sign = signs.first else { return nil }
        let left = text[..<sign].split(separator: ":", maxSplits: 1).map(String.init)
        return (left.count == 2 ? left[0] : nil, left.last ?? "", destination(sign))
    }

    /// Splits a text with quoted names at the signs outside the quotes; nil if it has no equals sign.
    private static func quotedParts(
        ofRelationship text: String
    ) -> (name: String?, column: String, destination: Substring)? {
        let sides = PropertyNames.split(text, at: "=")
        guard sides.count >= 2 else { return nil }
        let left = PropertyNames.split(sides[0], at: ":")
        let destination = Substring(sides.dropFirst().joined(separator: "="))
        guard left.count > 1, let name = left.first else {
            return (nil, PropertyNames.name(sides[0]), destination)
        }
        let column = left.dropFirst().joined(separator: ":")
        return (PropertyNames.name(name), PropertyNames.name(column), destination)
    }

    /// Splits a text at the equals sign after a quoted column, or else at its last one; nil if it has none.
    static func columnAndValue(_ text: String) -> (column: String, value: String)? {
        var rest = Substring(text)
        if let name = PropertyNames.takeQuotedName(from: &rest), rest.first == "=" {
            return (name, String(rest.dropFirst()))
        }
        guard let sign = text.lastIndex(of: "=") else { return nil }
        return (String(text[..<sign]), String(text[text.index(after: sign)...]))
    }

    private static func type(_ text: String) throws(ValidationError) -> (column: String, type: AttributeType)
    {
        guard let (column, name) = columnAndValue(text) else {
            throw ValidationError("--type \(text): write COLUMN=TYPE.")
        }
        guard let type = AttributeType(rawValue: name) else {
            let names = AttributeType.allCases.map(\.rawValue)
            throw ValidationError(
                "--type \(text): unknown type “\(name)”. \(NearestName.suggestion(for: name, among: names))"
            )
        }
        return (column, type)
    }
}
