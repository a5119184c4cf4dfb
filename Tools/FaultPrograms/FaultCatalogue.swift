/// All fault programs.
enum FaultCatalogue {
    static let programs: [any FaultProgram.Type] = [
        CacheNameFaults.self,
        ParserFaults.self, HostileImports.self, HostileStores.self,
    ]

    static func program(named name: String) -> (any FaultProgram.Type)? { programs.first { $0.name == name } }
}
