extension Vocabulary {
    /// A script other than Latin, with words for titles.
    struct Script: Sendable {
        let words: [String]
        let separator: String

        init(_ words: String, separator: String = " ") {
            self.words = Vocabulary.words(words)
            self.separator = separator
        }
    }

    /// The other scripts, used equally often.
    static let scripts: [Script] = [
        // Cyrillic (Russian)
        Script(
            "Белая Тихая Ночь Зима Весна Дорога Песня Река Звезда Осень Море Город Ветер Память Утро Снег"),
        // Greek
        Script("Νύχτα Θάλασσα Καρδιά Φεγγάρι Δρόμος Τραγούδι Ουρανός Άνοιξη Βροχή Αγάπη Όνειρο Φως"),
        // Han (Chinese)
        Script("月亮 夜晚 春天 故乡 大海 星空 回忆 花火 雨后 秋天 远方 城市 时光 微风", separator: ""),
        // Kana and Han (Japanese)
        Script("さくら 夜空の 夏の 手紙 ひかり 海辺 風鈴 星の 歌声 カモメ メロディ 雪の 約束 窓辺の", separator: ""),
        // Hangul (Korean)
        Script("바다 사랑 겨울 하늘 별빛 노래 편지 봄날 그리움 새벽 강물 기억 눈꽃"),
        // Arabic
        Script("ليل قمر بحر حلم نجوم وردة صباح طريق غناء مطر ذكرى سماء"),
        // Hebrew
        Script("לילה ים שיר כוכב חורף אביב דרך לב גשם חלום בוקר רוח"),
        // Devanagari (Hindi)
        Script("रात चाँद सागर गीत सपना बारिश तारे राह दिल बसंत हवा नदी"),
    ]
}
