import InternalUtilities

/// The system resources that Swift's tasks need.
package enum TaskResources {
    /// Whether this process can currently create a thread and open the file descriptors that Dispatch needs.
    package static var areThere: Bool {
        FileDescriptors.areFree(FileDescriptors.neededByDispatch) && WorkThread.start("trial") {}
    }
}
