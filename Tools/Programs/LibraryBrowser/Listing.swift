import SectionedFetch
import ToolSupport

/// The results of a request and how they are to be printed.
struct Listing {
    let storePath: String
    let request: ListRequest
    let controller: FetchedResultsController<ManagedObject>
    let columns: [Column]
    /// The most rows to print of a section.
    let numberOfRows: Int
    /// The name of the only sections to print, or nil for all.
    let sectionName: String?
    let beforeOpening: ContinuousClock.Instant

    /// All sections.
    var sections: SectionList<ManagedObject> {
        guard let sections = controller.sections else {
            preconditionFailure("The listing was made before the fetch.")
        }
        return sections
    }

    /// What a section is called for people.
    func shownName(of section: SectionInfo<ManagedObject>) -> String {
        request.shownName(of: section, in: controller.managedObjectContext.container)
    }

    /// The positions of the sections to print: those that are shown under the name that was asked for, else
    /// those that have it.
    ///
    /// - Throws: ``ToolFailure`` if a section was asked for that is not there, with names that are like it.
    func sectionPositions() throws(ToolFailure) -> [Int] {
        guard let sectionName else { return Array(sections.indices) }
        let found = sections.indices.filter { sections[$0].name == sectionName }
        let mayBeShownOtherwise = sectionName == ValueText.none || ValueText.unquoted(sectionName) != nil
        let shown =
            mayBeShownOtherwise ? sections.indices.filter { shownName(of: sections[$0]) == sectionName } : []
        guard shown.isEmpty, found.isEmpty else { return shown.isEmpty ? found : shown }
        let wanted = sectionName.lowercased()
        let near = sections.lazy.map(\.name).filter { name in
            let name = name.lowercased()
            return name.hasPrefix(wanted) || (!name.isEmpty && wanted.hasPrefix(name))
                || name.contains(wanted)
        }
        let names = near.prefix(5).map { "“\($0)”" }
        let hint = names.isEmpty ? "" : " There are \(names.joined(separator: ", "))."
        guard request.sectionKey != nil else {
            throw ToolFailure(
                "There is no section “\(sectionName)”, because nothing is grouped. Give --group-by.")
        }
        throw ToolFailure(
            "There is no section “\(sectionName)” among the \(Quantity.count(sections.count)).\(hint) Without --section all are listed."
        )
    }

    /// What happened to the cache after a miss. The save must be waited for, because nothing is saved after
    /// the process ends.
    enum SaveOutcome {
        case saved
        case notSaved(String)
    }

    /// Waits for the save that follows a miss and looks whether it is there.
    ///
    /// - Returns: Nil where there was nothing to save.
    func finishSaving() throws(ObjectStorageError) -> SaveOutcome? {
        switch controller.cacheLookup {
        case .hit, nil: return nil
        case .miss, .advanced: break
        }
        guard controller.cacheStore.waitForSaves() else {
            let problem = controller.cacheStore.lastProblem
            return .notSaved(problem.map { "\($0)" } ?? "it took longer than ten seconds")
        }
        switch try controller.lookUpCache() {
        case .hit, .advanced, nil: return .saved
        case .miss(let reason): return .notSaved("\(controller.cacheStore.lastProblem ?? reason)")
        }
    }
}

/// The rows that could not be read, to be reported once.
struct UnreadableRows {
    private(set) var count = 0
    private(set) var first: ObjectStorageError?

    mutating func note(_ error: ObjectStorageError) {
        count += 1
        first = first ?? error
    }

    /// - Throws: ``ToolFinding`` if there were some.
    func check(_ container: PersistentContainer) throws(ToolFinding) {
        guard let first = first.map(container.explained) else { return }
        throw ToolFinding(
            "\(Quantity.count(count, "value")) could not be read. The first: \(first.messageWithOption)")
    }
}
