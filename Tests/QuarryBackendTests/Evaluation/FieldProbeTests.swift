import QuarryBackend
import QuarryTestSupport
import Testing

/// What a probe leaves out is never of the result.
@Suite struct FieldProbeTests {
  @Test(arguments: PredicateBatchTests.Mix.allCases, [1, 17, 64])
  func aProbeLeavesOutNoRowOfTheResult(_ mix: PredicateBatchTests.Mix, _ count: Int) throws {
    var generator = SeededGenerator(
      seed: UInt64(count) &* 7 &+ UInt64(PredicateBatchTests.Mix.allCases.firstIndex(of: mix)!))
    var collected = 0
    var leftOut = 0
    for _ in 0..<400 {
      let rows: [[UInt8]] = try (0..<count).map { _ in
        let age: RowLayout =
          switch mix {
          case .current: Everything.layout
          case .oneOlderAge: Everything.ages[1]
          case .allAges, .checksums: Everything.ages.randomElement(using: &generator)!
          }
        let checksum = mix == .checksums && Bool.random(using: &generator)
        return try Everything.bytes(Everything.random(&generator), age: age, checksum: checksum)
      }
      let predicate = PredicateBatchTests.predicate(2, &generator)
      let compiled = try CompiledPredicate(predicate, Everything.layout)
      guard let probe = compiled.probe else { continue }
      let lent = LentRows(rows)
      guard let found = Self.mask(probe, lent) else { continue }
      collected += 1
      for (place, row) in rows.enumerated() {
        let isPassed = found & (1 << UInt64(place)) != 0
        if !isPassed { leftOut += 1 }
        let matches = try row.withUnsafeBytes { try compiled.matches($0) }
        #expect(isPassed || !matches, "\(predicate), row \(place)")
        if case .compare = predicate { #expect(isPassed == matches, "\(predicate), row \(place)") }
      }
    }
    // Rows of several ages, or with checksums, are seldom alike.
    if mix == .current || mix == .oneOlderAge || count == 1 { #expect(collected > 20 && leftOut > 20) }
    if mix == .allAges, count == 64 { #expect(collected == 0) }
  }

  @Test func onlyFieldsOfFixedWidthThatEveryRowPassesAreProbed() throws {
    func probe(_ predicate: BoundPredicate) throws -> Int? {
      try CompiledPredicate(predicate, Everything.layout).probe?.slot
    }
    let number = Everything.slot("int32")
    let text = Everything.slot("string")
    let first = BoundPredicate.compare(slot: number, .less, .int(3))
    let second = BoundPredicate.compare(slot: text, .equal, .string("a"))
    #expect(try probe(first) == number)
    #expect(try probe(second) == nil)
    #expect(try probe(.and([second, first])) == number)
    #expect(try probe(.or([second, first])) == nil)
    #expect(try probe(.not(first)) == nil)
    #expect(try probe(.constant(true)) == nil)
  }

  private static func mask(_ probe: FieldProbe, _ lent: LentRows) -> UInt64? {
    let count = lent.rows.count
    let values = UnsafeMutableRawPointer.allocate(byteCount: count * probe.width, alignment: 1)
    defer { values.deallocate() }
    guard let rows = lent.rows.baseAddress, let nulls = probe.collect(rows, count, into: values) else { return nil }
    return probe.mask(values, nulls: nulls, count: count)
  }
}
