/// The help texts of a live list.
enum LiveHelp {
    static let lines = [
        "Keys",
        "",
        "  j, k, arrows             one row down, up",
        "  space, b, Page keys      one page down, up",
        "  g, G, Home, End          the first row, the last row",
        "  ' and a character        the section with that index title",
        "  /                        search the first text column while you type:",
        "                           Enter stays at the match, Escape goes back",
        "  n, N                     the next match, the previous match",
        "  Ctrl-L                   redraw the screen",
        "  ?                        this help",
        "  q                        end",
        "",
        "Changes to the store by any program appear automatically.",
    ]

    /// The paragraph of `--help`.
    static let discussion = """
        With --live, the list uses the whole terminal, has an index bar, and follows the store: each change that any program commits is \
        applied to the table as inserted, deleted, moved and updated rows and sections, and the counts are checked as a table view checks \
        them. Keys: arrows, j, k, space, b, g, G; ' and a character for an index title; / to search, n and N for the next and the \
        previous match; ? for help; q to end. Counts that do not match are a defect of this program: the message names the section, and \
        the exit status is 70.
        """
}
