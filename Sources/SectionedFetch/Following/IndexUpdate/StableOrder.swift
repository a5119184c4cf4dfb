import InternalUtilities
import Mutants

/// Determines which elements of a list keep their position when the list takes another order.
enum StableOrder {
    /// Finds the longest run of elements whose order did not change and that contains all fixed ones.
    ///
    /// If fixed elements changed their own order, for which their known data give no reason, the longest run
    /// of all elements is used.
    ///
    /// - Parameters:
    ///   - oldPositions: Each element's position in the old order, in the new order.
    ///   - isFixed: Whether each element must keep its position.
    /// - Returns: Whether each element keeps its position.
    /// - Complexity: O(*n* log *n*), and O(*n*) if no order changed.
    static func kept(_ oldPositions: [Int], isFixed: [Bool]) -> [Bool] {
        let isFixed = Mutant.movedUnchanged.isPlanted ? isFixed.map { _ in false } : isFixed
        guard zip(oldPositions, oldPositions.dropFirst()).contains(where: { $0 > $1 }) else {
            return Array(repeating: true, count: oldPositions.count)
        }
        // An element can stay only if its old position is after those of all fixed elements in front of it,
        // and before those of all fixed elements that follow. A longest run of the elements that can stay
        // contains all fixed ones: a run without some of them would be longer with them.
        var canStay = Array(repeating: true, count: oldPositions.count)
        var bound = -1
        for index in oldPositions.indices {
            if oldPositions[index] < bound {
                if isFixed[index] { return longestRun(oldPositions, oldPositions.indices) }
                canStay[index] = false
            } else if isFixed[index] {
                bound = oldPositions[index]
            }
        }
        bound = .max
        for index in oldPositions.indices.reversed() {
            if oldPositions[index] > bound {
                canStay[index] = false
            } else if isFixed[index] {
                bound = oldPositions[index]
            }
        }
        return longestRun(oldPositions, oldPositions.indices.lazy.filter { canStay[$0] })
    }

    /// Returns whether each element is in the longest ascending run among those at some indices.
    private static func longestRun(_ values: [Int], _ indices: some Sequence<Int>) -> [Bool] {
        var isKept = Array(repeating: false, count: values.count)
        for index in values.longestAscendingRun(among: indices) { isKept[index] = true }
        return isKept
    }
}
