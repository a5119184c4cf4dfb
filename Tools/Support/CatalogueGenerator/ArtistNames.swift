/// The names of artists, computed from a number without a table of artists.
///
/// A name is a given name, a family name and sometimes a word for an ensemble. Every number has a different
/// name, because the number is written in a mixed radix whose digits are these three choices. Neighbouring
/// numbers get unrelated names, so that artists with many songs are spread over the alphabet.
struct ArtistNames: Sendable {
    /// The number of different names.
    static let count = 64 * 96 * 16

    private let givenNames: [String] = Vocabulary.words(
        """
        Ada Agnès Aiko Alma Amara Ana André Anouk Arjun Astrid Aurélie Beatriz Björn Bruno Camila Carlos
        Chiara Chloé Clara Daniel Dmitri Edith Elena Elif Émile Esther Fatima Félix Freya Gabriel Giulia Grace
        Hana Henrik Hugo Ida Ingrid Isabel Ivan Jack Jana Joana José Julia Kaito Karin Kofi Lars
        Leila Léo Lucía Łukasz Maeve Malik María Mateo Nadia Nils Noor Olga Óscar Priya Sören Zoë
        """)

    private let familyNames: [String] = Vocabulary.words(
        """
        Abara Åkesson Almeida Andersen Aoki Bäcker Baptiste Barros Bell Benítez Bergström Bianchi Blanc Brandt
        Brooks Cardoso Carter Castillo Černý Chanda Costa Cruz Dahl Darwish Delgado Demir Dubois Duarte Eriksen
        Esposito Évrard Fairweather Falk Ferrari Fischer Fontaine Fraser García Gonçalves Grant Guðmundsdóttir
        Haddad Halvorsen Hart Hayashi Hernández Hoffmann Holloway Ito Ivanova Jansen Jensen Kaya Keller Kimura
        Kovács Kowalska Lambert Larsen Lefèvre Lindqvist López Marchetti Martin Mensah Meyer Mizrahi Moreau Müller
        Nakamura Navarro Novák Nyström Ødegård Okafor Oliveira Öztürk Park Pereira Petrov Quinn Ramírez Rasmussen
        Reyes Rossi Sato Schäfer Silva Šimek Sørensen Tanaka Turner Ünal Vogel Walker Żak
        """)

    private let ensembles: [String] = [
        "", " Trio", " Quartet", " Quintet", " Sextet", " Orchestra", " Ensemble", " Band", " Duo", " Octet",
        " Collective", " Big Band", " Choir", " Experience", " Group", " & Friends",
    ]

    init() {
        let combinations = givenNames.count * familyNames.count * ensembles.count
        precondition(combinations == Self.count, "the tables hold \(combinations) names, not \(Self.count)")
    }

    /// Returns the name of artist number `artist`.
    ///
    /// - Parameter artist: A number in `0..<ArtistNames.count`.
    func name(of artist: Int) -> String {
        // 15,485,863 is a prime that does not divide the count, so multiplication by it modulo the count is a
        // bijection.
        var number = artist * 15_485_863 % Self.count
        let given = givenNames[number % givenNames.count]
        number /= givenNames.count
        let family = familyNames[number % familyNames.count]
        number /= familyNames.count
        var name = given
        name += " "
        name += family
        name += ensembles[number]
        return name
    }
}
