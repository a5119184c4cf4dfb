/// The list of all fault programs.
enum FaultCatalogue {
    static let programs: [any FaultProgram.Type] = [
        CacheNameFaults.self, ConcurrentUseFaults.self,
        FullDiskFaults.self, FullReaderFaults.self, SecondCopyFaults.self, ForkFaults.self,
        ProcessNumberFaults.self,
        DirectoryFaults.self, ManyProcessFaults.self, StoppedProcessFaults.self, LeakFaults.self,
        // Stores and their tokens.
        ForeignWriteFaults.self, SchemaFaults.self, CopyFaults.self, RollbackFaults.self, SnapshotFaults.self,
        RequestFaults.self, TextFaults.self, KillFaults.self, TriggerlessFaults.self,
        EnvironmentFaults.self, VanishingEntryFaults.self, OneStateFaults.self, RuleFaults.self,
        UnwritableStoreFaults.self, FileStateFaults.self,
        ClockFaults.self,
        CacheWriteFaults.self,
        InputOutputFaults.self,
        // Cache files.
        DamagedFileFaults.self, TornFileFaults.self, HostileMetaFaults.self, LostFileFaults.self,
        FullMapFaults.self,
        StaleReaderFaults.self, ForgedEntryFaults.self, DisabledTriggerFaults.self, MemoryFaults.self,
        // Files from untrusted sources.
        ParserFaults.self, HostileImports.self, HostileStores.self,
        // Systems with little memory, few descriptors or no threads.
        LimitFaults.self,
    ]

    static func program(named name: String) -> (any FaultProgram.Type)? { programs.first { $0.name == name } }
}
