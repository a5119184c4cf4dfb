public import Foundation
public import ObjectStorage

extension FetchedResultsController where Object == ManagedObject {
    /// Returns the object at a path as a value of a union: `controller.object(at: path, as: MediaItem.self)`.
    ///
    /// A path outside the results and a union without the object's class are programmer errors and trap;
    /// ``objectIfPresent(at:as:)`` returns nil instead.
    ///
    /// - Parameters:
    ///   - indexPath: A path as in ``FetchedResultsController/object(at:)``.
    ///   - union: The type of the result, with a case for the object's class.
    /// - Complexity: O(*m*) in the number of the union's members, plus reading a batch of rows if the row was
    ///   not read yet.
    public func object<Union: ObjectUnion>(at indexPath: IndexPath, as union: Union.Type) -> Union {
        let object = object(at: indexPath)
        guard let value = Union(object: object) else {
            preconditionFailure("The union \(Union.self) has no case for objects of “\(object.entity.name)”.")
        }
        return value
    }

    /// Returns the object at a path as a value of a union; nil if the path is outside the results, or the
    /// union has no case for the object.
    ///
    /// - Parameters:
    ///   - indexPath: A path as in ``FetchedResultsController/object(at:)``.
    ///   - union: The type of the result.
    /// - Complexity: As ``object(at:as:)``.
    public func objectIfPresent<Union: ObjectUnion>(at indexPath: IndexPath, as union: Union.Type) -> Union? {
        objectIfPresent(at: indexPath).flatMap(Union.init(object:))
    }
}
