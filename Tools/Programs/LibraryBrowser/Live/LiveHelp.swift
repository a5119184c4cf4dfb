/// The help texts of a live list.
enum LiveHelp {
    static let lines = [
        "  The chosen row begins with >.",
        "",
        "  j, k, arrows             one row down, up",
        "  space, b, Page keys      one page down, up",
        "  g, G, Home, End          the first row, the last row",
        "  ' and a character        the section with that index title",
        "  h, l, left, right        hide and show the first columns, if not all fit",
        "  Enter                    all values of the row and its related objects;",
        "                           there, Enter goes to the object of the line,",
        "                           Escape or Backspace goes back",
        "  /                        search all shown columns while you type, numbers and",
        "                           dates as they are shown: Enter stays at the match,",
        "                           Escape goes back",
        "  n, N                     the next match, the previous match",
        "  s, m                     the whole status and message",
        "  Ctrl-L                   redraw the screen",
        "  Ctrl-Z                   stop; the shell's fg continues",
        "  ?                        this help",
        "  q                        end",
        "",
        "Changes to the store by any program appear automatically.",
    ]

    /// The paragraph of `--help`.
    static let discussion = """
        With --live, the list uses the whole terminal, has an index bar, and follows the store: each change that any program commits is \
        applied to the table as inserted, deleted, moved and updated rows and sections, and the counts are checked as a table view checks \
        them. The chosen row begins with >. Keys: arrows, j, k, space, b, g, G; h and l or arrows to hide and show the first columns; \
        Enter for all values of the row and its related objects, with Escape or Backspace to go back; ' and a character for an index \
        title; / to search all shown columns, n and N for the next and the previous match; s for the whole status; Ctrl-Z to stop; \
        ? for help; q to end. Counts that do not match are a defect of this program: the message names the section, and \
        the exit status is 70.
        """
}
