package import CoreDataStores
package import SectionedFetch

/// An open store, or the tables of another program's database as entities.
package struct AnyDatabase {
    /// The container of the store or database.
    package let container: PersistentContainer
    /// The survey of another program's database; nil for a store, and for a database with a given model.
    package let survey: DatabaseSurvey?
    /// The store of Core Data whose objects the container has; nil for another database.
    package let coreDataStore: CoreDataStore?

    /// Describes an open database.
    package init(
        container: PersistentContainer, survey: DatabaseSurvey?, coreDataStore: CoreDataStore? = nil
    ) {
        self.container = container
        self.survey = survey
        self.coreDataStore = coreDataStore
    }

    /// Checks that a table that is named as an entity is an entity.
    ///
    /// - Parameter name: The name of the entity; nil for the first one.
    /// - Throws: ``ToolFailure`` with the reason why it is not.
    package func checkEntity(_ name: String?) throws(ToolFailure) {
        guard let survey, let name, survey.model.entity(named: name) == nil,
            let table = survey.tables.first(where: { $0.name == name })
        else { return }
        throw ToolFailure("“\(name)” cannot be listed. \(table)")
    }
}
