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

    /// The to-one relationships through which the predicate, the order, the sections and their names are
    /// read.
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

    /// Whether the predicate reads to-many relationships, or values that are stored outside their rows. Then
    /// rows that did not change may enter or leave the results without a record of which ones.
    var readsCollections: Bool {
        details.value(\.readsCollections) {
            request.readsCollections(model: model)
                || compiled.tableNames.contains { name in model.entities.allSatisfy { $0.tableName != name } }
        }
    }

    /// Whether results can be updated from the changed rows alone. False for a window, whose rows shift with
    /// every row before it, and for a predicate that reads collections or values outside the rows.
    var canAdvance: Bool {
        (!isWindow || Mutant.windowEdge.isPlanted) && !readsCollections
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
