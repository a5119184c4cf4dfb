/// All fault programs.
enum FaultCatalogue {
    static let programs: [any FaultProgram.Type] = [
        CacheNameFaults.self, ConcurrentUseFaults.self,
        FullDiskFaults.self, FullReaderFaults.self, SecondCopyFaults.self, ForkFaults.self,
        ProcessNumberFaults.self,
        DirectoryFaults.self, ManyProcessFaults.self, StoppedProcessFaults.self, LeakFaults.self,
        // Of the store and its tokens.
        ForeignWriteFaults.self, SchemaFaults.self, CopyFaults.self, RollbackFaults.self, SnapshotFaults.self,
        RequestFaults.self, TextFaults.self, KillFaults.self, TriggerlessFaults.self,
        EnvironmentFaults.self, VanishingEntryFaults.self, OneStateFaults.self, RuleFaults.self,
        UnwritableStoreFaults.self,
        ClockFaults.self,
        CacheWriteFaults.self,
        InputOutputFaults.self,
        // Of the files of caches.
        DamagedFileFaults.self, TornFileFaults.self, HostileMetaFaults.self, LostFileFaults.self,
        FullMapFaults.self,
        StaleReaderFaults.self, ForgedEntryFaults.self, DisabledTriggerFaults.self, MemoryFaults.self,
        // Of files that somebody else made.
        ParserFaults.self, HostileImports.self, HostileStores.self,
        // Of systems that give little.
        LimitFaults.self,
    ]

    static func program(named name: String) -> (any FaultProgram.Type)? { programs.first { $0.name == name } }
}
