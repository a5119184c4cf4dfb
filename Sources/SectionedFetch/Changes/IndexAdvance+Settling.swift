import ObjectStorage
import Synchronization
import Threading

extension IndexAdvance {
    /// Finds each arrival's gap.
    ///
    /// - Returns: False if a row cannot be read from the old index any more.
    mutating func settle() throws -> Bool {
        let search = PlaceSearch(in: old, remaining, knowing: readPlaces)
        let reader = snapshot.placeReader(compiled)
        if let gaps = gapsFoundByTwo(search, reader) {
            for (number, gap) in gaps.enumerated() { arrivals[number].gap = gap }
            return true
        }
        return try settle(search, reader)
    }

    private mutating func settle(_ search: PlaceSearch, _ reader: PlaceReader) throws -> Bool {
        var search = search
        for number in arrivals.indices {
            let place = arrivals[number].row.place
            let known = knownPlaces?.neighbours(of: place) ?? (nil, nil)
            guard let gap = try search.gap(of: sought(arrivals[number]), between: known, reader) else {
                return false
            }
            arrivals[number].gap = gap
        }
        readPlaces += search.readPlaces
        return true
    }

    private func sought(_ arrival: Arrival) -> PlaceSearch.Sought {
        PlaceSearch.Sought(place: arrival.row.place, oldPosition: arrival.oldPosition)
    }

    // MARK: On two threads

    /// How many arrivals a thread takes at a time. The first of them reads the rows on its way that the last
    /// of those before has read as well, half of them.
    private static var pieceSize: Int { 16 }

    /// Finds the gaps on two threads, where another connection sees the same rows.
    ///
    /// - Returns: Nil where there is none, and if anything went wrong: then one thread finds out what.
    private func gapsFoundByTwo(_ search: PlaceSearch, _ reader: PlaceReader) -> [Int]? {
        // What is known of the places cannot be asked by two at a time.
        guard let second = snapshot.secondReader, knownPlaces == nil, WorkThread.processors > 1,
            arrivals.count >= 2 * Self.pieceSize
        else { return nil }
        let sought = arrivals.map(sought)
        let pieces = stride(from: 0, to: sought.count, by: Self.pieceSize).map {
            $0..<min($0 + Self.pieceSize, sought.count)
        }
        let work = SharedWork(pieces.count)
        let found = FoundGaps(numberOfPieces: pieces.count)
        let isStarted = WorkThread.start("row places") { [compiled] in
            // What it cannot read the caller reads.
            try? second.read(compiled) { reader in
                work.run { found.note($0, search.gaps(of: sought[pieces[$0]], reader)) }
            }
        }
        guard isStarted else { return nil }
        work.run { found.note($0, search.gaps(of: sought[pieces[$0]], reader)) }
        work.wait()
        return found.all
    }
}

extension PlaceSearch {
    /// The gaps of some rows in ascending order; nil if anything cannot be read.
    fileprivate func gaps(of sought: ArraySlice<Sought>, _ reader: PlaceReader) -> [Int]? {
        var search = self
        var gaps: [Int] = []
        for row in sought {
            guard let gap = try? search.gap(of: row, reader) else { return nil }
            gaps.append(gap)
        }
        return gaps
    }
}

/// What several threads find, piece by piece.
private final class FoundGaps: Sendable {
    private let pieces: Mutex<[[Int]?]>

    init(numberOfPieces: Int) { pieces = Mutex(Array(repeating: nil, count: numberOfPieces)) }

    func note(_ piece: Int, _ gaps: [Int]?) { pieces.withLock { $0[piece] = gaps } }

    /// All together; nil if one is missing.
    var all: [Int]? {
        pieces.withLock { pieces in
            let found = pieces.compactMap(\.self)
            return found.count == pieces.count ? found.flatMap(\.self) : nil
        }
    }
}
