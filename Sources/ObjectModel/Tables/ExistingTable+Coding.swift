extension ExistingTable: Codable {
    private enum CodingKeys: String, CodingKey {
        case name, primaryKey, columns, forms, links, orderColumns, entityColumn
    }

    /// Reads a description: `{"name": "songs", "primaryKey": "id", "columns": {"artist": "artist_id"}}`.
    ///
    /// - Parameter decoder: The decoder, usually of JSON.
    /// - Throws: `DecodingError` for a missing name or primary key, and for values of other types.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            name: try container.decode(String.self, forKey: .name),
            primaryKey: try container.decode(String.self, forKey: .primaryKey),
            columns: try container.decodeIfPresent([String: String].self, forKey: .columns) ?? [:],
            forms: try container.decodeIfPresent([String: Form].self, forKey: .forms) ?? [:],
            links: try container.decodeIfPresent([String: ExistingLinkTable].self, forKey: .links) ?? [:],
            orderColumns: try container.decodeIfPresent([String: String].self, forKey: .orderColumns) ?? [:],
            entityColumn: try container.decodeIfPresent(EntityColumn.self, forKey: .entityColumn))
    }

    /// Writes the members that are not empty.
    ///
    /// - Parameter encoder: The encoder, usually of JSON.
    /// - Throws: An error of the encoder.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(name, forKey: .name)
        try container.encode(primaryKey, forKey: .primaryKey)
        if !columns.isEmpty { try container.encode(columns, forKey: .columns) }
        if !forms.isEmpty { try container.encode(forms, forKey: .forms) }
        if !links.isEmpty { try container.encode(links, forKey: .links) }
        if !orderColumns.isEmpty { try container.encode(orderColumns, forKey: .orderColumns) }
        try container.encodeIfPresent(entityColumn, forKey: .entityColumn)
    }
}

extension ExistingTable: CustomStringConvertible {
    /// The table as readable text: `table songs by id`.
    public var description: String { "table \(name) by \(primaryKey)" }
}

extension ExistingLinkTable: CustomStringConvertible {
    /// The table as readable text: `playlist_track(playlist, track)`, with an order column after a semicolon.
    public var description: String {
        "\(name)(\(ownColumn), \(otherColumn)\(orderColumn.map { "; \($0)" } ?? ""))"
    }
}

extension ExistingTable {
    /// Appends everything that determines the meaning of the rows.
    package func encode(into encoder: inout CanonicalEncoder) {
        encoder.append("table")
        encoder.append(name)
        encoder.append(primaryKey)
        encoder.appendList(count: columns.count)
        for (property, column) in columns.sorted(by: { $0.key < $1.key }) {
            encoder.append(property)
            encoder.append(column)
        }
        encoder.appendList(count: forms.count)
        for (attribute, form) in forms.sorted(by: { $0.key < $1.key }) {
            encoder.append(attribute)
            encoder.append(form.rawValue)
            encoder.append(Form.version)
        }
        encoder.appendList(count: links.count)
        for (relationship, table) in links.sorted(by: { $0.key < $1.key }) {
            for text in [relationship, table.name, table.ownColumn, table.otherColumn] {
                encoder.append(text)
            }
            encoder.append(table.orderColumn ?? "")
        }
        // Encoded only if present, so that the digests of other tables keep their values.
        for (relationship, table) in links.sorted(by: { $0.key < $1.key }) {
            guard let column = table.inverseOrderColumn else { continue }
            for text in ["inverseOrderColumn", relationship, column] { encoder.append(text) }
        }
        for (relationship, column) in orderColumns.sorted(by: { $0.key < $1.key }) {
            for text in ["orderColumn", relationship, column] { encoder.append(text) }
        }
        rowRules?.encode(into: &encoder)
        guard let entityColumn else { return }
        encoder.append("entityColumn")
        encoder.append(entityColumn.name)
        encoder.appendList(count: entityColumn.numbers.count)
        for (entity, number) in entityColumn.numbers.sorted(by: { $0.key < $1.key }) {
            encoder.append(entity)
            encoder.append(number)
        }
    }
}
