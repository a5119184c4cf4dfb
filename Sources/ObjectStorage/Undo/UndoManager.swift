extension ManagedObjectContext {
    /// A recorder of the changes of a context, in groups that are undone together.
    ///
    /// Assign an instance to ``ManagedObjectContext/undoManager``. Changes are in one group until
    /// ``ManagedObjectContext/processPendingChanges()``, a save or an undo closes it; between
    /// ``beginUndoGrouping()`` and ``endUndoGrouping()``, only an undo closes it.
    ///
    /// The objects concerned are retained. Foundation's class of this name does not exist on all platforms.
    public final class UndoManager {
        /// A step that undoes one change.
        enum Step {
            /// Restores the value of a slot, and the object that a relationship led to.
            case value(ManagedObject, slot: Int, StoredValue, reference: ManagedObject?)
            /// Restores the objects that a relationship stored in a link table led to.
            case links(ManagedObject, LinkEnd, [ManagedObject])
            /// Deletes an object that was inserted.
            case insertion(ManagedObject)
            /// Restores an object that was deleted.
            case deletion(ManagedObject)

            /// The object that the step changes.
            var object: ManagedObject {
                switch self {
                case .value(let object, _, _, _), .links(let object, _, _), .insertion(let object),
                    .deletion(let object):
                    object
                }
            }
        }

        struct Group {
            var steps: [Step] = []
            var name: String?
        }

        private enum Mode { case recording, undoing, redoing }

        /// The maximum number of groups that can be undone; older ones are discarded. 0 means no limit.
        public var levelsOfUndo = 0
        private var undoGroups: [Group] = []
        private var redoGroups: [Group] = []
        private var open = Group()
        private var mode = Mode.recording
        private var depth = 0
        private var disabledDepth = 0
        /// The objects that were restored under a new identity after their deletion was saved, by previous
        /// identity with the name of the root entity: a relationship may lead to an object by any entity of
        /// the hierarchy.
        var restoredObjects: [ObjectID: ManagedObject] = [:]
        /// The order of objects that were restored under other keys.
        var restoredOrder = RestoredOrder()
        /// The objects of ordered lists that the current undo or redo restores or moves.
        var replayed: Set<ManagedObject> = []

        /// Creates an undo manager without recorded changes.
        public init() {}

        /// Whether a change can be undone.
        public var canUndo: Bool { !open.steps.isEmpty || !undoGroups.isEmpty }
        /// Whether a change can be redone: a change was undone, and none was made since.
        public var canRedo: Bool { open.steps.isEmpty && !redoGroups.isEmpty }
        /// The name of the group that the next undo reverts.
        public var undoActionName: String? { open.steps.isEmpty ? undoGroups.last?.name : open.name }
        /// The name of the group that the next redo restores.
        public var redoActionName: String? { canRedo ? redoGroups.last?.name : nil }
        /// Whether changes are currently recorded.
        public var isUndoRegistrationEnabled: Bool { disabledDepth == 0 }

        /// Begins a group. Groups may be nested; only the outermost one counts.
        public func beginUndoGrouping() {
            if depth == 0 { closeGroup() }
            depth += 1
        }

        /// Ends a group that was begun. A group that was undone in the meantime has ended already.
        public func endUndoGrouping() {
            guard depth > 0 else { return }
            depth -= 1
            if depth == 0 { closeGroup() }
        }

        /// Sets the name, for a menu, of the open group, or of the last group if none is open.
        ///
        /// - Parameter name: The name, which ``undoActionName`` and ``redoActionName`` return for the group.
        public func setActionName(_ name: String) {
            if open.steps.isEmpty, depth == 0, !undoGroups.isEmpty {
                undoGroups[undoGroups.count - 1].name = name
            } else {
                open.name = name
            }
        }

        /// Stops recording changes until ``enableUndoRegistration()`` is called as many times.
        public func disableUndoRegistration() { disabledDepth += 1 }

        /// Resumes recording changes.
        public func enableUndoRegistration() {
            precondition(disabledDepth > 0, "enableUndoRegistration() without disableUndoRegistration().")
            disabledDepth -= 1
        }

        /// Discards all recorded changes.
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
    /// Records a step that undoes a change.
    func record(_ step: Step) {
        guard disabledDepth == 0 else { return }
        if mode == .recording { redoGroups = [] }
        open.steps.append(step)
    }

    /// Ends the open group, unless it was begun explicitly.
    func closeGroup() {
        guard depth == 0, !open.steps.isEmpty else { return }
        undoGroups.append(open)
        open = Group()
        if levelsOfUndo > 0, undoGroups.count > levelsOfUndo {
            undoGroups.removeFirst(undoGroups.count - levelsOfUndo)
        }
    }

    /// Discards the steps that undo changes of some objects.
    func forgetSteps(of objects: [ManagedObject: Int64]) {
        func without(_ group: Group) -> Group {
            Group(steps: group.steps.filter { objects[$0.object] == nil }, name: group.name)
        }
        open = without(open)
        undoGroups = undoGroups.map(without).filter { !$0.steps.isEmpty }
        redoGroups = redoGroups.map(without).filter { !$0.steps.isEmpty }
    }

    /// Undoes the last group, and records the steps of its redo.
    func undo(_ revert: (Step) -> Void) {
        depth = 0
        closeGroup()
        guard let group = undoGroups.popLast() else { return }
        redoGroups.append(replay(group, .undoing, revert))
    }

    /// Redoes the group that was undone last.
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
