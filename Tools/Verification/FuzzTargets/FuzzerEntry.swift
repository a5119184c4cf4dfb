#if FUZZING
import Foundation
import Fuzzing

/// The target that the environment variable `FUZZ_TARGET` names. libFuzzer calls a function without a
/// context, from one thread.
nonisolated(unsafe) private let target: any FuzzTarget = {
    let name = ProcessInfo.processInfo.environment["FUZZ_TARGET"] ?? ""
    guard let type = Fuzzing.FuzzTargets.named(name) else {
        fatalError("FUZZ_TARGET does not name a target: “\(name)”")
    }
    do {
        return try type.init()
    } catch {
        fatalError("\(error)")
    }
}()

/// The function that libFuzzer calls. In the build of `Tools/fuzz`, libFuzzer's entry point replaces that of
/// the program.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    do {
        _ = try target.run(Array(UnsafeBufferPointer(start: bytes, count: count)))
        return 0
    } catch {
        // libFuzzer saves the input with which a process ends.
        fatalError("\(error)")
    }
}
#endif
