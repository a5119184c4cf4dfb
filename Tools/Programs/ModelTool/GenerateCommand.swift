import ArgumentParser
import Foundation
import ModelReading
import ObjectStorage
import ToolSupport

/// `model-tool generate`: writes a Swift class for each entity of a model.
struct GenerateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "generate",
        abstract: "Writes a Swift class for each entity of a model, one file each.",
        discussion: """
            Every run writes equal files. Bind the classes to the model:

              let model = try ManagedObjectModel(dataModel: url, classes: [Song.self, Artist.self])

            The classes for a database are mapped to its tables, and their properties have names in Swift's style:

              let model = try ManagedObjectModel(types: Song.self, Artist.self)

            Properties that cannot be declared in Swift, and other parts of the model that the classes do not \
            express, are reported on standard error. A file that another program wrote is not replaced.
            """)

    @OptionGroup var model: ModelOptions

    @Option(help: "The directory for the files, which is created if it does not exist.")
    var output = "."

    @Option(name: .customLong("import"), help: "The module that the files import.")
    var module = "ObjectStorage"

    @Flag(name: .customLong("public"), help: "Make the classes and their properties public.")
    var isPublic = false

    @Flag(help: "Replace files that this program did not write.")
    var force = false

    @Flag(help: "Write nothing; end with status 1 if a file is missing or differs.")
    var check = false

    func validate() throws {
        guard SwiftName.isPlainIdentifier(module) else {
            throw ValidationError("“\(module)” is not the name of a module.")
        }
    }

    func run() throws {
        var (file, survey) = try model.read()
        // The mapping keeps the names of the columns, so properties may have names in Swift's style.
        if survey != nil { file = SwiftNaming(of: file.model).renamed }
        var generator = ClassGenerator(
            file, modelName: model.url.lastPathComponent, module: module, isPublic: isPublic)
        let classes = generator.classFiles()
        let folder = URL(filePath: output, directoryHint: .isDirectory)
        let differing = try classes.filter { try existingText(of: $0, in: folder) != $0.text }
        var lines: [String] = []
        if check {
            guard differing.isEmpty else {
                let names = differing.map { "“\($0.name)”" }.joined(separator: ", ")
                throw ToolFinding(
                    "Files in “\(output)” are missing or differ: \(names). Run the command without --check to write them."
                )
            }
        } else {
            try write(differing, to: folder)
        }
        for part in file.unsupportedParts { ModelTool.note("\(part)") }
        for table in survey?.tables ?? [] {
            if case .notTaken = table.role { ModelTool.note("\(table)") }
        }
        for note in generator.notes { ModelTool.note(note) }
        for file in classes { lines.append("\(file.name): \(file.summary)") }
        var output = StandardOutput()
        for line in lines { output.write(TerminalText.escaped(line) + "\n") }
        try output.finish()
        try model.checkSupport(of: file, survey)
    }

    /// Returns the text of a file that exists already; nil if it does not.
    ///
    /// - Throws: ``ToolFailure`` for a file that this program did not write, unless it may be replaced.
    private func existingText(of file: ClassFile, in folder: URL) throws -> String? {
        let url = folder.appending(path: file.name)
        guard let data = FileManager.default.contents(atPath: url.path) else {
            guard !FileManager.default.fileExists(atPath: url.path) else {
                throw ToolFailure("“\(url.path)” cannot be read. Give another directory with --output.")
            }
            return nil
        }
        let text = String(decoding: data, as: UTF8.self)
        guard force || check || text.hasPrefix(ClassFile.mark) else {
            throw ToolFailure(
                "“\(url.path)” was not written by model-tool. Give another directory with --output, or --force to replace it."
            )
        }
        return text
    }

    private func write(_ files: [ClassFile], to folder: URL) throws {
        do {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            for file in files {
                try Data(file.text.utf8).write(to: folder.appending(path: file.name), options: .atomic)
            }
        } catch {
            throw ToolFailure(
                "The classes cannot be written to “\(output)” (\(error.localizedDescription)). Check that the directory is writable."
            )
        }
    }
}
