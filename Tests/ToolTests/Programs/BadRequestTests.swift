import Foundation
import Testing

/// Requests that a store cannot answer, and invalid command lines.
@Suite struct BadRequestTests {
    @Test(arguments: [
        (["--entity", "Bok"], "The model has no entity “Bok”. Did you mean “Book”?"),
        (["--group-by", "languag"], "Entity “Book” has no property “languag”. Did you mean “language”?"),
        (
            ["--group-by", "author.nme"],
            "The key path “author.nme” leads nowhere. Entity “Author” has no property “nme”. Did you mean “name”?"
        ),
        (["--sort", "-titel"], "Did you mean “title”?"),
        (["--where", "yeer>3"], "Did you mean “year”?"),
        (["--columns", "title,authr"], "Did you mean “author”?"),
        (
            ["--columns", "author.books"],
            "“Author.books” leads to many objects. List “Book” with --entity instead, whose “author” leads back."
        ),
        (["--entity", "Author", "--where", "books.title=x"], "List “Book” with --entity instead"),
        (["--entity", "Author", "--sort", "books.title"], "List “Book” with --entity instead"),
        (["--entity", "Author", "--group-by", "year:books.added"], "List “Book” with --entity instead"),
        (["--group-by", "title.length"], "is an attribute, and nothing can follow it"),
        (["--group-by", "letter:year"], "“year” is of type integer32, not of type string"),
        (["--group-by", "year:title"], "“title” is of type string, not of type date"),
        (["--where", "year>=often"], "“often” is not a valid value for “year”, which is of type integer32."),
        (
            ["--where", "added=yesterday"],
            "“yesterday” is not a valid value for “added”, which is of type date."
        ),
        (["--where", "year^=19"], "“year^=”: only string attributes can be searched"),
        (["--where", "added*=2020"], "and “added” is of type date."),
        (["--where", "isRead~=true"], "and “isRead” is of type boolean."),
        (["--where", "author$=a"], "and “author” is a relationship to one “Author”."),
        (["--where", "objectID^=1"], "and “objectID” is the object's key."),
        (
            ["--group-by", "language", "--section", "Germn"],
            "There is no section “Germn” among the 7. Sections: “"
        ),
        (["--group-by", "language", "--section", "germ"], "Similar names: “German”."),
        (["--section", "German"], "the list is not grouped. Pass --group-by."),
    ])
    func `a request that the store cannot answer is refused with the reason`(
        arguments: [String], message: String
    ) throws {
        let store = try BookStore()
        let before = try ScratchDirectory.contents(of: store.directory.url)
        let run = try ToolProcess.run("library-browser", [store.path] + arguments)
        run.expectRefusal(saying: message)
        #expect(try ScratchDirectory.contents(of: store.directory.url) == before)
    }

    @Test func `an order that splits sections is refused at every start`() throws {
        let store = try BookStore()
        for _ in 0..<2 {
            let run = try store.browse("--group-by", "language", "--sort", "title", "--cache", "books")
            run.expectRefusal(
                saying: "do not come in sections by language", "are both in section",
                "Sort by the section key first")
            try store.browse("--group-by", "month:added", "--sort", "language")
                .expectRefusal(saying: "with section “20", "in between")
        }
        #expect(try store.inspect("list").output.hasPrefix("There are no caches"))
    }

    @Test(arguments: [
        (["--cache", ""], "The name of the cache is empty."),
        (["--cache", "a\u{1}b"], "control character U+1"),
        (["--cache", String(repeating: "x", count: 256)], "has 256 UTF-8 bytes; at most 255 are allowed"),
        (["--where", "year"], "“year” has no operator."),
        (
            ["--where", "year = 1900 OR"],
            "line 1, column 15: expected a value or a key path, found the end."
        ),
        (["--where", "title=~a"], "unknown operator “=~”. Write title~=…"),
        (["--where", ">=3"], "“>=3” has no property before “>=”."),
        (["--sort", "title:backwards"], "unknown option “backwards”"),
        (["--sort", "title,,year"], "the key is missing"),
        (["--group-by", "title:de"], "If “title” is the property, “de” is an unknown option."),
        (["--group-by", "hour:added"], "“hour” is not a form of keys; the forms are letter, index, folded,"),
        (["--group-by", "folded:title:de"], "unknown option “de” after the key"),
        (["--group-by", "letter:"], "the property after “letter” is missing"),
        (["--group-by", "year:added:Mars/Olympus"], "unknown time zone “Mars/Olympus”"),
        (
            ["--group-by", "letter:title:xx_nonsense"],
            "unknown locale “xx_nonsense”: “xx” is not a language."
        ),
        (["--sort", "letter:title:de_DEE"], "unknown locale “de_DEE”"),
        (["--sort", "title:localized=german"], "“german” is not a language. Write one such as de, sv_SE"),
        (["--sort", "title:localized=de_QX"], "“QX” is not a region"),
        (["--sort", "title:localized=sr_Xxxx"], "“Xxxx” is not a script"),
        (["--sort", "title:localized=sv_REFORMED"], "“REFORMED” is not a variant"),
        (["--sort", "title:localized=sv@collation=nonsense"], "“nonsense” is not a collation"),
        (["--group-by", "letter:title::apart"], "unknown locale “”: it does not name a language"),
        (["--limit", "-1"], "--limit -1 must not be negative."),
        (["--limit", "0"], "--limit 0 would list nothing"),
        (["--rows", "-2"], "--rows -2 must not be negative."), (["--rows", "many"], "many"),
        (["--name-by", "title"], "--name-by needs --group-by."),
        (["--busy-timeout", "-1"], "--busy-timeout"),
        (["--colour"], "--colour"), (["second.store"], "second.store"),
    ])
    func `an invalid command line of the browser is refused`(arguments: [String], message: String) throws {
        // The command line is refused before the store is opened, which does not exist.
        let run = try ToolProcess.run("library-browser", ["nowhere.store"] + arguments)
        run.expectRefusal(status: 64, saying: message)
    }

    @Test(arguments: [
        ["delete"], ["delete", "a", "--all"], ["delete", ""], ["show"], ["show", ""],
        ["explain", "--cache", "a"],
        ["explain", "--store", "a"], ["verify", "--entity", "Book"], ["verify", "a", "--entity", "Book"],
        ["frobnicate"],
        ["list", "--cache-directory", ""],
    ])
    func `an invalid command line of the inspector is refused`(arguments: [String]) throws {
        let run = try ToolProcess.run("cache-inspector", arguments)
        run.expectRefusal(status: 64, saying: "cache-inspector: ")
    }

    @Test(arguments: [
        ("library-browser", []), ("cache-inspector", []), ("cache-inspector", ["list"]),
        ("cache-inspector", ["show"]),
        ("cache-inspector", ["verify"]), ("cache-inspector", ["explain"]), ("cache-inspector", ["delete"]),
        ("cache-inspector", ["stats"]),
    ])
    func `--help prints the usage`(tool: String, subcommand: [String]) throws {
        let run = try ToolProcess.run(tool, subcommand + ["--help"])
        #expect(run.status == 0 && run.errors == "", "\(run)")
        #expect(run.output.contains("USAGE: \(([tool] + subcommand).joined(separator: " "))"))
        if subcommand.isEmpty { #expect(run.output.contains("Exit status: 0 on success;")) }
    }
}
