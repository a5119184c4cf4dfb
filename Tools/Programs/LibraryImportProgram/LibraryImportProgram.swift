import LibraryImport

/// The program `library-import`. Its commands are a library, so that verification programs run them as well.
@main
enum LibraryImportProgram {
    static func main() { LibraryImport.main() }
}
