/// What the keys of a live list do.
enum LiveHelp {
    static let lines = [
        "Keys",
        "",
        "  j, k, arrows             one row down, up",
        "  space, b, Page keys      one page down, up",
        "  g, G, Home, End          the first row, the last row",
        "  ' and a character        the section with that index title",
        "  /                        search the first text column while you type:",
        "                           Enter stays there, Escape goes back",
        "  n, N                     the next row that is found, the one before",
        "  Ctrl-L                   draw everything again",
        "  ?                        this help",
        "  q                        end",
        "",
        "Changes to the store appear by themselves, whichever program makes them.",
    ]

    /// The paragraph of `--help`.
    static let discussion = """
        With --live the list takes the whole terminal, with an index bar, and follows the store: each change that any program commits is \
        applied to the table as inserted, deleted, moved and updated rows and sections, and counted as a table view counts. Keys: arrows, \
        j, k, space, b, g, G; ' and a character for an index title; / to search, n and N for the next and the one before; ? for help; q to \
        end. Should the counts not add up, that is a defect: the message says where, and the exit status is 70.
        """
}
