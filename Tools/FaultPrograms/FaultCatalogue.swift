/// All fault programs.
enum FaultCatalogue {
    static let programs: [any FaultProgram.Type] = [
        CacheNameFaults.self,
        DamagedFileFaults.self, TornFileFaults.self, HostileMetaFaults.self, LostFileFaults.self,
        FullMapFaults.self,
        StaleReaderFaults.self, ForgedEntryFaults.self, DisabledTriggerFaults.self, MemoryFaults.self,
    ]

    static func program(named name: String) -> (any FaultProgram.Type)? { programs.first { $0.name == name } }
}
