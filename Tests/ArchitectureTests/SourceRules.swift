/// Rules that apply to each file separately.
enum SourceRules {
    static let maximumNumberOfLines = 400

    /// Finds files that are too long for one aspect of one type.
    static func lengthFindings(in file: Repository.File) -> [Finding] {
        var count = file.text.split(separator: "\n", omittingEmptySubsequences: false).count
        if file.text.hasSuffix("\n") {
            count -= 1
        }
        guard count > maximumNumberOfLines else { return [] }
        return [
            Finding(
                path: file.path, line: maximumNumberOfLines + 1,
                message: "the file has \(count) lines; the maximum is \(maximumNumberOfLines)")
        ]
    }

    /// Finds paths that exist on one machine only, or that two users of a machine would both claim.
    static func pathFindings(in file: Repository.File) -> [Finding] {
        // Joined from parts, so that this file does not break its own rule.
        let directories = ["root", "home", "Users", "work", "tmp", "opt"].map { "/" + $0 + "/" }
        var findings: [Finding] = []
        let lines = file.text.split(separator: "\n", omittingEmptySubsequences: false)
        for (position, line) in lines.enumerated() {
            for directory in directories {
                for range in line.ranges(of: directory) {
                    let before = line[..<range.lowerBound].last
                    // "Sources/work/" and "$HOME/tmp/" begin somewhere else.
                    if let before, before.isLetter || before.isNumber || "._-~}/)".contains(before) {
                        continue
                    }
                    findings.append(
                        Finding(
                            path: file.path, line: position + 1,
                            message: "\(directory) is a path of one machine"))
                }
            }
        }
        return findings
    }

    /// Finds declarations for other modules without a documentation comment.
    ///
    /// Looks at the declarations that carry `public`, `package` or `open`. Enumeration cases and protocol
    /// requirements carry none of these and are left to review.
    static func documentationFindings(in file: Repository.File) -> [Finding] {
        let source = SourceText(file.text)
        var findings: [Finding] = []
        for (position, line) in source.codeLines.enumerated() {
            guard let declaration = Declaration(line), declaration.isForOtherModules else { continue }
            if declaration.keyword == "extension" {
                findings.append(
                    Finding(
                        path: file.path, line: position + 1,
                        message: "write the access level on each member, not on the extension"))
            } else if !isDocumented(declarationAt: position, in: source) {
                findings.append(
                    Finding(
                        path: file.path, line: position + 1,
                        message: "\(line.trimmingPrefix { $0 == " " }) has no documentation comment"))
            }
        }
        return findings
    }

    /// Whether a documentation comment stands above a declaration, with nothing but attributes in between.
    private static func isDocumented(declarationAt position: Int, in source: SourceText) -> Bool {
        var depth = 0
        for above in (0..<position).reversed() {
            let line = source.lines[above].trimmingPrefix { $0 == " " || $0 == "\t" }
            if line.hasPrefix("///") || line.hasSuffix("*/") {
                return true
            }
            let code = source.codeLines[above]
            depth += code.count { $0 == ")" } - code.count { $0 == "(" }
            // The end of an attribute of several lines, or an attribute on a separate line.
            guard depth > 0 || line.hasPrefix("@") || (depth == 0 && line.hasPrefix("//")) else {
                return false
            }
        }
        return false
    }
}

/// The beginning of a declaration: its modifiers and its keyword.
private struct Declaration {
    let keyword: Substring
    let isForOtherModules: Bool

    private static let keywords: Set<Substring> = [
        "func", "var", "let", "init", "subscript", "struct", "class", "enum", "protocol", "actor",
        "typealias", "extension", "associatedtype", "macro", "operator", "precedencegroup",
    ]
    private static let modifiers: Set<Substring> = [
        "public", "package", "open", "internal", "fileprivate", "private", "static", "final", "override",
        "mutating", "nonmutating", "consuming", "borrowing", "convenience", "required", "lazy", "weak",
        "unowned", "nonisolated", "isolated", "distributed", "indirect", "dynamic", "optional", "prefix",
        "postfix", "infix", "sending", "async",
    ]

    /// Returns nil if the line does not begin a declaration.
    init?(_ line: Substring) {
        var words = Self.withoutAttributes(line).split { !($0.isLetter || $0 == "_" || $0 == "@") }[...]
        var levels: Set<Substring> = []
        while let word = words.first, Self.modifiers.contains(word) || ["set", "unsafe"].contains(word) {
            // "class func" is a method, and a class is "final class Name".
            levels.insert(word)
            words.removeFirst()
        }
        guard let keyword = words.first, Self.keywords.contains(keyword) else { return nil }
        self.keyword = keyword
        isForOtherModules = !levels.isDisjoint(with: ["public", "package", "open"])
    }

    /// Returns the line from the first character that is not part of an attribute.
    private static func withoutAttributes(_ line: Substring) -> Substring {
        var rest = line.trimmingPrefix { $0 == " " || $0 == "\t" }
        while rest.hasPrefix("@") {
            rest = rest.dropFirst().trimmingPrefix { $0.isLetter || $0.isNumber || $0 == "_" || $0 == "." }
            if rest.hasPrefix("(") {
                var depth = 0
                repeat {
                    let character = rest.removeFirst()
                    depth += character == "(" ? 1 : character == ")" ? -1 : 0
                } while depth > 0 && !rest.isEmpty
            }
            rest = rest.trimmingPrefix { $0 == " " || $0 == "\t" }
        }
        return rest
    }
}
