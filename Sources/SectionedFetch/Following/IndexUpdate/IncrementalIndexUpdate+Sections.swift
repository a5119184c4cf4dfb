import ObjectStorage
import InternalUtilities
import SectionCaching

extension IncrementalIndexUpdate {
    /// Assigns each arrival to a section: that of a neighbour, or one that is inserted.
    ///
    /// - Returns: False if a section would exist twice.
    mutating func assignSections() -> Bool {
        guard request.sectionKey != nil else { return true }
        var used: Set<[UInt8]> = []
        var emptiedByIdentity: [[UInt8]: Int] = [:]
        for position in emptied { emptiedByIdentity[old.identity(ofSection: position)] = position }
        var known = KnownIdentities(of: old)
        var gap = -1
        var left: Int?
        var right: Int?
        var current: SectionPosition?
        // The rows of a section are adjacent.
        var last: (section: SectionPosition, identity: [UInt8])?
        for number in arrivals.indices {
            if arrivals[number].gap != gap {
                gap = arrivals[number].gap
                left = gap > 0 ? old.sectionPosition(containing: remaining.oldPosition(of: gap - 1)) : nil
                right =
                    gap < remaining.count
                    ? old.sectionPosition(containing: remaining.oldPosition(of: gap)) : nil
                current = left.map(SectionPosition.staying)
            }
            let identity = arrivals[number].row.group?.identity ?? []
            if let current, last?.section != current { last = (current, self.identity(of: current)) }
            if current != nil, last?.identity == identity {
                // The arrival continues the current section.
            } else if let position = declaredPositions[identity] {
                current = .staying(position)
            } else if let right, right != left, current != .staying(right),
                old.identity(ofSection: right) == identity
            {
                current = .staying(right)
            } else {
                guard left == nil || left != right, right == nil || current != .staying(right ?? 0),
                    used.insert(identity).inserted
                else { return false }
                let oldPosition = emptiedByIdentity[identity]
                // A section with this key that is not empty has its rows elsewhere.
                if oldPosition == nil, known.contains(identity) { return false }
                placed.append(
                    PositionedSection(
                        identity: identity,
                        rank: max(left.map { rank(ofStaying: $0) + 1 } ?? 0, declaredPositions.count),
                        oldPosition: oldPosition))
                current = .placed(placed.count - 1)
            }
            if let current { arrivals[number].section = current }
        }
        return true
    }

    private func identity(of section: SectionPosition) -> [UInt8] {
        switch section {
        case .staying(let position): old.identity(ofSection: position)
        case .placed(let number): placed[number].identity
        }
    }

    /// Returns the number of sections with remaining rows before an old position.
    func rank(ofStaying position: Int) -> Int { position - emptied.count(below: position) }

    /// Returns the position of a section in the new results.
    func newPosition(of section: SectionPosition) -> Int {
        switch section {
        case .placed(let number): return placed[number].rank + number
        case .staying(let position):
            let rank = rank(ofStaying: position)
            // Placed sections with as many staying sections before them as this one come before it.
            return rank + placed.indices.partitioningIndex { placed[$0].rank > rank }
        }
    }

    /// Returns the position of a section in the old results, if it was in them.
    func oldPosition(of section: SectionPosition) -> Int? {
        switch section {
        case .staying(let position): position
        case .placed(let number): placed[number].oldPosition
        }
    }

    /// Determines which of the sections that have no remaining rows but still exist have moved.
    mutating func keepSectionOrder() {
        var unchanged: Set<Int> = []
        for arrival in arrivals where !rows.changedKeys.contains(arrival.row.sortKey.key) {
            if case .placed(let number) = arrival.section, arrival.oldPosition != nil {
                unchanged.insert(number)
            }
        }
        var first = 0
        while first < placed.count {
            var next = first
            while next < placed.count, placed[next].rank == placed[first].rank { next += 1 }
            var surviving: [(number: Int, oldPosition: Int)] = []
            for number in first..<next {
                guard let oldPosition = placed[number].oldPosition else { continue }
                if rank(ofStaying: oldPosition) == placed[number].rank {
                    surviving.append((number, oldPosition))
                } else {
                    placed[number].isMoved = true
                }
            }
            let isKept = StableOrder.kept(
                surviving.map(\.oldPosition), isFixed: surviving.map { unchanged.contains($0.number) })
            for (section, isKept) in zip(surviving, isKept) { placed[section.number].isMoved = !isKept }
            first = next
        }
    }

    /// Determines which arrivals have kept their order among the rows of their section.
    mutating func keepOrder() {
        var first = 0
        while first < arrivals.count {
            var next = first
            var candidates: [Int] = []
            // The arrivals of one section in one gap.
            while next < arrivals.count, arrivals[next].gap == arrivals[first].gap,
                arrivals[next].section == arrivals[first].section
            {
                if let position = arrivals[next].oldPosition, isInPlace(arrivals[next], position) {
                    candidates.append(next)
                }
                next += 1
            }
            let isKept = StableOrder.kept(
                candidates.map { arrivals[$0].oldPosition ?? 0 },
                isFixed: candidates.map { !rows.changedKeys.contains(arrivals[$0].row.sortKey.key) })
            for (number, isKept) in zip(candidates, isKept) { arrivals[number].isKept = isKept }
            first = next
        }
    }

    /// Whether an arrival comes from the same section, and from the same gap between its remaining rows.
    private func isInPlace(_ arrival: Arrival, _ position: Int) -> Bool {
        guard request.sectionKey != nil else {
            return remaining.count(before: position) == arrival.gap
        }
        guard oldPosition(of: arrival.section) == old.sectionPosition(containing: position) else {
            return false
        }
        if case .placed = arrival.section { return true }
        return remaining.count(before: position) == arrival.gap
    }
}

/// The identities of an index's sections. The first 15 look-ups scan the sections; then a set is built.
private struct KnownIdentities {
    private let index: SectionIndex
    private var numberAskedFor = 0
    private var identities: Set<[UInt8]> = []

    init(of index: SectionIndex) { self.index = index }

    mutating func contains(_ identity: [UInt8]) -> Bool {
        numberAskedFor += 1
        if numberAskedFor < 16 { return index.firstSectionPosition(identity: identity) != nil }
        if numberAskedFor == 16 {
            identities = Set((0..<index.numberOfSections).lazy.map(index.identity(ofSection:)))
        }
        return identities.contains(identity)
    }
}
