import SectionedFetch
import ToolSupport

/// A page over a live list, with a chosen line: the help, the whole status, or the details of an object.
struct LivePage {
    /// The content of a page.
    enum Content: Hashable {
        case help
        case status
        case details(ObjectID)
    }

    /// The action of the Enter key on a line.
    enum Action: Hashable {
        /// Shows the details of an object.
        case open(ObjectID)
        /// Shows more members of a relationship.
        case more(relationship: String)
    }

    /// A line.
    struct Line: Hashable {
        let text: String
        var action: Action?

        init(_ text: String, _ action: Action? = nil) {
            self.text = text
            self.action = action
        }
    }

    let content: Content
    /// The number of the chosen line.
    private(set) var chosen = 0
    /// The number of the topmost line.
    private(set) var top = 0
    /// The numbers of members that are shown, by relationship.
    private(set) var shownMembers: [String: Int] = [:]

    /// The number of members of a relationship that are shown at first.
    static let firstMembers = 100

    init(_ content: Content) { self.content = content }

    /// Whether the lines have a cursor.
    var hasCursor: Bool { if case .details = content { true } else { false } }

    /// Moves the chosen line, or the lines of a page without a cursor.
    mutating func move(by lines: Int, height: Int, count: Int) {
        if hasCursor {
            chosen += lines
        } else {
            top += lines
        }
        settle(height: height, count: count)
    }

    /// Keeps the chosen line on the page and on the screen.
    mutating func settle(height: Int, count: Int) {
        let height = max(1, height)
        chosen = max(0, min(chosen, count - 1))
        if hasCursor { top = max(min(top, chosen), chosen - height + 1) }
        top = max(0, min(top, count - height))
    }

    /// Shows ten times as many members of a relationship.
    mutating func showMore(of relationship: String) {
        shownMembers[relationship] = (shownMembers[relationship] ?? Self.firstMembers) * 10
    }
}
