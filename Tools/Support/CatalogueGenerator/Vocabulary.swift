/// The words for titles. Changing one changes every catalogue, and fails the golden test.
///
/// Accented letters are only those that Unicode decomposes into a letter and a mark (É, Å, Ñ), because only
/// they have "a first letter without its accent"; Ø, Ł and Þ are separate letters. All text is in NFC.
struct Vocabulary: Sendable {
    /// The Latin letters, in the order of ``firstWords``.
    let letters: [String] = (UInt8(ascii: "A")...UInt8(ascii: "Z")).map { String(UnicodeScalar($0)) }

    /// Ten first words of titles for each letter, in ASCII.
    let firstWords: [[String]] = [
        "Amber Autumn Arrow Another Always Anthem April Ashes Alone Arcade",
        "Blue Broken Burning Ballad Beyond Before Bright Bitter Borrowed Bells",
        "Cold Crystal Carry Candle City Coming Copper Crooked Counting Calling",
        "Dancing Dark Distant Dream Dust Daylight Driving December Diamond Drifting",
        "Every Evening Empty Echo Electric Endless Eleven Ember Emerald Easy",
        "Fallen Fire Forever Fading Faithful Feather Five Frozen Foreign First",
        "Golden Gone Green Ghost Gentle Giving Glass Goodbye Grand Gravity",
        "Hollow Heart Hidden High Heavy Harbour Hello Holding Home Honey",
        "Ivory Iron Inside Island Invisible Innocent Instead Indigo Icarus Imaginary",
        "Jade January Joyful Journey Jasmine Jealous Juniper Jukebox July Just",
        "Kingdom Kite Kindness Kiss Knocking Keep Kaleidoscope Kitchen Kindling Knowing",
        "Lonely Little Last Long Lantern Leaving Light Lost Lucky Lullaby",
        "Midnight Morning Moonlit Mirror Many Magnetic Maybe Meadow Misty Moving",
        "Northern Never Night Nine Nobody Narrow Nameless Nocturne November New",
        "Open Ocean Old Only Orange Other Outside Over October Orchid",
        "Paper Painted Patient Perfect Promise Purple Passing Porcelain Prairie Postcard",
        "Quiet Quick Queen Quarter Quicksilver Quiver Quartz Question Quilted Quite",
        "Red River Running Restless Rain Rising Ragged Remember Ruby Roaming",
        "Silver Summer Silent Slow Seven Shadow Shining Sleeping Southern Strange",
        "Thunder Tender Tomorrow Tangled Thirteen Turning Twilight Tidal Two Traveling",
        "Under Upon Unknown Unbroken Until Upstairs Ultramarine Umbrella Unspoken Usual",
        "Velvet Violet Vanishing Valley Voice Vagabond Vintage Vermilion Visiting Vacant",
        "Winter Wild Waiting Water Western Whisper White Window Wandering Wooden",
        "Xylophone Xenon Xanadu Xavier Xylem Xeric Xebec Xylograph Xenial Xanthic",
        "Yellow Yesterday Young Yearning Yonder You Yes Your Year Youth",
        "Zero Zenith Zephyr Zigzag Zodiac Zinnia Zealous Zither Zinc Zebra",
    ].map(Self.words)

    /// The first words with an accent on their first letter, for each letter. Some letters have none.
    let accentedFirstWords: [[String]] = [
        "Ángel Água Åter Âme Älskade", "", "Çalıkuşu Čekání Ćma Čas Ça", "Ďábel",
        "Éclair Étoile Été Élan Église Être", "", "", "", "Île Ísland Ítaca İnci", "", "", "Ľudia", "",
        "Ñandú Ňadra", "Österlen Ópera Ôde Ölüm Óbidos", "", "", "Řeka", "Šárka Śnieg Şarkı Štěstí",
        "Ťuknutí", "Über Úrsula Ünlü Übermut", "", "", "", "Ýmir", "Žena Źródło Železo",
    ].map(Self.words)

    /// Words for the rest of a title, in ASCII.
    let nouns: [String] = Self.words(
        """
        Rivers Mountains Letters Gardens Windows Strangers Lovers Dancers Streets Shores Flowers Stars Clouds
        Trains Bridges Mirrors Candles Shadows Feathers Stones Voices Footsteps Horses Sparrows Engines Islands
        Summer Winter Autumn Spring Rain Snow Thunder Lightning Fog Sunlight Moonlight Dawn Dusk Midnight Morning
        Evening Sunday Monday Friday Saturday January June August October Home Road Highway Harbour Station
        Avenue Alley Desert Forest Meadow Valley Ocean Lake Canyon Prairie Garden Kitchen Attic Hallway Ballroom
        Theatre Cinema Museum Library Carousel Circus Jukebox Piano Guitar Violin Cello Trumpet Drum Bell Organ
        Melody Harmony Chorus Waltz Tango Serenade Nocturne Lullaby Anthem Rhapsody Sonata Prelude Refrain Echo
        Memory Promise Secret Goodbye Hello Whisper Silence Laughter Sorrow Wonder Courage Patience Freedom
        Gravity Velvet Silver Copper Amber Ivory Paper Glass Sugar Honey Cinnamon Smoke Ember Ash Dust
        """)

    /// Words with an accent for the rest of a title.
    let accentedNouns: [String] = Self.words(
        """
        Café Rêverie Soirée Façade Señorita Corazón Canción Mañana Niño Coração Manhã Canção Frühling Träume
        Mädchen Tårar Sjöar Kärlek Fjärran Skärgård Naïveté Noël Forêt Fiancée Città Lumière Ténèbres Málaga
        Bogotá Zürich Malmö Háček Větrník Śpiew Żagiel
        """)

    /// Splits text at spaces and line ends.
    static func words(_ text: String) -> [String] {
        text.split { $0 == " " || $0 == "\n" }.map(String.init)
    }
}
