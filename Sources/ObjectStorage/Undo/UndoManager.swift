extension ManagedObjectContext {
    /// Keeps what undoes the changes of a context, in groups that are undone as one.
    ///
    /// Give one to ``ManagedObjectContext/undoManager``. Changes are in one group until
    /// ``ManagedObjectContext/processPendingChanges()``, a save, or an undo closes it; between
    /// ``beginUndoGrouping()`` and ``endUndoGrouping()`` it stays open whatever happens.
    ///
    /// The objects concerned are kept in memory. Foundation's class of this name does not exist on all
    /// systems.
    public final class UndoManager {
        /// One change, as what undoes it.
        enum Step {
            /// The value that a slot had, and the object that a relationship led to.
            case value(ManagedObject, slot: Int, StoredValue, reference: ManagedObject?)
            /// What a relationship kept in a link table led to.
            case links(ManagedObject, LinkEnd, [ManagedObject])
            case insertion(ManagedObject)
            case deletion(ManagedObject)
        }

        struct Group {
            var steps: [Step] = []
            var name: String?
        }

        private enum Mode { case recording, undoing, redoing }

        /// How many groups can be undone; the oldest are forgotten. 0 means all.
        public var levelsOfUndo = 0
        private var undoGroups: [Group] = []
        private var redoGroups: [Group] = []
        private var open = Group()
        private var mode = Mode.recording
        private var depth = 0
        private var disabledDepth = 0
        /// Objects that are back under a new identity after their deletion was saved, by the identity that
        /// they had, with the name of the entity that is the root of theirs: a relationship may lead to an
        /// object by any entity in between.
        var restoredObjects: [ObjectID: ManagedObject] = [:]
        /// Where objects stand that came back under other keys.
        var restoredOrder = RestoredOrder()
        /// The objects of ordered lists that are brought back or led elsewhere by what is being undone or
        /// redone.
        var replayed: Set<ManagedObject> = []

        /// Makes an undo manager that has nothing to undo.
        public init() {}

        /// Whether there is something to undo.
        public var canUndo: Bool { !open.steps.isEmpty || !undoGroups.isEmpty }
        /// Whether there is something to redo: something was undone, and nothing changed since.
        public var canRedo: Bool { open.steps.isEmpty && !redoGroups.isEmpty }
        /// The name of what the next undo undoes.
        public var undoActionName: String? { open.steps.isEmpty ? undoGroups.last?.name : open.name }
        /// The name of what the next redo does again.
        public var redoActionName: String? { canRedo ? redoGroups.last?.name : nil }
        /// Whether changes are kept at this time.
        public var isUndoRegistrationEnabled: Bool { disabledDepth == 0 }

        /// Begins a group; may be nested, and then the outermost counts.
        public func beginUndoGrouping() {
            if depth == 0 { closeGroup() }
            depth += 1
        }

        /// Ends a group that was begun; one that was undone meanwhile has ended.
        public func endUndoGrouping() {
            guard depth > 0 else { return }
            depth -= 1
            if depth == 0 { closeGroup() }
        }

        /// Names the changes of the open group for a menu, or those of the last one if none is open.
        public func setActionName(_ name: String) {
            if open.steps.isEmpty, depth == 0, !undoGroups.isEmpty {
                undoGroups[undoGroups.count - 1].name = name
            } else {
                open.name = name
            }
        }

        /// Stops keeping changes, until ``enableUndoRegistration()`` was called as often.
        public func disableUndoRegistration() { disabledDepth += 1 }

        /// Keeps changes again.
        public func enableUndoRegistration() {
            precondition(disabledDepth > 0, "enableUndoRegistration() without disableUndoRegistration().")
            disabledDepth -= 1
        }

        /// Forgets everything that could be undone or redone.
        public func removeAllActions() {
            undoGroups = []
            redoGroups = []
            open = Group()
            restoredObjects = [:]
            restoredOrder = RestoredOrder()
        }
    }
}

extension ManagedObjectContext.UndoManager {
    /// Keeps what undoes a change.
    func record(_ step: Step) {
        guard disabledDepth == 0 else { return }
        if mode == .recording { redoGroups = [] }
        open.steps.append(step)
    }

    /// Ends the open group, unless somebody began it explicitly.
    func closeGroup() {
        guard depth == 0, !open.steps.isEmpty else { return }
        undoGroups.append(open)
        open = Group()
        if levelsOfUndo > 0, undoGroups.count > levelsOfUndo {
            undoGroups.removeFirst(undoGroups.count - levelsOfUndo)
        }
    }

    /// Undoes the last group; what undoes that again can be redone.
    func undo(_ revert: (Step) -> Void) {
        depth = 0
        closeGroup()
        guard let group = undoGroups.popLast() else { return }
        redoGroups.append(replay(group, .undoing, revert))
    }

    /// Does the group again that was undone last.
    func redo(_ revert: (Step) -> Void) {
        guard canRedo, let group = redoGroups.popLast() else { return }
        undoGroups.append(replay(group, .redoing, revert))
    }

    private func replay(_ group: Group, _ mode: Mode, _ revert: (Step) -> Void) -> Group {
        self.mode = mode
        for step in group.steps.reversed() { revert(step) }
        self.mode = .recording
        defer { open = Group() }
        return Group(steps: open.steps, name: group.name)
    }
}
