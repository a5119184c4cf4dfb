/// A song with the values in the file.
struct SongRow: Equatable {
    let key: Int64
    let title: PlainValue
    let genre: PlainValue
    let year: PlainValue
    let released: PlainValue
    let singerName: PlainValue
    let isMine: Bool

    /// The year in Tokyo, by counting days from the reference date.
    var yearOfRelease: PlainValue {
        let seconds: Double
        switch released {
        case .integer(let number): seconds = Double(number)
        case .real(let number): seconds = number
        default: return .null
        }
        var day = Int(((seconds + 9 * 3_600) / 86_400).rounded(.down))
        var year = 2_001
        func length(_ year: Int) -> Int {
            year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 366 : 365
        }
        while day < 0 {
            year -= 1
            day += length(year)
        }
        while day >= length(year) {
            day -= length(year)
            year += 1
        }
        return .integer(Int64(year))
    }
}
