import ToolSupport

extension ExportFormat {
    /// The paragraph of `--help`.
    static let discussion = """
        With --format, the rows are written as data, in the order of the request and in constant memory, with all attributes and \
        relationships to one unless --columns names others; library-import reads them into equal objects. A related object is \
        written by its only unique text attribute, as library-import looks it up, or else by its key, which library-import does \
        not look up; relationships to many are not written. Dates are ISO 8601, decimals texts, bytes Base64. In CSV and TSV, no \
        value is an empty field, and the empty text \"\"; library-import reads both as the empty text of a string attribute, and as \
        no value of other types. With --no-value WORD here and there, all are kept apart. No format expresses a \
        NUL character, bytes of length 0, read as no value, an infinite number, or a date outside the years 0 to 9999. Types are not part of CSV: \
        import into the same model, or name them with --type.
        """
}
