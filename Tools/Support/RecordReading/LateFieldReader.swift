/// A reader of a format whose records name their fields, so that a late record may have a field that the
/// first ones do not have.
public protocol LateFieldReader: RecordReader {
    /// Treats each record with a field that is not in ``RecordReader/fieldNames`` as an error.
    func refuseOtherNames()

    /// Reads the rest of the file and adds the names of its fields.
    ///
    /// Errors are ignored, because the later reading of the records reports them.
    ///
    /// - Parameter progress: Called after each thousand records with their number.
    func addNamesOfRest(progress: (Int, any RecordReader) -> Void)

    /// The names of the fields that are the JSON text of an array in a record read so far.
    var arrayFieldNames: [String] { get }
}

extension LateFieldReader {
    /// No names: the format has no arrays.
    public var arrayFieldNames: [String] { [] }
}
