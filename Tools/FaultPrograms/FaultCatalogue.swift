/// All fault programs.
enum FaultCatalogue {
    static let programs: [any FaultProgram.Type] = [
        CacheNameFaults.self,
        FullDiskFaults.self, FullReaderFaults.self, SecondCopyFaults.self, ForkFaults.self,
        ProcessNumberFaults.self,
        DirectoryFaults.self, ManyProcessFaults.self, StoppedProcessFaults.self, LeakFaults.self,
    ]

    static func program(named name: String) -> (any FaultProgram.Type)? { programs.first { $0.name == name } }
}
