import Foundation
import Mutants

/// Address space that a cache leaves to the rest of the process, where that has a limit (`RLIMIT_AS`).
///
/// The map of a cache takes what it gets, and an allocation that fails afterwards ends the process.
struct AddressReserve {
    /// Enough for a list, some threads and what they allocate, in bytes.
    private static let byteCount = 64 << 20

    /// Nil where there is no limit, and so nothing to be held.
    private let address: UnsafeMutableRawPointer?

    /// Takes the space, or gives nil if there is not so much.
    init?() {
        var limit = rlimit()
        #if canImport(Glibc)
        let status = getrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit)
        #else
        let status = getrlimit(RLIMIT_AS, &limit)
        #endif
        // No machine has as much as the value that stands for “no limit”.
        guard status == 0, limit.rlim_cur < 1 << 60, !Mutant.unreservedDescriptors.isPlanted else {
            address = nil
            return
        }
        let mapped = mmap(nil, Self.byteCount, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
        guard let mapped, mapped != MAP_FAILED else { return nil }
        address = mapped
    }

    /// Gives the space to whatever comes next.
    func release() {
        if let address { munmap(address, Self.byteCount) }
    }
}
