import SectionCaching
import Testing

/// The parts of a request for tests, each of which can be changed.
struct Sample {
    var name: CacheName = "artworks"
    var parts = ["entity": "Artwork", "sort": "title ascending", "environment": "1"]
    var storeIdentity: UInt8 = 1
    var schema: UInt8 = 2
    var states: [String: UInt8] = ["Artist": 3, "Artwork": 4]
    var key: UInt8 = 5
    var summary = "Artwork by title"

    var canonical: CanonicalRequest {
        CanonicalRequest(
            parts: parts.sorted { $0.key < $1.key }.map { .init(name: $0.key, bytes: Array($0.value.utf8)) },
            summary: summary)
    }

    var token: StoreToken {
        StoreToken(
            storeIdentity: Array(repeating: storeIdentity, count: 16),
            schemaDigest: Array(repeating: schema, count: 32),
            dependencies: states.map { .init(name: $0.key, state: [$0.value, 0, 9]) })
    }

    var request: SectionCacheRequest {
        SectionCacheRequest(
            name: name, request: canonical, token: token, authenticationKey: Array(repeating: key, count: 32))
    }

    func with(_ change: (inout Sample) -> Void) -> Sample {
        var sample = self
        change(&sample)
        return sample
    }
}

extension SectionCacheStore {
    /// Saves an index and waits until it is written.
    func saveNow(_ plain: PlainIndex, for sample: Sample, sourceLocation: SourceLocation = #_sourceLocation) {
        save(plain.build(), for: sample.request)
        #expect(waitForWrites(upTo: 60), sourceLocation: sourceLocation)
    }

    func hit(_ sample: Sample) -> SectionIndex? {
        if case .hit(let index) = lookUp(sample.request) { index } else { nil }
    }

    func missReason(_ sample: Sample) -> MissReason? {
        if case .miss(let reason) = lookUp(sample.request) { reason } else { nil }
    }
}
