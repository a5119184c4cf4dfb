import ArgumentParser
import Foundation
import InternalUtilities
import RecordReading
import SectionedFetch
import ToolSupport

extension ImportCommand {
    /// Returns the lists of records in a file: one, or the tables of a music library.
    ///
    /// - Throws: `RecordError` or ``ToolFailure`` if the file cannot be read, or an option does not fit it.
    func jobs(of file: String) throws -> [ImportJob] {
        let readsOnce = mappingOptions.mappingPath != nil
        let stored = try TargetStore(path: store, busyTimeout: opening.busyTimeout).model()
        let options = try InputFile.options(
            reading, for: file, readsOnce: readsOnce,
            arrays: reading.arrays ?? (stored?.hasArrays == true ? .related : nil),
            note: files.count > 1 ? { note("“\(InputFile.name(of: file))”: \($0)") } : note)
        let tables = try InputFile.tables(of: file, options: options)
        guard !tables.isEmpty, options.arrayPath == nil else {
            var entity =
                mappingOptions.entity ?? options.arrayPath.flatMap { tables.contains($0) ? $0 : nil }
            if files.count > 1, entity == nil {
                entity =
                    try mappingOptions.mappingPath.map { try Mapping.read(path: $0).entity }
                    ?? InputFile.entityName(forFile: file, reading: options, in: stored)
            }
            return [ImportJob(file: file, options: options, entity: entity)]
        }
        let name = try readsOnce ? Mapping.read(path: mappingOptions.mappingPath ?? "").entity : nil
        let chosen = mappingOptions.entity ?? name
        if let chosen, !tables.contains(chosen) {
            throw ToolFailure(
                "“\(InputFile.name(of: file))” has the tables \(quotedList(tables)), and “\(chosen)” is none of them. Choose one with --at."
            )
        }
        return tables.filter { chosen == nil || $0 == chosen }.map { table in
            var options = options
            options.arrayPath = table
            return ImportJob(file: file, options: options, entity: table)
        }
    }

    /// Imports several lists of records.
    ///
    /// - Parameter known: The lists of the only file, which may be a pipe, or nothing for several files.
    func runSeveral(_ known: [ImportJob]) throws {
        guard rejects == nil else {
            throw ToolFailure(
                "--rejects is for one file with one list of records. Import the files one by one, or leave out --rejects."
            )
        }
        var run = ImportRun(isStopping: onError == .stop || atomic)
        do {
            try importAll(known, &run)
        } catch {
            ImportProgress.clear()
            guard error is CancellationError else { throw failure(error) }
            try print(run)
            throw failure(error, whatStays: run.kept)
        }
        ImportProgress.clear()
        do {
            try print(run)
        } catch {
            LibraryImport.note("\(error.message) The total is: \(run.total.text(run.elapsed)).")
            throw ExitCode(max(run.status, ToolExit.unreportedImport))
        }
        if run.status != ToolExit.success { throw ExitCode(run.status) }
    }

    private func importAll(_ known: [ImportJob], _ run: inout ImportRun) throws {
        var jobs = known.isEmpty ? [] : [known]
        for file in files where known.isEmpty {
            do {
                jobs.append(try self.jobs(of: file))
            } catch {
                try fail(&run, file, nil, error)
                if run.isStopped { return }
            }
        }
        Interruption.begin(endingAtSecond: true)
        let target = TargetStore(
            path: store, busyTimeout: opening.busyTimeout, patience: opening.patience)
        let plan = try ImportPlan(jobs.flatMap { $0 }, beside: target.model()) { jobs, model in
            try mappingOptions.mapping(
                of: InputRecords(inputs: jobs.map { .init(file: $0.file, options: $0.options) }),
                entity: jobs[0].entity, model: model, proposesForms: false, arrays: reading.arrays,
                note: { note("\(ImportJob.names(of: jobs)): \($0)") }
            ) { _ in }
        }
        let all = jobs.flatMap { withoutEmptyTables($0, plan) }
        // In a dry run, each file meets the rows of those before it.
        if !all.isEmpty, atomic || dryRun { return try importTogether(all, plan, target, &run) }
        for job in all where !run.isStopped {
            if Interruption.signal != nil { throw CancellationError() }
            try importAlone(job, plan, &run)
        }
    }

    /// Returns the lists of records of a file without those of new entities that have no record, if others
    /// have one.
    private func withoutEmptyTables(_ jobs: [ImportJob], _ plan: ImportPlan) -> [ImportJob] {
        guard jobs.count > 1 else { return jobs }
        let empty = jobs.compactMap { job in
            job.entity.flatMap { plan.failures[$0] != nil && job.isEmpty ? $0 : nil }
        }
        guard !empty.isEmpty, empty.count < jobs.count else { return jobs }
        note(
            "“\(jobs[0].name)” has no records of \(quotedList(empty)), which \(empty.count == 1 ? "is" : "are") left out."
        )
        return jobs.filter { !empty.contains($0.entity ?? "") }
    }

    /// Imports a list of records in its own transactions.
    private func importAlone(_ job: ImportJob, _ plan: ImportPlan, _ run: inout ImportRun) throws {
        var outcome = ImportOutcome(file: job.name, entity: job.entity)
        var progress = ImportProgress()
        progress.isShown = !quiet
        let problems = ProblemReport()
        do {
            if let name = job.entity, let error = plan.failures[name] { throw error }
            var kept: ImportSummary?
            var restarts = 0
            var isDone = false
            while !isDone {
                let (importer, reader) = try prepared(
                    job, plan: plan, problems, show: { progress.show($0) }, stopped: { kept = $0 })
                defer { problems.finish() }
                do {
                    try importer.run()
                } catch let error as Importer.StoreChanged {
                    guard canRestart(job, &restarts) else { throw error.failure }
                    continue
                } catch {
                    outcome.summary = kept ?? outcome.summary
                    throw error
                }
                isDone = true
                (outcome.summary, outcome.preview) = (importer.summary, importer.preview)
                outcome.elapsed = progress.elapsed
                report(importer, reader, job, problems)
            }
        } catch {
            outcome.elapsed = progress.elapsed
            return try fail(&run, job.name, job.entity, error, outcome)
        }
        run.outcomes.append(outcome)
    }

    /// Imports lists of records in one transaction. In a dry run, only the rows of a list that fails are
    /// rolled back, unless a failure stops the run.
    private func importTogether(
        _ jobs: [ImportJob], _ plan: ImportPlan, _ target: TargetStore, _ run: inout ImportRun
    ) throws {
        // All files are open at once.
        FileDescriptors.allowAll()
        var current = jobs[0]
        var prepared: [Int: (importer: Importer, reader: any RecordReader, problems: ProblemReport)] = [:]
        let takesBack = dryRun && !run.isStopping
        var progress = ImportProgress()
        progress.isShown = !quiet
        var outcomes: [Int: ImportOutcome] = [:]
        do {
            let writer = TargetWriter(target, missingModel: plan.model)
            for (position, job) in jobs.enumerated() {
                current = job
                do {
                    if let name = job.entity, let error = plan.failures[name] { throw error }
                    let problems = ProblemReport()
                    let (importer, reader) = try self.prepared(
                        job, plan: plan, problems, writer: writer, show: { progress.show($0) },
                        stopped: { _ in })
                    prepared[position] = (importer, reader, problems)
                } catch {
                    guard takesBack, Interruption.signal == nil else { throw error }
                    outcomes[position] = failed(job.name, job.entity, error, after: outcomes[position - 1])
                }
            }
            func body(_ batch: BatchWriter) throws {
                for (position, job) in jobs.enumerated() {
                    guard let (importer, _, problems) = prepared[position] else { continue }
                    current = job
                    let begin = progress.elapsed
                    var outcome = ImportOutcome(file: job.name, entity: job.entity)
                    defer { problems.finish() }
                    do {
                        if takesBack {
                            try batch.takingBackFailures { try importer.run(in: batch) }
                        } else {
                            try importer.run(in: batch)
                        }
                        (outcome.summary, outcome.preview) = (importer.summary, importer.preview)
                    } catch {
                        guard takesBack, Interruption.signal == nil else { throw error }
                        outcome = failed(job.name, job.entity, error, after: outcomes[position - 1])
                    }
                    outcome.elapsed = progress.elapsed - begin
                    outcomes[position] = outcome
                }
            }
            if dryRun { try writer.tryOut(body) } else { try writer.write(body) }
        } catch {
            if Interruption.signal != nil { throw CancellationError() }
            return try fail(&run, current.name, current.entity, error)
        }
        ImportProgress.clear()
        for (position, job) in jobs.enumerated() {
            guard let (importer, reader, problems) = prepared[position] else { continue }
            report(importer, reader, job, problems)
        }
        run.outcomes += jobs.indices.compactMap { outcomes[$0] }
    }

    private func report(
        _ importer: Importer, _ reader: any RecordReader, _ job: ImportJob, _ problems: ProblemReport
    ) {
        noteForms(problems, of: job, importer.mapping)
        ImportProgress.clear()
        for text in importer.notes { note("“\(job.name)”: \(text)") }
        if let text = (reader as? NamedRecordReader)?.note { note("“\(job.name)”: \(text)") }
    }

    /// Reports the failure of a file, after which the next one is imported.
    ///
    /// - Throws: `CancellationError` after a signal.
    private func fail(
        _ run: inout ImportRun, _ file: String, _ entity: String?, _ error: any Error,
        _ outcome: ImportOutcome? = nil
    ) throws {
        if error is CancellationError { throw error }
        run.outcomes.append(failed(file, entity, error, outcome, after: run.outcomes.last))
        if run.isStopping {
            run.isStopped = true
            LibraryImport.note(
                atomic
                    ? "Nothing was imported." : "Stopped: the files after the failed one were not imported.")
        }
    }

    /// Reports the failure of a file, and returns its result.
    ///
    /// - Parameter last: The result before this one. Its failure is not reported twice, because the tables of
    ///   a damaged file fail for one reason.
    private func failed(
        _ file: String, _ entity: String?, _ error: any Error, _ outcome: ImportOutcome? = nil,
        after last: ImportOutcome?
    ) -> ImportOutcome {
        let text =
            switch error {
            case let error as RecordError: error.description
            case let error as ToolFailure: error.message
            case let error as ObjectStorageError: error.message
            default: Self.message(for: error)
            }
        if last?.failure != text { LibraryImport.note(text) }
        var outcome = outcome ?? ImportOutcome(file: InputFile.name(of: file), entity: entity)
        outcome.failure = text
        return outcome
    }

    private func print(_ run: ImportRun) throws(ToolFailure) {
        guard json || !quiet else { return }
        var output = StandardOutput()
        if json {
            output.write(JSONValue.array(run.outcomes.map { $0.json(dryRun: dryRun) }).text)
        } else {
            if dryRun { output.write("Dry run: nothing was written.\n") }
            for outcome in run.outcomes {
                output.write(TerminalText.escaped(outcome.line) + "\n")
                for line in outcome.preview?.lines ?? [] { output.write("  \(TerminalText.escaped(line))\n") }
            }
            output.write("Total: \(run.total.text(run.elapsed))\(run.failureText)\n")
        }
        try output.finish()
    }
}

/// The results of several imports.
struct ImportRun {
    /// Whether a failure stops the run.
    let isStopping: Bool
    var isStopped = false
    var outcomes: [ImportOutcome] = []
    private let begin = ContinuousClock.now

    init(isStopping: Bool) { self.isStopping = isStopping }

    /// The time since the first file.
    var elapsed: Duration { ContinuousClock.now - begin }

    /// The counts of all imports.
    var total: ImportSummary {
        outcomes.reduce(into: ImportSummary()) { $0.add($1.summary) }
    }

    /// The worst exit status.
    var status: Int32 { outcomes.map(\.status).max() ?? ToolExit.success }

    /// A sentence about the rows that stay in the store, or nil if there are none.
    var kept: String? {
        let rows = total.rows
        return rows > 0 ? "\(Quantity.count(rows, "row")) of the earlier files stay in the store." : nil
    }

    /// The number of failed files, for the end of the total.
    var failureText: String {
        let count = outcomes.count { $0.failure != nil }
        return count > 0 ? "; \(Quantity.count(count)) of \(Quantity.count(outcomes.count)) failed" : ""
    }
}
