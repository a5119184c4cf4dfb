import SectionedFetch

/// The objects of an inventory's to-many relationships.
struct Neighbourhood {
    private let parts: [ObjectID: [Record]]
    private let shelves: [ObjectID: [Record]]

    init(_ inventory: Inventory) {
        func grouped(_ records: some Sequence<Record>) -> [ObjectID: [Record]] {
            records.reduce(into: [:]) { groups, record in
                if let target = record.target { groups[target, default: []].append(record) }
            }
        }
        parts = grouped(inventory.parts.values)
        shelves = grouped(inventory.shelves.values)
    }

    /// The parts on a shelf.
    func parts(on shelf: Record) -> [Record] { parts[shelf.id] ?? [] }

    /// The parts on the shelf of a part, with the part itself; none without a shelf.
    func neighbours(of part: Record) -> [Record] { part.target.flatMap { parts[$0] } ?? [] }

    /// The shelves in the hall of a part's shelf.
    func shelves(inHallOf part: Record, _ inventory: Inventory) -> [Record] {
        inventory.shelf(of: part)?.target.flatMap { shelves[$0] } ?? []
    }
}

extension Record {
    /// The rank of a part.
    var rank: Int64 { if case .integer(let rank) = self[.rank] { rank } else { 0 } }
}
