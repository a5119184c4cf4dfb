extension String {
    /// Returns whether the text contains another one, byte by byte.
    ///
    /// The standard library's function searches by characters, and looks up conformances when a program first
    /// uses it, which takes a tenth of a program's start time.
    ///
    /// - Parameters:
    ///   - part: The bytes to find.
    ///   - ignoresCase: Whether a lower-case ASCII letter of the text equals the upper-case letter of `part`.
    /// - Complexity: O(*n* × *m*) in the bytes of both.
    package func containsBytes(of part: StaticString, ignoresCase: Bool = false) -> Bool {
        let part = UnsafeBufferPointer(start: part.utf8Start, count: part.utf8CodeUnitCount)
        var copy = self
        return copy.withUTF8 { text in
            guard text.count >= part.count else { return false }
            var start = 0
            while start <= text.count - part.count {
                var length = 0
                while length < part.count {
                    let byte = text[start + length]
                    let isLowerCase = ignoresCase && byte >= 0x61 && byte <= 0x7A
                    guard (isLowerCase ? byte - 0x20 : byte) == part[length] else { break }
                    length += 1
                }
                if length == part.count { return true }
                start += 1
            }
            return false
        }
    }
}
