package import Foundation
package import ObjectModel

/// A division of all numbers into ranges that include their lower and exclude their upper bound.
///
/// Each range is identified by its lower bound, as an integer if all bounds are, and otherwise as a
/// floating-point number. The first range, which has no lower bound, is identified by a number below its
/// upper bound. So keys sort like the numbers, and a key is in its own range.
package struct NumberRanges: Hashable, Sendable {
    /// The forms of divisions.
    package enum Form: Hashable, Sendable {
        /// Ranges of equal length, one of which begins at 0.
        case uniform(step: Decimal)
        /// Ranges between ascending bounds.
        case bounded([Decimal])
    }

    /// The version of the keys and names. Increase it when the range or the name of any number changes.
    package static let version = 1
    /// The largest number of steps between 0 and a bound. Beyond, doubles of successive bounds may be equal.
    private static let mostSteps: Int64 = 1_000_000_000_000_000

    /// The form of this division.
    package let form: Form
    /// The lower bounds by which the ranges are identified, or the step, as integers; nil if one of them is
    /// not a 64-bit integer, or if there are none.
    private let integers: [Int64]?
    /// The lower bounds or the step as floating-point numbers.
    private let doubles: [Double]

    /// Creates ranges of equal length.
    package init(step: Decimal) {
        let step = Self.exact(step)
        form = .uniform(step: step)
        integers = Self.integers([step])
        doubles = [Self.double(step)]
    }

    /// Creates the ranges between bounds, in any order.
    package init(bounds: [Decimal]) {
        var ascending: [Decimal] = []
        for bound in bounds.map(Self.exact).sorted() where ascending.last != bound { ascending.append(bound) }
        form = .bounded(ascending)
        // A number below the first bound must exist as well.
        integers = Self.integers(ascending).flatMap { $0.first == .min ? nil : $0 }
        doubles = ascending.map(Self.double)
    }

    /// The type of the keys.
    package var keyType: AttributeType { integers == nil ? .double : .integer64 }

    /// The reason why the ranges cannot be used; nil if they can.
    package var defect: String? {
        switch form {
        case .uniform(let step): step > 0 ? nil : "the step \(step) is not above 0"
        case .bounded(let bounds):
            bounds.isEmpty
                ? "there are no bounds" : bounds.contains(where: \.isNaN) ? "a bound is not a number" : nil
        }
    }

    /// Returns the key of the range that contains a stored number; null for a value that is not a number.
    ///
    /// - Complexity: O(1), or O(log *b*) in the number of bounds: some nanoseconds, and about a microsecond
    ///   for a decimal and for a double near a bound.
    package func key(for value: StoredValue) -> StoredValue {
        guard let place = position(of: value) else { return .null }
        switch form {
        case .uniform(let step):
            if let integer = integers?.first { return .integer(place * integer) }
            return .real(Self.double(Decimal(place) * step))
        case .bounded:
            guard place > 0 else {
                return integers.map { .integer($0[0] - 1) } ?? .real(doubles[0].nextDown)
            }
            return integers.map { .integer($0[Int(place) - 1]) } ?? .real(doubles[Int(place) - 1])
        }
    }

    /// Returns the name of the range that contains a number: `10 to 20`, `below 1950`, `2000 and above`; nil
    /// for a value that is not a number.
    package func name(of value: StoredValue) -> String? {
        guard let place = position(of: value) else { return nil }
        switch form {
        case .uniform(let step):
            let most = Decimal(mostSteps)
            guard place < mostSteps else { return "\(most * step) and above" }
            guard place >= -mostSteps else { return "below \(-most * step)" }
            return "\(Decimal(place) * step) to \((Decimal(place) + 1) * step)"
        case .bounded(let bounds):
            let place = Int(place)
            guard place > 0 else { return "below \(bounds[0])" }
            guard place < bounds.count else { return "\(bounds[place - 1]) and above" }
            return "\(bounds[place - 1]) to \(bounds[place])"
        }
    }
}

extension NumberRanges {
    /// Returns the index of the range that contains a number: for ranges of equal length the number of steps
    /// from 0 to its lower bound, limited to ``mostSteps`` and one less below 0; otherwise the number of
    /// bounds that are not above the number.
    private func position(of value: StoredValue) -> Int64? {
        guard defect == nil else { return nil }
        switch value {
        case .integer(let number): return position(of: number)
        case .real(let number): return number.isNaN ? nil : position(of: number)
        case .text:
            guard let number = DecimalNumber(value) else { return nil }
            if let decimal = number.decimal { return position(of: decimal) }
            return Double(number.canonicalText).map(position(of:))
        case .null, .blob: return nil
        }
    }

    private func position(of number: Int64) -> Int64 {
        guard let integers else { return position(of: Decimal(number)) }
        switch form {
        case .uniform: return limited(CivilCalendar.floorDivide(number, integers[0]))
        case .bounded: return Int64(Self.count(of: integers) { $0 <= number })
        }
    }

    private func position(of number: Double) -> Int64 {
        guard case .uniform(let step) = form else { return Int64(Self.count(of: doubles) { $0 <= number }) }
        let quotient = number / doubles[0]
        guard abs(quotient) < Double(mostSteps) + 2 else {
            return quotient < 0 ? -mostSteps - 1 : mostSteps
        }
        var place = Int64(quotient.rounded(.down))
        // The quotient is exact to 15 digits, so only a quotient near an integer can be on the wrong side of
        // it.
        let isNearInteger = abs(quotient - quotient.rounded()) <= max(1, abs(quotient)) * 0x1p-48
        if isNearInteger {
            place = Int64(quotient.rounded())
            while number < Self.double(Decimal(place) * step) { place -= 1 }
            while number >= Self.double(Decimal(place + 1) * step) { place += 1 }
        }
        return limited(place)
    }

    private func position(of number: Decimal) -> Int64 {
        switch form {
        case .uniform(let step):
            let quotient = Self.double(number) / doubles[0]
            guard abs(quotient) < Double(mostSteps) + 2 else {
                return quotient < 0 ? -mostSteps - 1 : mostSteps
            }
            var place = Int64(quotient.rounded(.down))
            // A product beyond the largest decimal is not a number, and ends the search.
            func bound(_ place: Int64) -> Decimal? {
                let bound = Decimal(place) * step
                return bound.isNaN ? nil : bound
            }
            while let lower = bound(place), number < lower { place -= 1 }
            while let upper = bound(place + 1), number >= upper { place += 1 }
            return limited(place)
        case .bounded(let bounds): return Int64(Self.count(of: bounds) { $0 <= number })
        }
    }

    /// The largest number of steps from 0 to a bound; with an integer step, all bounds are 64-bit integers.
    private var mostSteps: Int64 {
        guard let step = integers?.first else { return Self.mostSteps }
        return min(Self.mostSteps, Int64.max / step - 1)
    }

    private func limited(_ place: Int64) -> Int64 { min(max(place, -mostSteps - 1), mostSteps) }

    /// Returns the number of elements at the front of an ascending array that fulfil a condition.
    private static func count<Element>(of elements: [Element], where isIncluded: (Element) -> Bool) -> Int {
        var (low, high) = (0, elements.count)
        while low < high {
            let middle = (low + high) / 2
            if isIncluded(elements[middle]) { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// Returns the number that a literal denotes: `0.1` creates a decimal from the nearest double, whose
    /// further digits are not those of the literal.
    private static func exact(_ number: Decimal) -> Decimal {
        guard number.exponent < 0, let double = Double(number.description), Decimal(double) == number,
            let written = DecimalNumber(.real(double))?.decimal
        else { return number }
        return written
    }

    /// Returns the nearest floating-point number; that of `Decimal` itself is not always the nearest.
    private static func double(_ number: Decimal) -> Double { Double(number.description) ?? .nan }

    private static func integers(_ numbers: [Decimal]) -> [Int64]? {
        let integers = numbers.compactMap { Int64($0.description) }
        return integers.count == numbers.count && !integers.isEmpty ? integers : nil
    }
}

extension NumberRanges: CustomStringConvertible {
    /// The ranges as text, from which ``init(_:)`` creates them: `step 10`, `bounds 1950 1980`.
    package var description: String {
        switch form {
        case .uniform(let step): return "step \(step)"
        case .bounded(let bounds): return bounds.reduce("bounds") { $0 + " \($1)" }
        }
    }

    /// Creates the ranges of a description; nil for any other text.
    package init?(_ description: String) {
        let words = description.split(separator: " ")
        let numbers = words.dropFirst().compactMap { DecimalNumber(String($0))?.decimal }
        guard numbers.count + 1 == words.count else { return nil }
        switch (words.first, numbers.count) {
        case ("step", 1): self.init(step: numbers[0])
        case ("bounds", _): self.init(bounds: numbers)
        default: return nil
        }
    }
}
