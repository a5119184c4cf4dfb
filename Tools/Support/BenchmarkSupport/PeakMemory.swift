import Foundation

/// The peak memory of this process.
package enum PeakMemory {
    /// Returns the peak memory in KiB that Linux records for the running program, or 0 on other systems.
    ///
    /// `ru_maxrss` would be simpler, but Linux carries it over from the process that started this one
    /// (`exec_mmap` in `fs/exec.c`), so that it measures the benchmark rather than the sample.
    package static func kibibytes() -> Int {
        let descriptor = open("/proc/self/status", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return 0 }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: 4_096)
        let count = read(descriptor, &bytes, bytes.count)
        let label = Array("VmHWM:".utf8)
        guard count > label.count,
            let offset = (0...count - label.count).first(where: {
                bytes[$0..<$0 + label.count].elementsEqual(label)
            })
        else { return 0 }
        var kibibytes = 0
        for byte in bytes[(offset + label.count)..<count] {
            switch byte {
            case 0x30...0x39: kibibytes = kibibytes * 10 + Int(byte - 0x30)
            case 0x20, 0x09: continue
            default: return kibibytes
            }
        }
        return kibibytes
    }
}
