import ObjectStorage
import Testing

/// The digests of entities that differ in their uniqueness constraints.
@Suite struct VersionDigestTests {
    /// Names that the digest's encoding uses as words, and two others.
    private static let names = ["a", "b", "unique", "ordered", "inheritance"]

    /// Returns all lists of up to three names.
    private static var constraints: [[String]] {
        var lists = names.map { [$0] }
        for first in names {
            for second in names where second != first {
                lists.append([first, second])
                lists += names.filter { $0 != first && $0 != second }.map { [first, second, $0] }
            }
        }
        return lists
    }

    private static func digest(_ constraints: [[String]]) -> [UInt8] {
        EntityDescription(
            name: "Thing", attributes: names.map { AttributeDescription(name: $0, type: .string) },
            uniquenessConstraints: constraints
        ).versionDigest
    }

    @Test func `one constraint and two constraints of equal words have different digests`() {
        let lists = Self.constraints
        let all = [[]] + lists.map { [$0] } + lists.flatMap { first in lists.map { [first, $0] } }
        #expect(all.count == 1 + 85 + 85 * 85)
        #expect(Set(all.map(Self.digest)).count == all.count)
    }
}
