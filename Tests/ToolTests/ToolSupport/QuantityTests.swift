import Foundation
import Testing

@testable import ToolSupport

@Suite struct QuantityTests {
    @Test(arguments: [
        (0, "0"), (7, "7"), (999, "999"), (1_000, "1,000"), (123_919, "123,919"), (-1_234, "-1,234"),
        (Int.min, "-9,223,372,036,854,775,808"),
    ])
    func `counts have a comma after each three digits`(count: Int, text: String) {
        #expect(Quantity.count(count) == text)
    }

    @Test func `one is singular and other counts are plural`() {
        #expect([0, 1, 2].map { Quantity.count($0, "row") } == ["0 rows", "1 row", "2 rows"])
        #expect(Quantity.count(2, "entry", "entries") == "2 entries")
    }

    @Test(arguments: [
        (0.0, "0 µs"), (0.000_000_4, "0 µs"), (0.000_412, "412 µs"), (0.000_999_4, "999 µs"),
        (0.000_999_6, "1.00 ms"),
        (0.003_42, "3.42 ms"), (0.009_996, "10.0 ms"), (0.084_8, "84.8 ms"), (0.412, "412 ms"),
        (0.999_4, "999 ms"),
        (0.999_6, "1.00 s"), (2.414, "2.41 s"), (59.94, "59.9 s"), (59.96, "1 min 0 s"), (125, "2 min 5 s"),
        (3_725, "1 h 2 min 5 s"),
    ])
    func `a duration has three digits and a suitable unit`(seconds: Double, text: String) {
        #expect(Quantity.duration(.seconds(seconds)) == text)
    }

    @Test(arguments: [
        (0, "0 B"), (1_023, "1023 B"), (1_024, "1.00 KiB"), (8_176, "7.98 KiB"), (1_022_976, "999 KiB"),
        (1_023_488, "0.98 MiB"), (8_450_000, "8.06 MiB"), (256 << 20, "256 MiB"), (5 << 30, "5.00 GiB"),
        (3 << 50, "3072 TiB"),
    ])
    func `byte counts have units of powers of 1,024`(byteCount: Int, text: String) {
        #expect(Quantity.bytes(byteCount) == text)
    }

    @Test func `the start of a process is read after a name of any characters`() {
        let fields = (4...52).map { $0 == 22 ? "1234" : String($0) }.joined(separator: " ")
        for name in ["browser", "a) S 1 2 3 (b", ""] {
            let tick = ProcessStart.startTick(inStatus: "77 (\(name)) R \(fields)\n", ticksPerSecond: 100)
            #expect(tick == 12_340_000_000...12_350_000_000)
        }
        for damaged in [
            "", "77 (browser", "77 (browser) R 1 2 3", "77 (b) R " + String(repeating: "x ", count: 40),
        ] {
            #expect(ProcessStart.startTick(inStatus: damaged, ticksPerSecond: 100) == nil)
        }
        #expect(ProcessStart.marked.elapsed > .zero)
    }
}
