import ToolSupport

extension ExportFormat {
    /// The paragraph of `--help`.
    static let discussion = """
        With --format, the rows are written as data, in the order of the request and in constant memory: all attributes and \
        to-one relationships, unless --columns names others. library-import reads them into equal objects. A related object is \
        written as the value of its only unique string attribute, by which library-import looks it up, or else as its key, which \
        library-import does not look up. To-many relationships are not written. Dates are in ISO 8601, decimals are texts, and \
        binary data is in Base64. In CSV and TSV, an empty field means no value, and \"\" means the empty text; library-import \
        reads both as the empty text in a string attribute, and as no value in an attribute of another type. Pass the same \
        --no-value WORD to both programs to distinguish them. No format can contain a NUL character, binary data of length 0, \
        which is read as no value, an infinite number, or a date outside the years 0 to 9999. CSV and TSV have no types: import \
        into a store with the same model, or name the types with --type.
        """
}
