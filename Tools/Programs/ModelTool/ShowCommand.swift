import ArgumentParser
import Foundation
import ModelReading
import ObjectStorage
import ToolSupport

/// `model-tool show`: lists the entities of a model, and the parts that the library does not support.
struct ShowCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract:
            "Lists the entities of a model or database, and the parts that the library does not support.")

    @OptionGroup var model: ModelOptions

    @Flag(help: "Print JSON.")
    var json = false

    func run() throws {
        let (file, survey) = try model.read()
        if let survey { return try show(survey, file) }
        let versions = try DataModel.versionNames(in: model.url)
        let report = ModelReport(file, name: model.url.lastPathComponent, versions: versions)
        try StandardOutput.print(asJSON: json, report.json, lines: report.lines)
        try model.checkSupport(of: file, nil)
    }

    private func show(_ survey: DatabaseSurvey, _ file: DataModel) throws {
        let report = SurveyReport(survey, path: model.url.lastPathComponent)
        try StandardOutput.print(asJSON: json, try report.json(), lines: try report.lines())
        try model.checkSupport(of: file, survey)
    }
}
