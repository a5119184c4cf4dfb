import Foundation
import SectionedFetch
import ToolSupport

/// The results of a request, with the options for printing them.
struct Listing {
    let storePath: String
    let request: ListRequest
    let controller: FetchedResultsController<ManagedObject>
    let columns: [Column]
    /// The largest number of rows to print of a section.
    let numberOfRows: Int
    /// The name of the sections to print, or nil for all sections.
    let sectionName: String?
    /// Whether the properties of the entity are named, because no option of the request does.
    let describesProperties: Bool
    /// The directory of the caches, if it did not exist before the fetch.
    let missingDirectory: String?
    let beforeOpening: ContinuousClock.Instant

    /// All sections.
    var sections: SectionList<ManagedObject> {
        guard let sections = controller.sections else {
            preconditionFailure("The listing was created before the fetch.")
        }
        return sections
    }

    /// The number of subsections, or nil for sections of one level.
    ///
    /// - Complexity: O(*s*) in the number of sections.
    var numberOfSubsections: Int? {
        guard request.subgroup != nil else { return nil }
        return sections.reduce(0) { $0 + ($1.subsections?.count ?? 0) }
    }

    /// The displayed description of the request.
    var shownRequest: String { request.shownSummary(controller.managedObjectContext.container.model) }

    /// Returns the displayed name of a section.
    func shownName(of section: SectionInfo<ManagedObject>) -> String {
        request.shownName(of: section, in: controller.managedObjectContext.container)
    }

    /// Returns the positions of the sections to print: those with the requested displayed name, or else those
    /// with the requested `name`, or else those with the requested key.
    ///
    /// - Throws: ``ToolFailure`` with similar names if no section has the requested name.
    func sectionPositions() throws(ToolFailure) -> [Int] {
        guard let sectionName else { return Array(sections.indices) }
        let container = controller.managedObjectContext.container
        if sectionName.isEmpty {
            let empty = sections.indices.filter { request.name(of: sections[$0], in: container) == "" }
            if request.sectionKey != nil, !empty.isEmpty { return empty }
        }
        let found = sections.indices.filter { !sectionName.isEmpty && sections[$0].name == sectionName }
        let mayBeShownOtherwise = sectionName.components(separatedBy: ", ").contains {
            [ValueText.none, "true", "false"].contains($0) || ValueText.unquoted($0) != nil
        }
        let shown =
            mayBeShownOtherwise ? sections.indices.filter { shownName(of: sections[$0]) == sectionName } : []
        guard shown.isEmpty, found.isEmpty else { return shown.isEmpty ? found : shown }
        let form = SectionKeyForm(request, in: container)
        let wantedKey = sectionName.isEmpty ? ValueText.shown("") : sectionName
        let keyed = sections.indices.filter { form.text(of: sections[$0]) == wantedKey }
        guard keyed.isEmpty else { return keyed }
        guard request.sectionKey != nil else {
            throw ToolFailure(
                "There is no section “\(sectionName)”: the list is not grouped. Pass --group-by.")
        }
        let wanted = sectionName.lowercased()
        let near = sections.lazy.map(\.name).filter { name in
            let name = name.lowercased()
            return name.hasPrefix(wanted) || (!name.isEmpty && wanted.hasPrefix(name))
                || name.contains(wanted)
        }
        let names = near.prefix(5).map { "“\($0)”" }
        let hint =
            names.isEmpty ? firstNames : " Similar names: \(names.joined(separator: ", "))."
        throw ToolFailure(
            "There is no section “\(sectionName)” among the \(Quantity.count(sections.count)).\(hint) Omit --section to list all."
        )
    }

    /// A sentence with the names of the first sections, after a space; empty without sections.
    private var firstNames: String {
        guard !sections.isEmpty else { return "" }
        let names = sections.prefix(Self.numberOfNames).map { "“\(shownName(of: $0))”" }
        let rest = sections.count - names.count
        return " Sections: \(names.joined(separator: ", "))"
            + (rest > 0 ? ", and \(Quantity.count(rest)) more." : ".")
    }

    /// The number of sections that a message names.
    private static let numberOfNames = 10

    /// Returns the words for a look-up or the reason of a miss, with the directory if it did not exist.
    func described(_ words: String, _ lookup: CacheLookup) -> String {
        guard case .miss(.absent) = lookup, let missingDirectory else { return words }
        return "\(words): the directory “\(missingDirectory)” did not exist"
    }

    /// The result of the save after a miss. The program waits for the save, which would end with the process.
    enum SaveOutcome {
        case saved
        case notSaved(String)
    }

    /// Waits for the save that follows a miss, and checks that the entry is in the cache.
    ///
    /// - Returns: The outcome, or nil if nothing had to be saved.
    func finishSaving() throws(ObjectStorageError) -> SaveOutcome? {
        switch controller.cacheLookup {
        case .hit, nil: return nil
        case .miss, .advanced: break
        }
        guard controller.cacheStore.waitForWrites() else {
            let problem = controller.cacheStore.lastProblem
            return .notSaved(problem.map { "\($0)" } ?? "it took longer than ten seconds")
        }
        switch try controller.lookUpCache() {
        case .hit, .advanced, nil: return .saved
        case .miss(let reason): return .notSaved("\(controller.cacheStore.lastProblem ?? reason)")
        }
    }
}

/// The count and the first error of values that could not be read, for one report at the end.
struct UnreadableRows {
    private(set) var count = 0
    private(set) var first: ObjectStorageError?

    mutating func note(_ error: ObjectStorageError) {
        count += 1
        first = first ?? error
    }

    /// Throws if values could not be read.
    ///
    /// - Throws: ``ToolFinding`` with the number of values and the first error.
    func check(_ container: PersistentContainer) throws(ToolFinding) {
        guard let first = first.map(container.explained) else { return }
        throw ToolFinding(
            "\(Quantity.count(count, "value")) could not be read. First error: \(first.messageWithOption)")
    }
}
