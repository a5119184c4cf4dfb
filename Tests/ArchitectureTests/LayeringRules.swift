/// The order of the folders inside modules, checked by the types that each file uses.
enum LayeringRules {
    /// The floors of `ObjectStorage`, bottom first. A floor uses only types of the floors below it.
    static let floors = [
        "SQLite", "Schema", "ChangeTracking", "Monitoring", "Store", "Surveying", "Migration", "Objects",
        "Relationships", "Contexts", "Saving", "Merging", "Undo", "Batches",
    ]

    /// A use of a top-level type outside the folder that declares it.
    struct Arrow: Hashable {
        let path: String
        let line: Int
        let type: String
        let source: String
        let target: String
    }

    /// The uses of each other's types by the folders of a module.
    ///
    /// - Parameter files: The Swift files of one module. Files at its top level belong to the folder "".
    static func arrows(in files: [Repository.File]) -> [Arrow] {
        let sources = files.map { (file: $0, folder: folder(ofFileAt: $0.path), source: SourceText($0.text)) }
        var folders: [Substring: String] = [:]
        for (_, folder, source) in sources {
            for line in source.codeLines {
                if let name = declaredName(in: line) { folders[name] = folder }
            }
        }
        return sources.flatMap { file, folder, source in
            arrows(of: file, in: folder, source, folders)
        }
    }

    private static func arrows(
        of file: Repository.File, in folder: String, _ source: SourceText, _ folders: [Substring: String]
    ) -> [Arrow] {
        // A nested type hides a top-level type of the same name.
        let nested = Set(
            source.codeLines.compactMap { line in
                line.hasPrefix(" ") ? declaredName(in: line.trimmingPrefix { $0 == " " }) : nil
            })
        var found: [Arrow] = []
        for (position, line) in source.codeLines.enumerated() {
            for name in typeNames(in: line) where !nested.contains(name) {
                guard let target = folders[name], target != folder else { continue }
                found.append(
                    Arrow(
                        path: file.path, line: position + 1, type: String(name), source: folder,
                        target: target))
            }
        }
        return found
    }

    /// The folder of a file below its module: its first component there.
    static func folder(ofFileAt path: String) -> String {
        let parts = path.split(separator: "/")
        return parts.count > 3 ? String(parts[2]) : ""
    }

    /// The name that a line declares at the top level for the whole module; nil for other lines.
    static func declaredName(in line: Substring) -> Substring? {
        let words = line.split { $0 == " " }
        var position = 0
        while position < words.count {
            let word = words[position]
            if ["private", "fileprivate", "extension"].contains(word) { return nil }
            if ["struct", "class", "enum", "protocol", "actor", "typealias"].contains(word) {
                guard position + 1 < words.count else { return nil }
                let name = words[position + 1].prefix { $0.isLetter || $0.isNumber || $0 == "_" }
                return name.first?.isUppercase == true && !line.hasPrefix(" ") ? name : nil
            }
            let modifiers: Set<Substring> = ["public", "package", "internal", "final", "open", "indirect"]
            guard modifiers.contains(word) || word.hasPrefix("@") else { return nil }
            position += 1
        }
        return nil
    }

    /// The names in a line of code that begin with an upper-case letter and follow no full stop.
    static func typeNames(in line: Substring) -> Set<Substring> {
        var names: Set<Substring> = []
        for match in line.matches(of: /[A-Za-z_][A-Za-z0-9_]*/) {
            let name = match.output
            guard name.first?.isUppercase == true else { continue }
            let isMember =
                match.range.lowerBound > line.startIndex
                && line[line.index(before: match.range.lowerBound)] == "."
            if !isMember { names.insert(name) }
        }
        return names
    }

    /// The uses of types of a higher floor, with the remedy.
    static func upwardFindings(in files: [Repository.File]) -> [Finding] {
        arrows(in: files).compactMap { arrow in
            guard let from = floors.firstIndex(of: arrow.source),
                let to = floors.firstIndex(of: arrow.target), to > from
            else { return nil }
            return Finding(
                path: arrow.path, line: arrow.line,
                message:
                    "\(arrow.source) uses \(arrow.type) of \(arrow.target), a floor above it. Move the code that uses it into an extension in \(arrow.target), or the part of the type that is needed down."
            )
        }
    }

    /// A cycle among the folders of a module, as the folders along it; nil if none exists.
    static func cycle(among arrows: [Arrow]) -> [String]? {
        var targets: [String: Set<String>] = [:]
        for arrow in arrows { targets[arrow.source, default: []].insert(arrow.target) }
        var finished: Set<String> = []
        func visit(_ folder: String, along path: [String]) -> [String]? {
            if let start = path.firstIndex(of: folder) { return path[start...] + [folder] }
            guard !finished.contains(folder) else { return nil }
            for target in targets[folder, default: []].sorted() {
                if let cycle = visit(target, along: path + [folder]) { return cycle }
            }
            finished.insert(folder)
            return nil
        }
        for folder in targets.keys.sorted() {
            if let cycle = visit(folder, along: []) { return cycle }
        }
        return nil
    }
}
