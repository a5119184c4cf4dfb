import InternalUtilities
import ObjectStorage
import SectionCaching
import Mutants

extension ResultsRequest {
    /// Returns the request for rows by their keys, compiled for a snapshot.
    func rowsByKey(in snapshot: StoreSnapshot) throws -> CompiledRows {
        func compile() throws -> CompiledRows {
            try snapshot.rowsByKey(
                groupedBy: sectionKey?.expression, namedBy: sectionKey?.nameExpression)
        }
        // Objects that were never saved have other keys in each snapshot.
        return snapshot.includesPendingChanges ? try compile() : try details.value(\.rows, compile)
    }

    /// The to-one relationships through which the predicate, the order, the sections, their names and the
    /// displayed key paths are read.
    var relatedPaths: [RequestDescription.RelatedPath] {
        details.value(\.relatedPaths) {
            let read = [sectionKey?.expression, sectionKey?.nameExpression].compactMap(\.self)
            return request.relatedPaths(model: model, and: read)
        }
    }

    /// The properties that determine the positions of rows and the names of their sections, including those
    /// of other entities, which may be in the same table.
    var propertiesRead: Set<String> {
        details.value(\.propertiesRead) {
            request.propertiesRead(
                and: [sectionKey?.expression, sectionKey?.nameExpression].compactMap(\.self))
        }
    }

    /// The relationships of the predicate's key paths that lead through to-many relationships.
    var collectionSteps: [RequestDescription.CollectionStep] {
        details.value(\.collectionSteps) { request.collectionSteps(model: model) }
    }

    /// The relationships through which the order, the sections and their names are computed from related
    /// objects.
    var aggregateSteps: [RequestDescription.CollectionStep] {
        details.value(\.aggregateSteps) {
            request.aggregateSteps(
                model: model, and: [sectionKey?.expression, sectionKey?.nameExpression].compactMap(\.self))
        }
    }

    /// The relationships of the displayed key paths that lead through to-many relationships.
    var displayedSteps: [RequestDescription.CollectionStep] {
        details.value(\.displayedSteps) { request.displayedSteps(model: model) }
    }

    /// The to-many relationships whose changes count as updates of rows: those that are displayed, and those
    /// through which the values of the order or the sections are computed.
    var shownSteps: [RequestDescription.CollectionStep] {
        aggregateSteps + displayedSteps.filter { !aggregateSteps.contains($0) }
    }

    /// Whether a part of the request leads through a relationship whose pairs are in a link table.
    var readsLinks: Bool {
        (collectionSteps + aggregateSteps + displayedSteps).contains { $0.linkTableName != nil }
    }

    /// Whether the log determines which rows may enter or leave the results. False for a predicate that reads
    /// values that are stored outside their rows, or to-many relationships whose references are in an
    /// external table.
    var isFollowedByLog: Bool {
        details.value(\.isFollowedByLog) {
            let isOutsideRows = compiled.tableNames.contains { name in
                model.entities.allSatisfy { $0.tableName != name }
                    && model.linkTables.allSatisfy { $0.name != name }
            }
            return !isOutsideRows
                && (collectionSteps + aggregateSteps).allSatisfy {
                    $0.storage != .inverseReference
                        || model.entity(named: $0.entityName)?.existingTable == nil
                }
        }
    }

    /// Whether results can be updated from the changed rows alone. False for a window, whose rows shift with
    /// every row before it, and for a predicate whose rows the log cannot determine.
    var canAdvance: Bool {
        (!isWindow || Mutant.windowEdge.isPlanted) && isFollowedByLog
    }

    /// The names of the sections; nil without a section key.
    var names: SectionNames? {
        sectionKey.map { key in details.value(\.names) { SectionNames(self, key) } }
    }

    /// Returns the request to look up or save under a cache name, for a state of the store.
    func cacheRequest(_ name: CacheName, _ state: StoreState) -> SectionCacheRequest {
        cacheRequest(
            name,
            StoreToken(
                storeIdentity: state.storeIdentity, schemaDigest: state.schemaDigest,
                dependencies: state.tables.map { StoreToken.Dependency(name: $0.tableName, state: $0.state) }
            ),
            key: state.authenticationKey)
    }

    /// Returns the request to look up or save under a cache name, for a store token.
    func cacheRequest(_ name: CacheName, _ token: StoreToken, key: [UInt8]) -> SectionCacheRequest {
        func make() -> SectionCacheRequest {
            SectionCacheRequest(name: name, request: canonical, token: token, authenticationKey: key)
        }
        // An object that was never saved has another ID after a save.
        let first = compiled.namesUnsavedObjects ? make() : details.value(\.cacheRequest, make)
        return SectionCacheRequest(first, name: name, token: token, authenticationKey: key)
    }
}
