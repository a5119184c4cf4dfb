import Foundation
import Testing

@Suite struct ListingTests {
    /// For each article with listings, the compiled tests that contain their lines.
    private static let sources = [
        "ModelReading/Documentation.docc/ModelReading.md": "ModelReadingTests/ModelsListings.swift",
        "ObjectStorage/Documentation.docc/ObjectStorage.md": "CookbookTests/ObjectStorageListing.swift",
        "SectionCaching/Documentation.docc/SectionCaching.md": "SectionCachingTests/OverviewListing.swift",
        "SectionedFetch/Documentation.docc/BesideGRDB.md": "CookbookTests/BesideGRDBListings.swift",
        "SectionedFetch/Documentation.docc/CachesAndValidity.md":
            "CookbookTests/CachesAndValidityListings.swift",
        "SectionedFetch/Documentation.docc/FollowingChanges.md":
            "CookbookTests/FollowingChangesListings.swift",
        "SectionedFetch/Documentation.docc/ComingFromCoreData.md":
            "CookbookTests/ComingFromCoreDataListings.swift",
        "SectionedFetch/Documentation.docc/Contexts.md": "CookbookTests/ContextsListings.swift",
        "SectionedFetch/Documentation.docc/Cookbook.md": "CookbookTests/CookbookTests.swift",
        "SectionedFetch/Documentation.docc/CoreDataStores.md":
            "CoreDataStoresTests/CoreDataStoresListings.swift",
        "SectionedFetch/Documentation.docc/ExternalTables.md":
            "ObjectStorageTests/ExistingTables/ExternalTablesListings.swift",
        "SectionedFetch/Documentation.docc/GettingStarted.md": "GettingStarted/main.swift",
        "SectionedFetch/Documentation.docc/ObjectsWithoutClasses.md":
            "CookbookTests/ObjectsWithoutClassesListings.swift",
        "SectionedFetch/Documentation.docc/Models.md": "ModelReadingTests/ModelsListings.swift",
        "SectionedFetch/Documentation.docc/Predicates.md": "CookbookTests/PredicatesListings.swift",
        "SectionedFetch/Documentation.docc/Replicas.md":
            "SectionedFetchTests/Replicas/PositionFileTests.swift",
    ]

    /// For articles whose listings do not fit into one file, the other compiled test.
    private static let furtherSources = [
        "SectionedFetch/Documentation.docc/FollowingChanges.md":
            "CookbookTests/FollowingArrayListings.swift"
    ]

    /// The test with classes and functions of the listings in several articles.
    private static let sharedSource = "CookbookTests/GoodsListings.swift"

    /// Returns the lines of an article's listings, without leading space.
    static func listedLines(of article: String) -> [String] {
        var isListing = false
        var lines: [String] = []
        for line in article.split(separator: "\n") {
            if line.hasPrefix("```") {
                isListing = line == "```swift"
            } else if isListing {
                lines.append(line.trimmingCharacters(in: .whitespaces))
            }
        }
        return lines
    }

    /// Returns the lines of an article's listings that equal no line of a source file, without leading space.
    static func missingLines(of article: String, in source: String) -> [String] {
        let known = Set(source.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) })
        return listedLines(of: article).filter { !known.contains($0) }
    }

    @Test func `every listing of an article consists of lines of a compiled test`() throws {
        let articles = try Repository.files(below: ["Sources"], withEndings: [".md"])
        var checked: Set<String> = []
        for article in articles where !Self.listedLines(of: article.text).isEmpty {
            let path = String(article.path.dropFirst("Sources/".count))
            let source = try #require(Self.sources[path], "No test is named for the listings of \(path).")
            let names = [source, Self.sharedSource] + [Self.furtherSources[path]].compactMap { $0 }
            let tests = try names.map { name in
                try String(
                    contentsOf: Repository.root.appendingPathComponent("Tests/" + name), encoding: .utf8)
            }
            let missing = Self.missingLines(of: article.text, in: tests.joined(separator: "\n"))
            #expect(missing == [], "\(path)")
            checked.insert(path)
        }
        #expect(checked == Set(Self.sources.keys))
    }

    @Test func `every listing of an article names its language`() throws {
        let languages: Set<Substring> = ["swift", "sh", "sql", "json", "csv", "text"]
        for article in try Repository.files(below: ["Sources"], withEndings: [".md"]) {
            let marks = article.text.split(separator: "\n").filter { $0.hasPrefix("```") }
            for (position, mark) in marks.enumerated() {
                let isRight =
                    position.isMultiple(of: 2) ? languages.contains(mark.dropFirst(3)) : mark == "```"
                #expect(isRight, "\(article.path): \(mark)")
            }
        }
    }

    @Test func `a listing that is not in the tests is found`() {
        let article = "# A\n```swift\nlet a = 1\nlet b = 2\n```\nlet c = 3\n```sh\nls\n```\n"
        #expect(Self.missingLines(of: article, in: "    let a = 1\n") == ["let b = 2"])
    }
}
