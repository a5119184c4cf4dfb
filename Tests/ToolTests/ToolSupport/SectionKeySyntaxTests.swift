import Foundation
import SectionedFetch
import Testing

@testable import ToolSupport

@Suite struct SectionKeySyntaxTests {
    private func key(
        _ groupBy: String?, _ nameBy: String? = nil, _ subgroupBy: String? = nil,
        _ subgroupNameBy: String? = nil
    ) throws -> SectionKeySyntax? {
        try SectionKeySyntax(
            groupBy: groupBy, nameBy: nameBy, subgroupBy: subgroupBy, subgroupNameBy: subgroupNameBy)
    }

    @Test func `several keys are combined, and a key of subsections subdivides`() throws {
        #expect(try key(nil) == nil)
        #expect(try key("language")?.sectionKey == "language")
        #expect(
            try key("language, decade:added")?.sectionKey
                == .combined(["language", .decade(of: "added", in: .gmt)]))
        #expect(
            try key("language,author", ",author.name")?.sectionKey
                == .combined(["language", SectionKey("author", namedBy: "author.name")]))
        #expect(
            try key("author", "author.name", "folded:title", nil)?.sectionKey
                == SectionKey("author", namedBy: "author.name").subdivided(by: .foldedText(of: "title")))
        #expect(
            try key("year", nil, "author", "author.name")?.sectionKey
                == SectionKey("year").subdivided(by: SectionKey("author", namedBy: "author.name")))
    }

    @Test(
        arguments: [
            ([nil, "title", nil, nil], "--name-by needs --group-by."),
            ([nil, nil, "title", nil], "--subgroup-by needs --group-by."),
            ([nil, nil, nil, "title"], "--subgroup-name-by needs --subgroup-by."),
            (["year", nil, nil, "title"], "--subgroup-name-by needs --subgroup-by."),
            (["year,title", "title", nil, nil], "--name-by has 1 key, and --group-by has 2."),
            (["year", "title,year", nil, nil], "--name-by has 2 keys, and --group-by has 1."),
            (["year,title", nil, "author", nil], "Sections with subsections have one key each."),
            (["year", nil, "author,title", nil], "Sections with subsections have one key each."),
            (["year,", nil, nil, nil], "the key is missing"),
            (["year", nil, "range:year", nil], "range:year"),
        ] as [([String?], String)])
    func `options that do not fit together are refused`(options: [String?], reason: String) {
        #expect {
            try key(options[0], options[1], options[2], options[3])
        } throws: { error in
            (error as? SyntaxFailure)?.message.contains(reason) ?? false
        }
    }

    @Test func `the summary of a request names the key of subsections`() throws {
        let list = ListRequest(
            fetchRequest: FetchRequest(entityName: "Book", sortDescriptors: [.ascending("year")]),
            key: try key("year", nil, "author", "author.name"))
        #expect(
            list.summary
                == "Book by year, in sections by year with subsections by author, named by author.name")
    }
}
