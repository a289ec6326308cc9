#if PostgreSQL
  import Testing

  @testable import QuarryPostgreSQL
  @testable import QuarrySeeds
  @testable import QuarryTestSupport

  /// What the server decides on escaped texts is what holds for the texts.
  @Suite struct TextTests {
    private static func text(_ random: inout SeededGenerator) -> [UInt8] {
      (0..<Int.random(in: 0...6, using: &random)).map { _ in UInt8.random(in: 0...5, using: &random) }
    }

    private static func contains(_ text: [UInt8], _ part: [UInt8]) -> Bool {
      part.isEmpty
        || text.count >= part.count
          && (0...text.count - part.count).contains { text[$0..<$0 + part.count].elementsEqual(part) }
    }

    @Test func escapesKeepOrderAndParts() {
      var random = SeededGenerator(seed: 7)
      for _ in 0..<20_000 {
        let (a, b) = (Self.text(&random), Self.text(&random))
        let (x, y) = (PostgreSQLText.escaped(a), PostgreSQLText.escaped(b))
        #expect(!x.contains(0))
        #expect(a.lexicographicallyPrecedes(b) == x.lexicographicallyPrecedes(y))
        #expect(a.starts(with: b) == x.starts(with: y))
        #expect(a.reversed().starts(with: b.reversed()) == x.reversed().starts(with: y.reversed()))
        #expect(Self.contains(a, b) == Self.contains(x, y))
        #expect(x.withUnsafeBytes { PostgreSQLText.unescaped($0) } == a)
      }
    }

    @Test(arguments: [[1], [1, 2], [1, 2, 4], [2], [3, 1], [0], [1, 4, 2]] as [[UInt8]])
    func otherBytesAreNoText(_ stored: [UInt8]) {
      #expect(stored.withUnsafeBytes { PostgreSQLText.unescaped($0) } == nil)
    }
  }
#endif
