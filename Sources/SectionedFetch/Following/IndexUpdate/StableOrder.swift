import InternalUtilities
import Mutants

/// Which elements of a list keep their place when the list takes another order.
enum StableOrder {
    /// Finds the longest run of elements whose order did not change and that contains all fixed ones.
    ///
    /// Where fixed elements changed their own order, which is to be explained by nothing that is known of
    /// them, the longest run of all is taken.
    ///
    /// - Parameters:
    ///   - oldPositions: Each element's position in the old order, in the new order.
    ///   - isFixed: Whether each element must keep its place.
    /// - Returns: Whether each element keeps its place.
    /// - Complexity: O(*n* log *n*), and O(*n*) if no order changed.
    static func kept(_ oldPositions: [Int], isFixed: [Bool]) -> [Bool] {
        let isFixed = Mutant.movedUnchanged.isPlanted ? isFixed.map { _ in false } : isFixed
        guard zip(oldPositions, oldPositions.dropFirst()).contains(where: { $0 > $1 }) else {
            return Array(repeating: true, count: oldPositions.count)
        }
        // An element can stay only if it is behind all fixed ones in front of it and before all that follow.
        // Of those that can, a longest run has all fixed ones: one that lacked some would be longer with
        // them.
        var canStay = Array(repeating: true, count: oldPositions.count)
        var bound = -1
        for place in oldPositions.indices {
            if oldPositions[place] < bound {
                if isFixed[place] { return longestRun(oldPositions, oldPositions.indices) }
                canStay[place] = false
            } else if isFixed[place] {
                bound = oldPositions[place]
            }
        }
        bound = .max
        for place in oldPositions.indices.reversed() {
            if oldPositions[place] > bound {
                canStay[place] = false
            } else if isFixed[place] {
                bound = oldPositions[place]
            }
        }
        return longestRun(oldPositions, oldPositions.indices.lazy.filter { canStay[$0] })
    }

    /// Whether each element is in the longest ascending run among those at some places.
    private static func longestRun(_ values: [Int], _ places: some Sequence<Int>) -> [Bool] {
        var isKept = Array(repeating: false, count: values.count)
        for place in values.longestAscendingRun(among: places) { isKept[place] = true }
        return isKept
    }
}
