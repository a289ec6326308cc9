import QuarryConformanceKit
import QuarryCore
import QuarryText

/// Which words a text has: each text is found by some queries and not by others, with an index and without one.
enum SearchWordCases {
  /// A text, what finds it and what does not.
  private struct Row {
    let name: String
    let clauses: [String]
    let text: String
    let found: [String]
    let missed: [String]

    init(_ name: String, _ clauses: [String], _ text: String, _ found: [String], not missed: [String] = []) {
      (self.name, self.clauses, self.text, self.found, self.missed) = (name, clauses, text, found, missed)
    }
  }

  private static let latin: [Row] = [
    Row("case", ["SEARCH-5"], "SWIFT Storage", ["swift", "SWIFT", "sToRaGe"], not: ["swif", "swifts"]),
    Row("accents", ["SEARCH-5"], "Café crème", ["cafe", "CAFÉ", "creme", "caf*"], not: ["caf"]),
    Row("combining-accents", ["SEARCH-5"], "Cafe\u{301}", ["café", "cafe"], not: ["caf"]),
    Row("sharp-s", ["SEARCH-5"], "Straße", ["strasse", "STRASSE", "stra*"], not: ["strase", "strass"]),
    Row("greek-sigma", ["SEARCH-5"], "ΟΔΥΣΣΕΥΣ", ["οδυσσεύς", "οδυσσευσ"], not: ["οδυσ"]),
    Row("cyrillic", ["SEARCH-5"], "Москва", ["москва", "МОСКВА", "мос*"], not: ["моск"]),
    Row("arabic-marks", ["SEARCH-5"], "مَرْحَبًا", ["مَرْحَبًا"], not: ["مرحبا"]),
    Row("devanagari", ["SEARCH-2"], "हिन्दी में", ["हिन्दी", "में", "हिन्दी में"], not: ["हिन"]),
    Row("hebrew", ["SEARCH-2"], "abc שלום def", ["שלום", "abc שלום", "\"שלום def\""], not: ["שלו"]),
    Row("fullwidth", ["SEARCH-5"], "ＡＢＣ", ["ａｂｃ", "ＡＢＣ"], not: ["abc"]),
    Row(
      "camel-case", ["SEARCH-4"], "camelCaseWord", ["camelcaseword", "CAMELCASEWORD"], not: ["camel", "case", "word"]),
    Row("letters-and-digits", ["SEARCH-4"], "iPhone15", ["iphone15", "iphone*"], not: ["iphone", "15", "iphone 15"]),
    Row("hexadecimal", ["SEARCH-4"], "0xFF", ["0xff", "0x*"], not: ["ff", "0"]),
    Row("hyphen", ["SEARCH-2"], "well-known", ["well", "known", "\"well known\"", "well-known"], not: ["wellknown"]),
    Row("slash", ["SEARCH-2"], "and/or", ["and", "or", "and/or"], not: ["andor", "\"or and\""]),
    Row("ampersand", ["SEARCH-2"], "AT&T", ["at", "t", "at&t"], not: ["att"]),
    Row("signs-behind-letters", ["SEARCH-2"], "C++ and .NET", ["c", "net", "c++", ".net"], not: ["cnet", "cand"]),
    Row("marks-before-words", ["SEARCH-2"], "#swift @apple", ["swift", "apple", "#swift"], not: ["swiftapple"]),
    Row(
      "quotation-marks", ["SEARCH-2"], "«Zitat» „mehr“", ["zitat", "mehr", "\"zitat mehr\""], not: ["\"mehr zitat\""]),
    Row(
      "spaces-and-lines", ["SEARCH-2"], "one\ntwo\tthree\u{A0}four\u{2003}five", ["\"one two three four five\""],
      not: ["onetwo"]),
    Row("nul", ["SEARCH-2"], "left\u{0}right", ["left", "right", "\"left right\""], not: ["leftright"]),
    Row("punctuation", ["SEARCH-2"], "... !!! ---", ["-word"], not: ["...", "!!!", "a"]),
    Row("nothing", ["SEARCH-11"], "", ["-word"], not: ["a", "*", "\"\""]),
  ]

  private static let connected: [Row] = [
    Row("underscore", ["SEARCH-3"], "foo_bar", ["foo", "bar", "foo_bar", "\"foo bar\""], not: ["foobar"]),
    Row("dots", ["SEARCH-3"], "a.b.c", ["a", "b", "a.b", "b.c", "a.b.c"], not: ["a.c", "abc"]),
    Row(
      "e-mail", ["SEARCH-3"], "john.smith@example.com",
      ["smith", "example.com", "john.smith@example.com", "john smith"], not: ["john.example", "johnsmith"]),
    Row(
      "address", ["SEARCH-3"], "https://example.com/path?key=value",
      ["https", "example.com", "path", "key", "value", "example"], not: ["examplecom", "keyvalue"]),
    Row("colon", ["SEARCH-3"], "key:value", ["key", "value", "key:value"], not: ["keyvalue", "\"value key\""]),
    Row("apostrophe", ["SEARCH-3"], "don't", ["don", "t", "don’t", "don't"], not: ["dont"]),
    Row("curly-apostrophe", ["SEARCH-3"], "l’amour", ["amour", "l'amour", "l’amour"], not: ["lamour"]),
    Row("names", ["SEARCH-3"], "O'Brien-Smith", ["brien", "smith", "o'brien", "\"brien smith\""], not: ["obrien"]),
    Row("decimal", ["SEARCH-3"], "3.14", ["3.14", "3*"], not: ["3", "14", "314"]),
    Row("grouped-digits", ["SEARCH-3"], "1,000,000", ["1,000,000", "1*"], not: ["1", "000", "1000000"]),
    Row("date", ["SEARCH-3"], "2024-05-01", ["2024", "05", "2024-05-01"], not: ["20240501", "5"]),
    Row("price", ["SEARCH-3"], "$9.99 or 50%", ["9.99", "50", "50%"], not: ["9", "99"]),
    Row("number-at-the-end", ["SEARCH-3"], "in 1984.", ["1984", "\"in 1984\""], not: ["in1984"]),
  ]

  private static let scripts: [Row] = [
    Row("han", ["SEARCH-6", "SEARCH-11"], "東京都", ["東", "京", "都", "東京", "京都", "東京都"], not: ["東都", "都東"]),
    Row("han-apart", ["SEARCH-6"], "東 京", ["東", "京", "\"東 京\""], not: ["東京"]),
    Row("han-and-marks", ["SEARCH-6"], "東京、大阪。", ["東京", "大阪"], not: ["京大"]),
    Row("han-and-latin", ["SEARCH-6"], "東京tower", ["東京", "tower", "\"京 tower\""], not: ["東tower"]),
    Row("hiragana", ["SEARCH-6"], "ひらの", ["ひら", "らの", "ら"], not: ["ひの"]),
    Row("katakana", ["SEARCH-6"], "カタカナ", ["タカ", "カタカナ", "ナ"], not: ["タナ", "ナカ"]),
    Row("hangul", ["SEARCH-6"], "한국어를", ["한국", "국어", "어를"], not: ["한어"]),
    Row("thai", ["SEARCH-6"], "ภาษาไทย", ["ไทย", "ภาษา"], not: ["ไย"]),
    Row("lao", ["SEARCH-6"], "ພາສາລາວ", ["ລາວ", "ພາສາ"], not: ["ພລ"]),
    Row("mixed-scripts", ["SEARCH-6"], "Swift 入門 для всех", ["swift", "入門", "всех", "\"swift 入\""], not: ["入для"]),
    Row("pictograph", ["SEARCH-7"], "nice 👍🏽", ["👍", "👍🏽", "👍🏿"], not: ["👎"]),
    Row("flags", ["SEARCH-7"], "🇫🇷 and 🇩🇪", ["🇫🇷", "🇩🇪"], not: ["🇮🇹"]),
    Row("variation-selector", ["SEARCH-7"], "I ❤️ tea", ["❤", "❤️"], not: ["💚"]),
    Row("joiner", ["SEARCH-5"], "wo\u{200D}rd", ["word", "wo\u{200D}rd"], not: ["wo", "rd"]),
    Row("soft-hyphen", ["SEARCH-5"], "co\u{AD}operate", ["cooperate"], not: ["co", "operate"]),
  ]

  private static let long: [Row] = [
    Row(
      "long-word", ["SEARCH-5"], String(repeating: "x", count: 300),
      [256, 257, 300, 400].map { String(repeating: "x", count: $0) } + [String(repeating: "x", count: 200) + "*"],
      not: [String(repeating: "x", count: 255), "x"]),
    Row(
      "long-word-of-pairs", ["SEARCH-5"], String(repeating: "ж", count: 200),
      [128, 129, 200].map { String(repeating: "ж", count: $0) }, not: [String(repeating: "ж", count: 127)]),
    Row(
      "many-words", ["SEARCH-1"], (0..<3_000).map { "w\($0)" }.joined(separator: " "),
      ["w0", "w2999", "\"w1023 w1024 w1025\"", "w299*"], not: ["w3000", "\"w7 w9\""]),
    Row(
      "one-word-often", ["SEARCH-1"], String(repeating: "echo ", count: 3_000) + "end",
      ["echo", "\"echo end\"", "\"echo echo echo\""], not: ["\"end echo\""]),
  ]

  static let all: [ConformanceCase] = (latin + connected + scripts + long).map { row in
    ConformanceCase(
      "SEARCH.words.\(row.name)", row.clauses + ["SEARCH-24"],
      "A text is found by its words, with an index and without.",
      within: .seconds(20)
    ) { kit in
      let store = try kit.store(Leaflet.self)
      try store.insert(contentsOf: [
        Leaflet(1, "decoy", note: "decoy"), Leaflet(2, row.text, note: row.text), Leaflet(3, "other", note: "other"),
      ])
      for typed in row.found { try expect(store, typed, row.text, isFound: true) }
      for typed in row.missed { try expect(store, typed, row.text, isFound: false) }
      try expectEqual(try store.check(), [])
    }
  }

  private static func expect(_ store: Store, _ typed: String, _ text: String, isFound: Bool) throws {
    let indexed = try store.fetch(Leaflet.where { $0.title.search(typed) }).map(\.id)
    try expectEqual(indexed.contains(2), isFound, "«\(typed.prefix(60))» in the index")
    try expectEqual(
      try store.fetch(Leaflet.where { $0.note.search(typed) }).map(\.id), indexed, "«\(typed.prefix(60))» read")
    try expectEqual(
      try store.count(Leaflet.where { !$0.title.search(typed) }), 3 - indexed.count, "not «\(typed.prefix(60))»")
    let search = try TextSearch(SearchQuery(typed: typed))
    try expectEqual(search.matches(text), isFound, "«\(typed.prefix(60))» in the text")
    // What is found has its place; an exclusion has none.
    let marks = search.highlights(in: text)
    try QuarryConformanceKit.expect(
      marks.isEmpty != (isFound && !typed.hasPrefix("-")), "the marks of «\(typed.prefix(60))»")
  }
}
