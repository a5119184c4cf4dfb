/// A child context, held weakly by its parent.
struct ChildContext {
    weak var context: ManagedObjectContext?
}
