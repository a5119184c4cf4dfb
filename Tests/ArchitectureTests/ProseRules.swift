/// The language of comments, messages, test titles and documents.
enum ProseRules {
    /// Words and phrases that occur nowhere, in lower case. Split, so that this file keeps its own rule.
    static let banned = ["some" + "body", "no" + "body", "any" + "body", "who" + "ever"]
    /// Phrases that occur at most ``maximumRate`` times in 10,000 words, in lower case.
    static let rare = [
        "what" + "ever", "where" + "ever", "so" + " many", "is" + " told", "are" + " told", "is to" + " be",
        "are to" + " be",
    ]
    static let maximumRate = 2.0
    static let maximumColumns = 110

    /// A line of prose: a comment, a message, a test title or a line of a document.
    struct Line {
        let path: String
        /// The line, counted from 1.
        let number: Int
        let text: String
        /// The columns that the whole line takes, if it is a comment or a paragraph.
        let columns: Int
    }

    /// The prose of a file.
    static func lines(of file: Repository.File) -> [Line] {
        file.path.hasSuffix(".md") ? linesOfDocument(file) : linesOfSource(file)
    }

    private static func linesOfSource(_ file: Repository.File) -> [Line] {
        let source = SourceText(file.text)
        let includesStrings = !file.path.hasPrefix("Tests/")
        return source.lines.indices.flatMap { position -> [Line] in
            let line = source.lines[position]
            var found: [Line] = []
            let comment = Self.comment(in: line, code: source.codeLines[position])
            if let comment {
                let isAlone = line.prefix { $0 == " " }.endIndex == comment.startIndex
                found.append(
                    Line(
                        path: file.path, number: position + 1,
                        text: String(comment.drop { $0 == "/" || $0 == "*" || $0 == " " }),
                        columns: isAlone ? line.count : 0))
            } else if includesStrings, line.contains("\"") {
                found.append(
                    Line(path: file.path, number: position + 1, text: Self.strings(in: line), columns: 0))
            }
            if let title = line.firstMatch(of: /func `([^`]+)`/) {
                found.append(
                    Line(path: file.path, number: position + 1, text: String(title.1), columns: 0))
            }
            return found
        }
    }

    /// The comment in a line, from its slashes.
    private static func comment(in line: Substring, code: Substring) -> Substring? {
        guard let range = line.firstRange(of: "//") else { return nil }
        // Inside a string literal the code before and after it is kept, a comment takes the rest of the line.
        let offset = line.utf8.distance(from: line.startIndex, to: range.lowerBound)
        guard code.utf8.count >= offset, code.utf8.dropFirst(offset).allSatisfy({ $0 == UInt8(ascii: " ") })
        else { return nil }
        return line[range.lowerBound...]
    }

    /// The contents of the string literals in a line.
    private static func strings(in line: Substring) -> String {
        let parts = line.split(separator: "\"", omittingEmptySubsequences: false)
        return parts.indices.filter { $0 % 2 == 1 }.map { String(parts[$0]) }.joined(separator: " ")
    }

    private static func linesOfDocument(_ file: Repository.File) -> [Line] {
        var isListing = false
        var lines: [Line] = []
        for (position, line) in file.text.split(separator: "\n", omittingEmptySubsequences: false)
            .enumerated()
        {
            if line.hasPrefix("```") {
                isListing.toggle()
                continue
            }
            guard !isListing else { continue }
            // Cells of tables, long links and symbols of topics cannot be wrapped.
            let isFixed = line.hasPrefix("|") || line.contains("](http") || line.hasPrefix("- ``")
            lines.append(
                Line(
                    path: file.path, number: position + 1, text: String(line),
                    columns: isFixed ? 0 : line.count))
        }
        return lines
    }

    /// Banned words, sentences that begin with a noun clause, and long lines.
    static func findings(in lines: [Line]) -> [Finding] {
        lines.flatMap { line -> [Finding] in
            var messages: [String] = []
            let words = Self.words(in: line.text)
            for word in banned where words.contains(word) {
                messages.append("“\(word)”: name the program, thread or caller that acts")
            }
            if sentences(in: line.text).contains("The" + " same.") {
                messages.append("“The" + " same.”: write the sentence")
            }
            for sentence in sentences(in: line.text)
            where sentence.hasPrefix("What" + " ") && !sentence.hasSuffix("?") {
                messages.append("a sentence begins with a noun clause: “\(sentence.prefix(40))”")
            }
            if line.columns > maximumColumns {
                messages.append("\(line.columns) columns; wrap prose at \(maximumColumns)")
            }
            return messages.map { Finding(path: line.path, line: line.number, message: $0) }
        }
    }

    /// The sentences of a line. The first may be the end of one that began in the line before.
    static func sentences(in text: String) -> [String] {
        text.replacing(/([.!?:]) +/) { "\($0.1)\u{0}" }.split(separator: "\u{0}").map {
            String($0.trimmingPrefix { $0 == "-" || $0 == "*" || $0 == " " || $0 == "#" || $0 == "|" })
        }
    }

    static func words(in text: String) -> [String] {
        text.lowercased().split { !$0.isLetter && $0 != "'" }.map(String.init)
    }

    /// The number of uses of the rare phrases for each 10,000 words, with where they are.
    static func rate(in lines: [Line]) -> (perTenThousand: Double, uses: [Finding]) {
        var count = 0
        var uses: [Finding] = []
        for line in lines {
            let words = Self.words(in: line.text)
            count += words.count
            let text = " " + words.joined(separator: " ") + " "
            for phrase in rare {
                for _ in text.ranges(of: " " + phrase + " ") {
                    uses.append(Finding(path: line.path, line: line.number, message: "“\(phrase)”"))
                }
            }
        }
        return (Double(uses.count) * 10_000 / Double(max(1, count)), uses)
    }
}
