#if PostgreSQL
  import Testing

  @testable import QuarryBackend
  @testable import QuarryPostgreSQL
  @testable import QuarrySeeds
  @testable import QuarryTestSupport

  @Suite struct NumericTests {
    private static func bytes(_ parts: DecimalParts) -> [UInt8] {
      var bytes: [UInt8] = []
      PostgreSQLNumeric.append(parts, to: &bytes)
      return bytes
    }

    @Test func numbersComeBack() {
      var random = SeededGenerator(seed: 3)
      for _ in 0..<20_000 {
        let mantissa =
          UInt128.random(in: 0...UInt128.max, using: &random) >> UInt128.random(in: 0...127, using: &random)
        let parts = DecimalParts(
          isNegative: Bool.random(using: &random), exponent: Int.random(in: -128...127, using: &random),
          mantissa: mantissa)
        #expect(Self.bytes(parts).withUnsafeBytes { PostgreSQLNumeric.parts($0) } == parts)
      }
    }

    @Test func theServerReadsThem() throws {
      let place = try TestPlace()
      let connection = try PostgreSQLConnection(try PostgreSQLSettings(place.place.connection))
      defer { connection.close() }
      for text in ["0", "1", "-12.5", "10000", "99990000", "0.0001", "123456789.000000001", "1e30", "-7e-40"] {
        let parts = try #require(text.withBytes { DecimalParts(text: $0) })
        var parameters = PostgreSQLParameters()
        try parameters.add(1700) { (bytes) throws(StorageError) in
          PostgreSQLNumeric.append(parts, to: &bytes)
          return true
        }
        parameters.add(text: text.utf8)
        let result = try connection.query(PostgreSQLStatement("SELECT ($1 = $2::numeric)::text, $1::text", parameters))
        #expect(result.text(0, 0) == "true", "\(text) is \(result.text(0, 1) ?? "")")
      }
    }

    @Test func otherNumbersAreRefused() {
      // NaN, a length that does not fit, digits beyond 9999.
      for bytes in [[0, 0, 0, 0, 0xC0, 0, 0, 0], [0, 1, 0, 0, 0, 0, 0, 0], [0, 1, 0, 0, 0, 0, 0, 0, 0x27, 0x10], []]
        as [[UInt8]]
      {
        #expect(bytes.withUnsafeBytes { PostgreSQLNumeric.parts($0) } == nil)
      }
    }
  }
#endif
