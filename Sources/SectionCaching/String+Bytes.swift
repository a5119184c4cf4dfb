extension String {
    /// Whether another text has the same bytes. Swift's `==` is true as well where only accents are composed
    /// in another way, which the store tells apart.
    package func hasBytes(of other: String) -> Bool {
        utf8.count == other.utf8.count && utf8.elementsEqual(other.utf8)
    }
}
