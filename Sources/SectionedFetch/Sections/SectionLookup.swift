import InternalUtilities
import SectionCaching

/// The positions of sections by name and by identity. The tables are built at the first look-up.
final class SectionLookup: Sendable {
    private struct Tables {
        var byName: [String: Int] = [:]
        var byIdentity: [[UInt8]: Int] = [:]
    }

    private let sections: ShownSections
    private let tables = LockedValue<Tables?>(nil)

    init(_ sections: ShownSections) { self.sections = sections }

    /// Returns the position of the first section with a name, or nil if no section has it.
    ///
    /// - Complexity: O(1) on average; O(*s*) in the number of sections for the first look-up.
    func position(ofName name: String) -> Int? { built().byName[name] }

    /// Returns the position of the section with an identity, or nil if no section has it.
    ///
    /// - Complexity: As ``position(ofName:)``.
    func position(ofIdentity identity: [UInt8]) -> Int? { built().byIdentity[identity] }

    private func built() -> Tables {
        tables.withLock { tables in
            if let tables { return tables }
            var built = Tables()
            for position in 0..<sections.count {
                let section = sections.section(at: position)
                if built.byName[section.name] == nil { built.byName[section.name] = position }
                built.byIdentity[section.identity] = position
            }
            tables = built
            return built
        }
    }
}
