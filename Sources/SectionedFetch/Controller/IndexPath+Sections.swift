public import Foundation

#if !canImport(UIKit) && !canImport(AppKit)
extension IndexPath {
    /// The path of a row in a section.
    ///
    /// - Parameters:
    ///   - row: The position of the row in its section, from 0.
    ///   - section: The position of the section, from 0.
    public init(row: Int, section: Int) { self.init(indexes: [section, row]) }
    /// The path of an item in a section.
    ///
    /// - Parameters:
    ///   - item: The position of the item in its section, from 0.
    ///   - section: The position of the section, from 0.
    public init(item: Int, section: Int) { self.init(indexes: [section, item]) }
    /// The position of the section.
    public var section: Int { self[0] }
    /// The position of the row in its section.
    public var row: Int { self[1] }
    /// The position of the item in its section.
    public var item: Int { self[1] }
}
#endif
