public import Foundation
public import ObjectStorage

/// Sections of dates and numbers.
extension SectionKey {
    /// Groups by the year of the date. See
    /// ``/ObjectStorage/KeyExpression/year(of:in:)-(String,_)``.
    ///
    /// - Parameters:
    ///   - path: A dotted key path to a date attribute.
    ///   - timeZone: The time zone in which years begin.
    public static func year(of path: String, in timeZone: TimeZone) -> Self {
        Self(.year(of: path, in: timeZone))
    }

    /// Groups by the year of the date at a Swift key path.
    ///
    /// - Parameters:
    ///   - keyPath: The key path of a date attribute, through declared properties. One that computes a value
    ///     traps.
    ///   - timeZone: The time zone in which years begin.
    public static func year<Object: ManagedObject, Value>(
        of keyPath: KeyPath<Object, Value>, in timeZone: TimeZone
    ) -> Self {
        Self(.year(of: keyPath, in: timeZone))
    }

    /// Groups by the month of the date. See
    /// ``/ObjectStorage/KeyExpression/month(of:in:)-(String,_)``.
    ///
    /// - Parameters:
    ///   - path: A dotted key path to a date attribute.
    ///   - timeZone: The time zone in which months begin.
    public static func month(of path: String, in timeZone: TimeZone) -> Self {
        Self(.month(of: path, in: timeZone))
    }

    /// Groups by the month of the date at a Swift key path.
    ///
    /// - Parameters:
    ///   - keyPath: The key path of a date attribute, through declared properties. One that computes a value
    ///     traps.
    ///   - timeZone: The time zone in which months begin.
    public static func month<Object: ManagedObject, Value>(
        of keyPath: KeyPath<Object, Value>, in timeZone: TimeZone
    ) -> Self {
        Self(.month(of: keyPath, in: timeZone))
    }

    /// Groups by the day of the date. See
    /// ``/ObjectStorage/KeyExpression/day(of:in:)-(String,_)``.
    ///
    /// - Parameters:
    ///   - path: A dotted key path to a date attribute.
    ///   - timeZone: The time zone in which days begin.
    public static func day(of path: String, in timeZone: TimeZone) -> Self {
        Self(.day(of: path, in: timeZone))
    }

    /// Groups by the day of the date at a Swift key path.
    ///
    /// - Parameters:
    ///   - keyPath: The key path of a date attribute, through declared properties. One that computes a value
    ///     traps.
    ///   - timeZone: The time zone in which days begin.
    public static func day<Object: ManagedObject, Value>(
        of keyPath: KeyPath<Object, Value>, in timeZone: TimeZone
    ) -> Self {
        Self(.day(of: keyPath, in: timeZone))
    }

    /// Groups by the week of the date. See
    /// ``/ObjectStorage/KeyExpression/week(of:in:)-(String,_)``.
    ///
    /// - Parameters:
    ///   - path: A dotted key path to a date attribute.
    ///   - timeZone: The time zone in which weeks begin.
    public static func week(of path: String, in timeZone: TimeZone) -> Self {
        Self(.week(of: path, in: timeZone))
    }

    /// Groups by the week of the date at a Swift key path.
    ///
    /// - Parameters:
    ///   - keyPath: The key path of a date attribute, through declared properties. One that computes a value
    ///     traps.
    ///   - timeZone: The time zone in which weeks begin.
    public static func week<Object: ManagedObject, Value>(
        of keyPath: KeyPath<Object, Value>, in timeZone: TimeZone
    ) -> Self {
        Self(.week(of: keyPath, in: timeZone))
    }

    /// Groups by the quarter of the date. See
    /// ``/ObjectStorage/KeyExpression/quarter(of:in:)-(String,_)``.
    ///
    /// - Parameters:
    ///   - path: A dotted key path to a date attribute.
    ///   - timeZone: The time zone in which quarters begin.
    public static func quarter(of path: String, in timeZone: TimeZone) -> Self {
        Self(.quarter(of: path, in: timeZone))
    }

    /// Groups by the quarter of the date at a Swift key path.
    ///
    /// - Parameters:
    ///   - keyPath: The key path of a date attribute, through declared properties. One that computes a value
    ///     traps.
    ///   - timeZone: The time zone in which quarters begin.
    public static func quarter<Object: ManagedObject, Value>(
        of keyPath: KeyPath<Object, Value>, in timeZone: TimeZone
    ) -> Self {
        Self(.quarter(of: keyPath, in: timeZone))
    }

    /// Groups by the decade of the date. See
    /// ``/ObjectStorage/KeyExpression/decade(of:in:)-(String,_)``.
    ///
    /// - Parameters:
    ///   - path: A dotted key path to a date attribute.
    ///   - timeZone: The time zone in which decades begin.
    public static func decade(of path: String, in timeZone: TimeZone) -> Self {
        Self(.decade(of: path, in: timeZone))
    }

    /// Groups by the decade of the date at a Swift key path.
    ///
    /// - Parameters:
    ///   - keyPath: The key path of a date attribute, through declared properties. One that computes a value
    ///     traps.
    ///   - timeZone: The time zone in which decades begin.
    public static func decade<Object: ManagedObject, Value>(
        of keyPath: KeyPath<Object, Value>, in timeZone: TimeZone
    ) -> Self {
        Self(.decade(of: keyPath, in: timeZone))
    }

    /// Groups by the range of equal length that contains the number. See
    /// ``/ObjectStorage/KeyExpression/range(of:step:)-(String,_)``.
    ///
    /// - Parameters:
    ///   - path: A dotted key path to an attribute of integers, floating-point numbers or decimals.
    ///   - step: The length of a range, above 0. One range begins at 0.
    public static func range(of path: String, step: Decimal) -> Self {
        Self(.range(of: path, step: step))
    }

    /// Groups by the range of equal length that contains the number at a Swift key path.
    ///
    /// - Parameters:
    ///   - keyPath: The key path of an attribute of integers, floating-point numbers or decimals. One that
    ///     computes a value traps.
    ///   - step: The length of a range, above 0. One range begins at 0.
    public static func range<Object: ManagedObject, Value>(
        of keyPath: KeyPath<Object, Value>, step: Decimal
    ) -> Self {
        Self(.range(of: keyPath, step: step))
    }

    /// Groups by the range between bounds that contains the number. See
    /// ``/ObjectStorage/KeyExpression/range(of:bounds:)-(String,_)``.
    ///
    /// - Parameters:
    ///   - path: A dotted key path to an attribute of integers, floating-point numbers or decimals.
    ///   - bounds: The bounds, in any order; at least one.
    public static func range(of path: String, bounds: [Decimal]) -> Self {
        Self(.range(of: path, bounds: bounds))
    }

    /// Groups by the range between bounds that contains the number at a Swift key path.
    ///
    /// - Parameters:
    ///   - keyPath: The key path of an attribute of integers, floating-point numbers or decimals. One that
    ///     computes a value traps.
    ///   - bounds: The bounds, in any order; at least one.
    public static func range<Object: ManagedObject, Value>(
        of keyPath: KeyPath<Object, Value>, bounds: [Decimal]
    ) -> Self {
        Self(.range(of: keyPath, bounds: bounds))
    }
}
