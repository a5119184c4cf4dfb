import Foundation

/// A manual page of a tool or one of its commands, made from the description of the argument parser.
///
/// Source: `man(7)`, `groff_char(7)`.
struct ManualPage {
    /// The name of the tool and of the command: `library-import export`.
    private let name: [String]
    private let command: CommandDescription
    /// The other pages of the tool.
    private let others: [String]

    /// The name of the page: `library-import-export`.
    private var title: String { name.joined(separator: "-") }
    /// The name of the page's file.
    var fileName: String { "\(title).1" }

    /// Returns the pages of a tool and of its commands.
    ///
    /// - Parameter help: The JSON that the argument parser prints for `--experimental-dump-help`.
    /// - Throws: `DecodingError` if the parser describes commands in another way.
    static func pages(ofHelp help: String) throws -> [ManualPage] {
        let tool = try JSONDecoder().decode(ToolDescription.self, from: Data(help.utf8)).command
        func pages(_ command: CommandDescription, _ parents: [String]) -> [(
            name: [String], CommandDescription
        )] {
            let name = parents + [command.commandName]
            let commands = (command.subcommands ?? []).filter {
                $0.shouldDisplay ?? true && $0.commandName != "help"
            }
            return [(name, command)] + commands.flatMap { pages($0, name) }
        }
        let all = pages(tool, [])
        let titles = all.map { $0.name.joined(separator: "-") }
        return all.map { name, command in
            ManualPage(
                name: name, command: command,
                others: titles.filter { $0 != name.joined(separator: "-") })
        }
    }

    /// The source of the page.
    ///
    /// - Parameter version: The version of the tool.
    func text(version: String) -> String {
        var lines = [
            ".TH \"\(Self.escaped(title.uppercased()))\" 1 \"\" \"\(Self.escaped(name[0])) \(Self.escaped(version))\" \"User Commands\"",
            ".SH NAME", "\(Self.escaped(title)) \\- \(Self.line(command.abstract ?? ""))", ".SH SYNOPSIS",
        ]
        lines += synopsis
        if let discussion = command.discussion {
            lines.append(".SH DESCRIPTION")
            lines += Self.paragraphs(discussion)
        }
        let commands = (command.subcommands ?? []).filter {
            $0.shouldDisplay ?? true && $0.commandName != "help"
        }
        if !commands.isEmpty {
            lines.append(".SH COMMANDS")
            for other in commands {
                let isDefault = other.commandName == command.defaultSubcommand
                lines += [
                    ".TP", "\\fB\(Self.escaped(other.commandName))\\fR",
                    Self.line((other.abstract ?? "") + (isDefault ? " (the default)" : "")),
                ]
            }
        }
        var arguments = shownArguments
        for heading in arguments.map(\.heading).uniqued() {
            lines.append(".SH \(Self.escaped(heading.uppercased()))")
            for argument in arguments where argument.heading == heading { lines += argument.lines }
            arguments.removeAll { $0.heading == heading }
        }
        if !others.isEmpty {
            lines.append(".SH SEE ALSO")
            lines.append(others.sorted().map { "\\fB\(Self.escaped($0))\\fR(1)" }.joined(separator: ",\n"))
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private var shownArguments: [ArgumentDescription] {
        (command.arguments ?? []).filter { $0.shouldDisplay ?? true }
    }

    private var synopsis: [String] {
        let tool = "\\fB\(Self.escaped(name.joined(separator: " ")))\\fR"
        let commands = (command.subcommands ?? []).filter { $0.shouldDisplay ?? true }
        if !commands.isEmpty, shownArguments.allSatisfy({ $0.kind != "positional" }) {
            return ["\(tool) \\fIcommand\\fR [\\fIoptions\\fR]"]
        }
        let options = shownArguments.contains { $0.kind != "positional" } ? " [\\fIoptions\\fR]" : ""
        let positional = shownArguments.filter { $0.kind == "positional" }.map { argument in
            let name = "\\fI\(Self.escaped(argument.valueName ?? "argument"))\\fR"
            let repeated = argument.isRepeating == true ? "\(name) ..." : name
            return argument.isOptional == true ? "[\(repeated)]" : repeated
        }
        return ["\(tool)\(options)" + positional.map { " " + $0 }.joined()]
    }
}

extension ManualPage {
    /// Returns a text in which no character is a command of the formatter.
    static func escaped(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\\": result += "\\e"
            case "-": result += "\\-"
            case "'": result += "\\(aq"
            case "\"": result += "\\(dq"
            case "`": result += "\\(ga"
            case "^": result += "\\(ha"
            case "~": result += "\\(ti"
            case _ where scalar.isASCII: result.unicodeScalars.append(scalar)
            default: result += "\\[u\(String(format: "%04X", Int(scalar.value)))]"
            }
        }
        return result
    }

    /// Returns a text as one line that is not taken for a command.
    static func line(_ text: String) -> String {
        let text = escaped(text.replacing("\n", with: " "))
        return text.hasPrefix(".") ? "\\&" + text : text
    }

    /// Returns the lines of a text with paragraphs. Indented lines keep their form.
    static func paragraphs(_ text: String) -> [String] {
        var lines: [String] = []
        var isIndented = false
        var isFirst = true
        for part in text.split(separator: "\n", omittingEmptySubsequences: false) {
            guard part.contains(where: { $0 != " " }) else {
                if isIndented { lines.append(".fi") }
                isIndented = false
                if !isFirst, lines.last != ".PP" { lines.append(".PP") }
                continue
            }
            isFirst = false
            if part.hasPrefix("  "), !isIndented {
                isIndented = true
                lines.append(".nf")
            } else if !part.hasPrefix("  "), isIndented {
                isIndented = false
                lines.append(".fi")
            }
            lines.append(line(String(part)))
        }
        if isIndented { lines.append(".fi") }
        while lines.last == ".PP" { lines.removeLast() }
        return lines
    }
}

/// The description of a tool by the argument parser.
private struct ToolDescription: Decodable {
    let command: CommandDescription
}

/// The description of a command by the argument parser.
private struct CommandDescription: Decodable {
    let commandName: String
    let abstract: String?
    let discussion: String?
    let defaultSubcommand: String?
    let shouldDisplay: Bool?
    let subcommands: [CommandDescription]?
    let arguments: [ArgumentDescription]?
}

/// The description of an argument by the argument parser.
private struct ArgumentDescription: Decodable {
    struct Name: Decodable {
        let kind: String
        let name: String

        var text: String { (kind == "long" ? "--" : "-") + name }
    }

    let kind: String
    let shouldDisplay: Bool?
    let sectionTitle: String?
    let isOptional: Bool?
    let isRepeating: Bool?
    let names: [Name]?
    let valueName: String?
    let defaultValue: String?
    let allValueStrings: [String]?
    let allValues: [String]?
    let abstract: String?
    let discussion: String?

    /// The heading of the section of the page.
    var heading: String { sectionTitle ?? (kind == "positional" ? "Arguments" : "Options") }

    /// The entry of the page.
    var lines: [String] {
        let value = "\\fI\(ManualPage.escaped(valueName ?? "value"))\\fR"
        let names = (names ?? []).sorted { $0.text.count < $1.text.count }
        let tag =
            kind == "positional"
            ? value
            : names.map { "\\fB\(ManualPage.escaped($0.text))\\fR" + (kind == "option" ? " \(value)" : "") }
                .joined(separator: ", ")
        var text = abstract ?? ""
        if let values = allValueStrings ?? allValues, values.count > 1, kind != "flag" {
            text += " (values: \(values.joined(separator: ", ")))"
        }
        if let defaultValue, kind != "flag" { text += " (default: \(defaultValue))" }
        var lines = [".TP", tag, ManualPage.line(text)]
        if let discussion { lines += [".sp"] + ManualPage.paragraphs(discussion) }
        return lines
    }
}

extension Array where Element: Hashable {
    /// Returns the elements in the order of their first appearance.
    fileprivate func uniqued() -> [Element] {
        var seen: Set<Element> = []
        return filter { seen.insert($0).inserted }
    }
}
