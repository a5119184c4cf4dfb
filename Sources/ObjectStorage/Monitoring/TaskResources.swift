import InternalUtilities

/// What Swift's tasks need of the system.
package enum TaskResources {
    /// Whether this process gets a thread and the file descriptors of Dispatch now.
    package static var areThere: Bool {
        FileDescriptors.areFree(FileDescriptors.neededByDispatch) && WorkThread.start("trial") {}
    }
}
