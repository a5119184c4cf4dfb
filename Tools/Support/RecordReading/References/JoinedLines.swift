extension [UInt8] {
    /// The text whose line ends, with the blanks around them, are one blank each.
    var withJoinedLines: [UInt8] {
        guard contains(where: { $0 == 0x0A || $0 == 0x0D }) else { return self }
        var result: [UInt8] = []
        var position = 0
        while position < count {
            let run = self[position...].prefix(while: \.isBlank)
            guard run.isEmpty else {
                let isBroken = run.contains { $0 == 0x0A || $0 == 0x0D }
                let isAtEnd = position == 0 || position + run.count == count
                result += isBroken ? (isAtEnd ? [] : [0x20]) : Array(run)
                position += run.count
                continue
            }
            result.append(self[position])
            position += 1
        }
        return result
    }
}
