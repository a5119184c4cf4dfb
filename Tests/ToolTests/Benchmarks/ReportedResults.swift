import Foundation
import Testing

/// The results of small runs of the benchmarks, from which pages are made, and programs of Python that read
/// both.
enum ReportedResults {
    /// The programs of each file, with the word by which the arguments of its smallest run begin.
    private static let programs = [
        (file: "cold-start", program: "cold-start-benchmark", word: "--rows"),
        ("changes", "change-benchmark", "--rows"), ("windows", "change-benchmark", "windows"),
        ("main-actor", "main-actor-benchmark", "--rows"), ("objects", "object-benchmark", "--rows"),
    ]

    /// A description of a machine, as `Tools/benchmark` writes it.
    private static let machine = [
        "processor\tExample 3000", "cores\t2", "memory\t4096 MiB", "kernel\tLinux 6", "file system\text4",
        "Swift\t6.2", "SQLite\t3.40.1", "LMDB\t0.9.24", "GRDB\t7.10.0", "commit\tabc1234",
        "date\t2026-01-01 12:00 UTC",
    ]

    /// Creates a directory with the results of a small run of each program.
    static func directory() async throws -> ScratchDirectory {
        let scratch = try ScratchDirectory()
        for (file, program, word) in programs {
            let arguments = try #require(SmallestRun.arguments[program]?.first { $0.first == word })
            let outcome = try await SmallestRun.outcome(of: program, arguments)
            try #require(outcome.run.status == 0, "\(outcome.run)")
            try #require(outcome.files["results.json"]).write(to: scratch.file("\(file).json"))
        }
        try Data((machine.joined(separator: "\n") + "\n").utf8).write(to: scratch.file("machine.txt"))
        return scratch
    }

    /// Returns a text as a literal of Python.
    static func literal(_ text: String) -> String {
        "\"" + text.unicodeScalars.map { "\\U" + String(format: "%08X", $0.value) }.joined() + "\""
    }

    /// Reads the documents of a directory, and the page if it exists.
    static let reading = """
        import glob, json, os, re, statistics, sys
        import xml.etree.ElementTree as tree
        html, svg = "{http://www.w3.org/1999/xhtml}", "{http://www.w3.org/2000/svg}"
        documents = {}
        for path in glob.glob(sys.argv[1] + "/*.json"):
            documents[os.path.basename(path)[:-5]] = json.load(open(path, encoding="utf-8"))
        page = None
        if os.path.exists(sys.argv[1] + "/index.html"): page = tree.parse(sys.argv[1] + "/index.html").getroot()
        def text(element): return "".join(element.itertext())

        """

    /// Prints each cell that differs from the samples in the documents, and the number of quantities.
    static let comparison = """
        def digits(number):
            size = abs(number)
            if size >= 100:
                whole = int(size + 0.5)
                return ("-" if number < 0 else "") + (format(whole, ",") if size >= 1000 else str(whole))
            return "%.*f" % (1 if size >= 10 else 2 if size >= 1 else 3, number)
        def cell(samples):
            return "%s%s – %s · n = %s" % (
                digits(statistics.median(samples)), digits(min(samples)), digits(max(samples)),
                format(len(samples), ","))
        shown = [
            r"start\\.plain\\.[A-Za-z]+\\.(inside|process)", r"start\\.(filtered|localized|related)\\.[A-Za-z]+\\.inside",
            r"start\\.plain\\.(hit|miss|uncached|groupBy|records|twentyRows)\\.memory", r"import\\..*",
            r"changes\\.[a-z-]+\\.[A-Za-z]+\\.(followed|above-bare|alone|bare)", r"changes\\.[a-z-]+\\.start\\.[a-z]+\\.answered",
            r"changes\\.comparison\\..*", r"windows\\..*", r"main-actor\\.(first-screen|list)", r"memory\\..*"]
        expected, rows, ratios = set(), set(), set()
        count = 0
        smallest = min(q["conditions"]["sections"] for q in documents["cold-start"]["quantities"] if "sections" in q["conditions"])
        for document in documents.values():
            ratios |= {digits(r["value"]) + " ×" for r in document["ratios"] if "value" in r}
            for quantity in document["quantities"]:
                samples = quantity["spread"]["samples"]
                name = quantity["name"]
                inclusive = statistics.quantiles(samples, n=4, method="inclusive") if len(samples) > 1 else samples * 3
                for key, number in zip(["lowerQuartile", "median", "upperQuartile"], inclusive):
                    if abs(quantity["spread"][key] - number) > 1e-9 * abs(number): print(name, key, number)
                if name.startswith("main-actor.gap."):
                    ordered = sorted(samples)
                    ranks = [ordered[-(-len(samples) * percent // 100) - 1] for percent in (95, 99, 100)]
                    numbers = [statistics.median(samples)] + ranks
                    rows.add((quantity["title"], format(len(samples), ",")) + tuple(digits(n) for n in numbers))
                elif any(re.fullmatch(pattern, name) for pattern in shown):
                    if name.endswith(".memory") and quantity["conditions"]["sections"] != smallest: continue
                    expected.add(cell(samples))
                    count += 1
        cells = {text(e) for e in page.iter(html + "td") if " · n = " in text(e)}
        for found in sorted(cells - expected): print("only on the page:", found)
        for found in sorted(expected - cells): print("not on the page:", found)
        table = {tuple(text(cell) for cell in row) for row in page.iter(html + "tr")}
        for row in sorted(rows - table): print("no row", row)
        for found in {text(e) for e in page.iter(html + "td") if text(e).endswith(" ×")} - ratios: print("no ratio", found)
        print("compared", count)

        """
}
