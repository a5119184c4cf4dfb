import RecordReading
import ToolSupport

extension ImportCommand {
    /// Writes a note for each column with invalid values of which all texts have a form that an option names.
    ///
    /// The file is read again for it.
    func noteForms(_ problems: ProblemReport, of job: ImportJob, _ mapping: Mapping) {
        let columns = problems.invalidColumns
        guard !quiet, !columns.isEmpty, Interruption.signal == nil,
            InputFile.canBeReadAgain(job.file, options: job.options)
        else { return }
        var progress = ImportProgress()
        progress.isShown = !quiet
        // The import has reported a file that cannot be read.
        let hints = try? mapping.formHints(
            InputFile.open(job.file, options: job.options, for: mapping), columns: columns,
            progress: { progress.show($0) })
        ImportProgress.clear()
        for hint in hints ?? [] { note(files.count > 1 ? "“\(job.name)”: \(hint)" : hint) }
    }
}
