
import ObjectStorage
import SectionCaching

extension ResultsChange {
    /// All sections of one state gone and all of another there.
    init(reloading old: SectionIndex, as new: SectionIndex) {
        let deletions = (0..<old.numberOfSections).reversed().map { position in
            let section = old.section(at: position)
            return SectionEvent(
                kind: .deletion, identity: section.identity, name: section.name, oldPosition: position,
                newPosition: nil)
        }
        let insertions = (0..<new.numberOfSections).map { position in
            let section = new.section(at: position)
            return SectionEvent(
                kind: .insertion, identity: section.identity, name: section.name, oldPosition: nil,
                newPosition: position)
        }
        self.init(sectionEvents: deletions + insertions, isReload: true)
    }
}
