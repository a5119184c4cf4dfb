import Foundation
import Mutants

/// A reserve of address space for the rest of the process while a cache is opened, for processes whose
/// address space is limited (`RLIMIT_AS`).
///
/// The map of a cache takes as much address space as is available, and an allocation that fails afterwards
/// ends the process.
struct AddressReserve {
    /// The size in bytes: enough for a list, some threads and their allocations.
    private static let byteCount = 64 << 20

    /// The reserved address; nil if address space is not limited, so that nothing is reserved.
    private let address: UnsafeMutableRawPointer?

    /// Reserves the space; returns nil if that much is not available.
    init?() {
        var limit = rlimit()
        #if canImport(Glibc)
        let status = getrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit)
        #else
        let status = getrlimit(RLIMIT_AS, &limit)
        #endif
        // No machine has as much address space as the value that represents “no limit”.
        guard status == 0, limit.rlim_cur < 1 << 60, !Mutant.unreservedDescriptors.isPlanted else {
            address = nil
            return
        }
        let mapped = mmap(nil, Self.byteCount, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
        guard let mapped, mapped != MAP_FAILED else { return nil }
        address = mapped
    }

    /// Releases the space for later allocations.
    func release() {
        if let address { munmap(address, Self.byteCount) }
    }
}
