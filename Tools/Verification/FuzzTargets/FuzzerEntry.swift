#if FUZZING
import Foundation
import Fuzzing

/// The target that the environment variable `FUZZ_TARGET` names. libFuzzer calls a function without a
/// context, from one thread.
nonisolated(unsafe) private let target: any FuzzTarget = {
    let name = ProcessInfo.processInfo.environment["FUZZ_TARGET"] ?? ""
    guard let type = Fuzzing.FuzzTargets.named(name) else {
        fatalError("FUZZ_TARGET names no target: “\(name)”")
    }
    do {
        return try type.init()
    } catch {
        fatalError("\(error)")
    }
}()

/// What libFuzzer calls, whose entry point takes the place of the program's in the build that `Tools/fuzz`
/// makes.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    do {
        _ = try target.run(Array(UnsafeBufferPointer(start: bytes, count: count)))
        return 0
    } catch {
        // libFuzzer keeps the input that a process died of.
        fatalError("\(error)")
    }
}
#endif
