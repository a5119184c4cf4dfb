import Foundation
import InternalUtilities
import RecordReading
import SectionedFetch
import ToolSupport

extension ImportCommand {
    /// Returns an importer after all checks that do not need a row, so that a failing one creates nothing.
    ///
    /// - Parameters:
    ///   - plan: The entities that several files add to the store, or nil for one file.
    ///   - problems: The report to which the importer adds bad rows.
    ///   - writer: The writer of a transaction for several files, or nil for the file's own transactions.
    ///   - show: Called with the progress.
    ///   - stopped: Called with the counts if an error ends the import.
    func prepared(
        _ job: ImportJob, plan: ImportPlan? = nil, _ problems: ProblemReport, writer: TargetWriter? = nil,
        show: @escaping (Importer.Progress) -> Void, stopped: @escaping (ImportSummary) -> Void
    ) throws -> (Importer, any RecordReader) {
        let file = job.file
        // Among several files, a note names its file.
        func note(_ text: String) { self.note(plan == nil ? text : "“\(job.name)”: \(text)") }
        if let rejects { try RejectsFile.requireAbsence(rejects) }
        let target = TargetStore(
            path: store, busyTimeout: opening.busyTimeout, patience: opening.patience)
        let stored = try target.model()
        // In a transaction for several files, the store gets the entities of all.
        let isPlanned = writer != nil || job.entity.map { stored?.entity(named: $0) == nil } == true
        let model = isPlanned ? plan?.model ?? stored : stored
        var options = job.options
        var mapping = try mappingOptions.mapping(
            of: InputRecords(inputs: [.init(file: file, options: options)]), entity: job.entity,
            model: model, proposesForms: false, arrays: reading.arrays, note: note, progress: show)
        try mapping.requireKey()
        options.keepsText = rejects != nil
        if stored != nil, mapping.key == nil, !again {
            try refuseAgain(file, mapping, target: target, options: options)
        }
        var resume: ResumePoint?
        // One transaction for several files leaves no position from which to continue.
        if writer == nil, mapping.key == nil, file != InputFile.standardInput,
            InputFile.canBeReadAgain(file, options: options), options.copy == nil
        {
            resume = try ResumePoint(
                file, options: options, mapping: mapping, target: target, again: again)
        }
        if let records = resume?.start.records, records > 0 {
            note("Continuing the import of “\(file)” after \(Quantity.count(Int(records), "record")).")
        }
        let digest = ContentDigest()
        options.digest = digest
        let reader = try InputFile.open(file, options: options, for: mapping)
        if rejects != nil, (reader as? NamedRecordReader)?.hasSeparableRecords == false {
            throw ToolFailure(
                "“\(job.name)” is one XML document, of which no part can be imported alone, so --rejects cannot write its bad records. Leave out --rejects; bad records are listed with their lines."
            )
        }
        problems.rejects = rejects.map {
            RejectsFile(path: $0, entity: mapping.entity, frame: reader.frame, encoding: reading.encoding)
        }
        let known = model?.entity(named: mapping.entity)
        // In a format whose records name their fields, all records were scanned for the names, unless the
        // file can be read only once.
        let isLooked = reader is any LateFieldReader && InputFile.canBeReadAgain(file, options: options)
        if partial, mapping.key == nil {
            throw ToolFailure(
                "--partial changes existing rows, which are found by their key, but the mapping has no key. Pass --key."
            )
        }
        if let known, isLooked || partial && reader is CSVReader {
            mapping.leaveOut(besides: reader.fieldNames, of: known, partial: partial)
        }
        let layout = try RowLayout(mapping, fieldNames: reader.fieldNames)
        if let known, let model {
            try mapping.requireAgreement(with: known, of: model, whole: !isLooked, partial: partial)
            let absent = mapping.propertiesLeftOut(of: known)
            if partial, !absent.isEmpty {
                note("Existing rows keep their values of \(quotedList(absent)).")
            } else if isLooked, mapping.key != nil, !absent.isEmpty {
                note(
                    "No record of the file has a value for \(quotedList(absent)), so the rows get the default value or none."
                )
            }
        } else if let near = NearestName.nearest(
            to: mapping.entity, among: model?.entities.map(\.name) ?? [])
        {
            note("“\(mapping.entity)” becomes a new entity of the store, beside “\(near)”.")
        }
        if verbose { for text in mapping.descriptions { note(text) } }
        let isOwn = writer == nil
        // The rows of a continued import are beside those of its first part.
        let isAddition =
            mapping.key == nil && (resume?.start.records ?? 0) == 0
            && known.map { plan?.names.contains($0.name) != true } == true
        let planned = isPlanned ? plan?.model : nil
        let missing = try planned ?? mapping.model(beside: model)
        let importer = Importer(
            target: writer
                ?? TargetWriter(target, missingModel: missing) { [mapping] in try mapping.model(beside: $0) },
            mapping: mapping,
            reader: reader, layout: layout, file: InputFile.name(of: file),
            options: Importer.Options(
                stopsAtBadRow: onError == .stop, maximumErrors: maxErrors,
                batchSize: atomic || !isOwn ? .max : batchSize, maximumRows: maxRows,
                changePolicy: onChange, isPartial: partial,
                refusesAgain: mapping.key == nil && !again,
                notesInsertedRows: isAddition && !mappingOptions.noKey, isDryRun: dryRun,
                text: Importer.optionsText(Array(ProgramArguments.all.dropFirst()), besides: paths),
                start: resume?.start, recordedPosition: resume?.recorded,
                history: history.limit.map { Importer.History(limit: $0, source: resume?.start.source) },
                digest: digest, makesEntity: stored?.entity(named: mapping.entity) == nil),
            problems: problems, progress: show, stopped: stopped)
        return (importer, reader)
    }

    /// Refuses a file whose rows without a key the store has from an earlier import.
    private func refuseAgain(
        _ file: String, _ mapping: Mapping, target: TargetStore, options: RecordOptions
    ) throws {
        guard InputFile.canBeReadAgain(file, options: options) else { return }
        let records = try target.open().importRecords()
        guard records.contains(where: { $0.entityName == mapping.entity && $0.digest != nil }),
            let digest = try ContentDigest.text(path: file, options: options),
            let record = records.last(where: {
                $0.entityName == mapping.entity && $0.digest == digest && $0.undoneDate == nil
                    && $0.counts.rows > 0
            })
        else { return }
        throw Importer.failure(InputFile.name(of: file), importedBy: record, into: store)
    }
}
