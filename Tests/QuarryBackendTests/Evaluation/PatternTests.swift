import Testing

@testable import QuarryBackend

@Suite struct PatternTests {
  static func matches(_ pattern: String, _ text: String, _ options: TextOptions = []) throws -> Bool {
    let machine = try PatternMachine(pattern, options)
    return try Array(text.utf8).withUnsafeBytes { bytes throws(StorageError) in try machine.matches(text: bytes) }
  }

  struct Example: Sendable, CustomTestStringConvertible {
    let pattern: String
    let matching: [String]
    let other: [String]
    var testDescription: String { pattern }

    init(_ pattern: String, _ matching: [String], not other: [String]) {
      self.pattern = pattern
      self.matching = matching
      self.other = other
    }
  }

  static let examples = [
    Example("", [""], not: ["a"]),
    Example("abc", ["abc"], not: ["ab", "abcd", "ABC", ""]),
    Example("a.c", ["abc", "a😀c", "a\u{301}c"], not: ["ac", "a\nc", "a\u{2028}c", "ae\u{301}c"]),
    Example("a|bc|", ["a", "bc", ""], not: ["abc", "b"]),
    Example("(ab)*", ["", "ab", "abab"], not: ["a", "aba"]),
    Example("ab*c", ["ac", "abbbc"], not: ["ababc"]),
    Example("ab+?c", ["abc", "abbc"], not: ["ac"]),
    Example("a?", ["", "a"], not: ["aa"]),
    Example("a{2}", ["aa"], not: ["a", "aaa"]),
    Example("a{2,}", ["aa", "aaaa"], not: ["a"]),
    Example("a{,2}", ["", "a", "aa"], not: ["aaa"]),
    Example("(?:ab){1,2}c", ["abc", "ababc"], not: ["c", "abababc"]),
    Example("x{0}", [""], not: ["x"]),
    Example("[a-cx]", ["a", "b", "c", "x"], not: ["d", "", "ab"]),
    Example("[^a-c]", ["d", "\n", "é"], not: ["b", ""]),
    Example("[\\d\\-]+", ["12-3", "٣"], not: ["a"]),
    Example("[\\s\\S]*", ["", "a\nb"], not: []),
    Example("\\d{3}-\\d{2}", ["123-45"], not: ["12-345", "123-4x"]),
    Example("\\w+", ["abc_1é", "e\u{301}"], not: ["a b", ""]),
    Example("\\W\\S\\D", [" ab", "-x."], not: ["aaa", "- a", "-a1"]),
    Example("^ab$", ["ab"], not: ["xab", "abx"]),
    Example("\\Aab\\z", ["ab"], not: ["ab\n"]),
    Example("a$b", [], not: ["ab", "a$b"]),
    Example("(^a|b)*", ["a", "ab", "abb", "b"], not: ["ba", "aa"]),
    Example("\\.\\*\\[\\\\\\$", [".*[\\$"], not: ["a"]),
    Example("\\x41\\u0042\\u{1F600}\\x{43}\\t\\n\\r\\f\\e", ["AB😀C\t\n\r\u{0C}\u{1B}"], not: ["A"]),
    Example("é", ["é"], not: ["e\u{301}"]),
    Example("(a*)*b", ["b", "aab"], not: ["a", ""]),
    Example("(a|b|ab)*c{1,3}", ["abcc", "c", "abababc"], not: ["cccc", "abd"]),
    Example("a b", ["a b"], not: ["ab"]),
    Example("}]", ["}]"], not: [""]),
  ]

  @Test(arguments: examples) func matching(_ example: Example) throws {
    for text in example.matching { #expect(try Self.matches(example.pattern, text), "\(text.debugDescription)") }
    for text in example.other { #expect(try !Self.matches(example.pattern, text), "\(text.debugDescription)") }
  }

  @Test(
    arguments: [
      ("ab(c", 3), ("ab)c", 3), ("*a", 1), ("a|+b", 3), ("a**", 3), ("a{2}{3}", 5), ("{2}", 1), ("a{}", 3), ("a{,}", 2),
      ("a{3,2}", 2), ("a{2", 4), ("a{x}", 3), ("a++", 3), ("^*", 2), ("[ab", 1), ("[]", 2), ("[b-a]", 2), ("[a-]", 3),
      ("[-a]", 2), ("[a-\\d]", 2), ("[[a]]", 2), ("[a&&b]", 3), ("[\\A]", 2), ("a\\", 2), ("\\1", 1), ("\\b", 1),
      ("\\p{L}", 1),
      ("\\q", 1), ("\\x4", 1), ("\\u{110000}", 1), ("\\u{D800}", 1), ("\\u{}", 1), ("(?=a)", 1), ("(?<n>a)", 1),
      ("(?i)a", 1),
      ("😀é(", 3),
    ])
  func refusalNamesThePosition(_ pattern: String, _ position: Int) {
    let error = #expect(throws: StorageError.self) { try PatternMachine(pattern, []) }
    #expect(error?.code == .invalidQuery)
    #expect(error?.message.contains("at scalar \(position):") == true, "\(error?.message ?? "")")
  }

  @Test(
    arguments: [
      String(repeating: "(", count: 101) + String(repeating: ")", count: 101), "a{1001}", "a{0,99999999999999999999}",
      "((a{1000}){1000}){1000}", String(repeating: "a", count: 20_000), "(\\d{1000}){6}",
    ])
  func whatIsTooLargeIsRefused(_ pattern: String) {
    let error = #expect(throws: StorageError.self) { try PatternMachine(pattern, []) }
    #expect(error?.code == .limitExceeded)
  }

  @Test func matchingTakesLinearTime() throws {
    let text = String(repeating: "a", count: 100_000)
    let start = ContinuousClock.now
    #expect(try !Self.matches("(a*)*[bc]", text))
    #expect(try !Self.matches("(a|aa)+(a|b)*[b-c]", text))
    #expect(try Self.matches("(a*)*b?", text))
    // A backtracking matcher takes longer than the age of the universe.
    #expect(ContinuousClock.now - start < .seconds(30))
  }

  @Test func foldingPatterns() throws {
    #expect(try Self.matches("strasse", "STRASSE", .caseInsensitive))
    #expect(try Self.matches("STRA.E", "straße", .diacriticInsensitive) == false)
    #expect(try Self.matches("Zü.+", "ZURICH", .caseAndDiacriticInsensitive))
    #expect(try Self.matches("e\u{301}t\u{E9}", "ÉTE", .caseAndDiacriticInsensitive))
    #expect(try Self.matches("[A-Z]+", "abc", .caseInsensitive))
    #expect(try Self.matches("[À-Ö]", "ä", .caseInsensitive))
    #expect(try Self.matches("[é]", "E", .caseAndDiacriticInsensitive))
    #expect(try !Self.matches("[^A-Z]", "a", .caseInsensitive))
    #expect(try !Self.matches("\\D", "1", .caseInsensitive))
    #expect(try Self.matches("\\S\\W", "A-", .caseInsensitive))
  }

  @Test func textThatIsNotUTF8IsDamaged() throws {
    let machine = try PatternMachine("..", [])
    for bytes in [[0xFF, 0x41], [0xC3], [0xE2, 0x82], [0x80, 0x41], [0xC0, 0x80]] as [[UInt8]] {
      let error = #expect(throws: StorageError.self) {
        try bytes.withUnsafeBytes { bytes throws(StorageError) in try machine.matches(text: bytes) }
      }
      #expect(error?.code == .corrupt)
    }
  }

  /// Random patterns, compared with a matcher that tries every way.
  @Test(arguments: 0..<20) func randomPatternsMeanWhatTheyMean(_ seed: UInt64) throws {
    var random = Numbers(seed: seed)
    for _ in 0..<200 {
      let node = Self.node(&random, depth: 4)
      let pattern = Self.text(node)
      let machine = try PatternMachine(pattern, [])
      for _ in 0..<10 {
        let text = String(
          (0..<Int.random(in: 0...6, using: &random)).map { _ in "abc".randomElement(using: &random) ?? "a" })
        let isMatch = try Array(text.utf8).withUnsafeBytes { bytes throws(StorageError) in
          try machine.matches(text: bytes)
        }
        #expect(isMatch == Self.ends(node, Array(text), 0).contains(text.count), "\(pattern) of \(text)")
      }
    }
  }

  // MARK: The plainest matcher

  indirect enum Node {
    case letter(Character)
    case any
    case start, end
    case sequence([Node])
    case choice([Node])
    case repetition(Node, Int, Int?)
  }

  static func node(_ random: inout Numbers, depth: Int) -> Node {
    switch depth == 0 ? Int.random(in: 0...3, using: &random) : Int.random(in: 0...9, using: &random) {
    case 0...2: return .letter("abc".randomElement(using: &random) ?? "a")
    case 3: return [.any, .start, .end].randomElement(using: &random) ?? .any
    case 4...6:
      return .sequence((0..<Int.random(in: 0...3, using: &random)).map { _ in node(&random, depth: depth - 1) })
    case 7: return .choice((0..<Int.random(in: 1...3, using: &random)).map { _ in node(&random, depth: depth - 1) })
    default:
      let least = Int.random(in: 0...2, using: &random)
      let most = Bool.random(using: &random) ? nil : least + Int.random(in: 0...2, using: &random)
      return .repetition(node(&random, depth: depth - 1), least, most)
    }
  }

  static func text(_ node: Node) -> String {
    switch node {
    case .letter(let letter): String(letter)
    case .any: "."
    case .start: "^"
    case .end: "$"
    case .sequence(let parts): parts.map { "(?:\(text($0)))" }.joined()
    case .choice(let parts): "(" + parts.map { text($0) }.joined(separator: "|") + ")"
    case .repetition(let part, let least, let most): "(\(text(part))){\(least),\(most.map { String($0) } ?? "")}"
    }
  }

  static func ends(_ node: Node, _ text: [Character], _ start: Int) -> Set<Int> {
    switch node {
    case .letter(let letter): return start < text.count && text[start] == letter ? [start + 1] : []
    case .any: return start < text.count ? [start + 1] : []
    case .start: return start == 0 ? [0] : []
    case .end: return start == text.count ? [start] : []
    case .sequence(let parts):
      return parts.reduce([start]) { places, part in places.reduce(into: []) { $0.formUnion(ends(part, text, $1)) } }
    case .choice(let parts): return parts.reduce(into: []) { $0.formUnion(ends($1, text, start)) }
    case .repetition(let part, let least, let most):
      var places: Set<Int> = [start]
      for _ in 0..<least { places = places.reduce(into: []) { $0.formUnion(ends(part, text, $1)) } }
      var all = places
      for _ in 0..<(most.map { $0 - least } ?? text.count + 1) {
        places = places.reduce(into: []) { $0.formUnion(ends(part, text, $1)) }
        all.formUnion(places)
      }
      return all
    }
  }
}

/// Repeatable numbers: SplitMix64.
struct Numbers: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }
}
