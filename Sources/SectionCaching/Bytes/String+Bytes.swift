extension String {
    /// Returns whether another text has the same bytes. Swift's `==` also treats texts as equal whose accents
    /// are composed differently, which the store distinguishes.
    package func hasBytes(of other: String) -> Bool {
        utf8.count == other.utf8.count && utf8.elementsEqual(other.utf8)
    }
}
