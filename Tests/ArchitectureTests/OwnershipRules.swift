/// Each source file holds mostly the type that it is named for.
enum OwnershipRules {
    /// Files without a type of their name.
    static let exceptions: Set<String> = [
        // Re-exports of modules.
        "Exports.swift"
    ]

    /// A top-level declaration with its documentation comment.
    private struct Block {
        let header: String
        let isPrivate: Bool
        let nestedTypes: Set<Substring>
        let lines: Int
    }

    /// A file of which less than half of the lines belong to the type in its name: `Type.swift` or
    /// `Type+Aspect.swift`. Lines belong to a type if the header of their top-level declaration names it, if
    /// they declare it as a nested type, or if they are a private helper.
    static func findings(in file: Repository.File) -> [Finding] {
        let name = file.path.split(separator: "/").last.map(String.init) ?? ""
        guard !exceptions.contains(name) else { return [] }
        let type = name.prefix { $0 != "+" && $0 != "." }
        let blocks = blocks(of: SourceText(file.text))
        let total = blocks.reduce(0) { $0 + $1.lines }
        let own = blocks.reduce(0) { sum, block in
            let belongs = block.header.contains(type) || block.isPrivate || block.nestedTypes.contains(type)
            return sum + (belongs ? block.lines : 0)
        }
        guard own * 2 < total else { return [] }
        return [
            Finding(
                path: file.path, line: 1,
                message:
                    "\(own) of \(total) lines belong to \(type). Move the other declarations to files that are named for their types."
            )
        ]
    }

    private static func blocks(of source: SourceText) -> [Block] {
        var blocks: [Block] = []
        var lines = 0
        var header = ""
        var nested: Set<Substring> = []
        var depth = 0
        for (line, code) in zip(source.lines, source.codeLines) {
            let isImport = depth == 0 && code.split(separator: " ").contains("import")
            guard !isImport, !line.allSatisfy({ $0 == " " }) else { continue }
            lines += 1
            let isCode = !code.allSatisfy { $0 == " " }
            if depth == 0, isCode { header += " " + code }
            if depth > 0, let name = LayeringRules.declaredName(in: code.trimmingPrefix { $0 == " " }) {
                nested.insert(name)
            }
            depth += code.count { $0 == "{" } - code.count { $0 == "}" }
            // A line that ends within a header has an open parenthesis, or ends before the body.
            let isComplete = depth == 0 && isCode && (code.contains("}") || isSingleLine(code))
            guard isComplete else { continue }
            let words = header.split(separator: " ")
            blocks.append(
                Block(
                    header: header,
                    isPrivate: words.first == "private" || words.first == "fileprivate",
                    nestedTypes: nested, lines: lines))
            (lines, header, nested) = (0, "", [])
        }
        return blocks
    }

    /// Whether a line is a whole declaration without a body, such as a type alias or a stored variable.
    private static func isSingleLine(_ code: Substring) -> Bool {
        let words = code.split(separator: " ")
        return words.contains { ["let", "var", "typealias", "#if", "#else", "#endif"].contains($0) }
            && !code.hasSuffix("{") && !code.hasSuffix("(") && !code.hasSuffix("=")
    }
}
