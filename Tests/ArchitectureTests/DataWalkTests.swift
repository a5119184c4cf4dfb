import Foundation
import Testing

/// The files and functions that the article on data walks names.
@Suite struct DataWalkTests {
    /// One step of a walk: a numbered paragraph of the article.
    private struct Step {
        let path: String
        /// The names of the functions that the step lists before its colon, without their argument labels.
        let functions: [String]
    }

    private static func walks() throws -> [[Step]] {
        let article = Repository.root.appendingPathComponent(
            "Sources/SectionedFetch/Documentation.docc/DataWalks.md")
        let text = try String(contentsOf: article, encoding: .utf8)
        return text.components(separatedBy: "\n## ").map { section in
            section.matches(of: /\n\d+\. (?:[^\n]|\n    ?[^\n])*/).compactMap { match in
                let step = String(match.output)
                guard let path = step.firstMatch(of: /`((?:Sources|Tools)\/[^`]+\.swift)`/) else {
                    return nil
                }
                let head = step.components(separatedBy: "`:").first ?? step
                let functions = (head + "`").matches(of: /`(?:[A-Za-z]+\.)?([a-z][A-Za-z]*)\([^`]*\)`/).map {
                    String($0.1)
                }
                return Step(path: String(path.1), functions: functions)
            }
        }
        .filter { !$0.isEmpty }
    }

    @Test func `three walks pass at most fifteen files each`() throws {
        let walks = try Self.walks()
        #expect(walks.count == 3)
        #expect(walks.allSatisfy { (5...15).contains($0.count) })
    }

    @Test func `each file of a walk declares the first function that the walk names`() throws {
        for step in try Self.walks().joined() {
            let file = Repository.root.appendingPathComponent(step.path)
            let text = try #require(try? String(contentsOf: file, encoding: .utf8), "\(step.path)")
            let function = try #require(step.functions.first, "\(step.path): no function is named")
            let declaration = function == "init" ? "init(" : "func \(function)"
            #expect(text.contains(declaration), "\(step.path): \(function)")
        }
    }
}
