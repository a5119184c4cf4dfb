/// The persistent identifiers of tracks by their numbers.
struct MusicTrackIDs {
    /// The identifiers of 16 hexadecimal digits.
    private var numbers: [Int: UInt64] = [:]
    private var others: [[UInt8]: [UInt8]] = [:]
    private var identifiers = MusicIDs(noun: "track", key: "Persistent ID", numberKey: "Track ID")
    /// A sentence about numbers in place of identifiers, or nil.
    var note: String? { identifiers.note }

    /// Adds a track.
    ///
    /// - Returns: The reason why the track is bad, or nil if it has an identifier that no other one has.
    mutating func add(_ track: inout NamedRecord) -> RecordError.Reason? {
        if let problem = identifiers.add(&track) { return problem }
        guard let number = track.value("Track ID".utf8), let text = track.value("Persistent ID".utf8) else {
            return nil
        }
        if let key = Int(String(decoding: number, as: UTF8.self)), let value = MusicIDs.number(text) {
            numbers[key] = value
        } else {
            others[number] = text
        }
        return nil
    }

    /// Returns the identifier of a track, or nil if there is no such track.
    func identifier(of number: [UInt8]) -> [UInt8]? {
        if let key = Int(String(decoding: number, as: UTF8.self)), let value = numbers[key] {
            return MusicIDs.text(value)
        }
        return others[number]
    }
}
