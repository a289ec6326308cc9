import Foundation
import QuarryBackend
import QuarryTestSupport
import Testing

/// Random predicates over random rows of every age against the reference.
@Suite struct PredicateBatchTests {
  static func predicate(_ depth: Int, _ generator: inout SeededGenerator) -> BoundPredicate {
    func constant(_ slot: Int) -> Value? {
      Everything.pool(Everything.model.properties[slot]).filter { !$0.isNull }.randomElement(using: &generator)
    }
    func children() -> [BoundPredicate] {
      (0..<Int.random(in: 1...4, using: &generator)).map { _ in predicate(depth - 1, &generator) }
    }
    let slots = Everything.model.properties.indices.filter { Everything.model.properties[$0].type.isOrdered }
    let slot = slots.randomElement(using: &generator)!
    let comparison = Comparison.allCases.randomElement(using: &generator)!
    switch Int.random(in: 0..<(depth > 0 ? 16 : 12), using: &generator) {
    case 0, 1, 2, 3: return .compare(slot: slot, comparison, constant(slot)!)
    case 4: return .isNull(slot: slot)
    case 5:
      let type = Everything.model.properties[slot].type
      let others = slots.filter { Everything.model.properties[$0].type == type }
      return .compareSlots(slot, comparison, others.randomElement(using: &generator)!)
    case 6, 7:
      let values = (0..<3).compactMap { _ in constant(slot) }.sorted { ValueOrder.compare($0, $1) < 0 }
      return .oneOf(slot: slot, values.first.map { [$0] } ?? [])
    case 8, 9:
      let texts = ["stringMaybe", "url", "addedText", "string"].map(Everything.slot)
      let needle = ["", "a", "b", "ab", "A", "e", "s", "k", "*b*", "?", "\\*", "\0"].randomElement(using: &generator)!
      return .text(
        slot: texts.randomElement(using: &generator)!, TextOperator.allCases.randomElement(using: &generator)!, needle,
        TextOptions(rawValue: UInt8.random(in: 0...3, using: &generator)))
    case 10:
      let list = Everything.slot("list")
      return Bool.random(using: &generator)
        ? .nested(slot: list, .count(path: [], comparison, 1))
        : .nested(slot: list, .containsElement(path: [], .int(2)))
    case 11:
      let other = slots.randomElement(using: &generator)!
      return .after(
        [
          BoundSortKey(slot: slot, isDescending: Bool.random(using: &generator)),
          BoundSortKey(slot: other, isDescending: Bool.random(using: &generator)),
        ],
        [slot, other].map {
          Everything.pool(Everything.model.properties[$0]).randomElement(using: &generator)!
        })
    case 12: return .not(predicate(depth - 1, &generator))
    case 13: return .or(children())
    default: return .and(children())
    }
  }

  enum Mix: CaseIterable {
    case current, oneOlderAge, allAges, checksums
  }

  @Test(arguments: Mix.allCases, [1, 63, 64, 65, 200])
  func batchesGiveWhatTheReferenceGives(_ mix: Mix, _ count: Int) throws {
    var generator = SeededGenerator(seed: UInt64(count) &* 31 &+ UInt64(Mix.allCases.firstIndex(of: mix)!))
    let rows: [(values: [Value], bytes: [UInt8])] = try (0..<count).map { _ in
      let values = Everything.random(&generator)
      let age: RowLayout =
        switch mix {
        case .current: Everything.layout
        case .oneOlderAge: Everything.ages[1]
        case .allAges, .checksums: Everything.ages.randomElement(using: &generator)!
        }
      let checksum = mix == .checksums && Bool.random(using: &generator)
      return (Everything.seen(values, age: age), try Everything.bytes(values, age: age, checksum: checksum))
    }
    for _ in 0..<25 {
      let predicate = Self.predicate(3, &generator)
      let compiled = try CompiledPredicate(predicate, Everything.layout)
      let expected = rows.filter { Reference.matches(predicate, $0.values) }.map(\.bytes)
      let lent = LentRows(rows.map(\.bytes))
      let kept = try compiled.filter(lent.rows, count: count)
      #expect(lent.rows[..<kept].map { Array($0) } == expected, "\(predicate)")
      let single = try rows.filter { row in try row.bytes.withUnsafeBytes { try compiled.matches($0) } }.map(\.bytes)
      #expect(single == expected, "\(predicate)")
    }
  }

  @Test func countBeyondTheBufferIsCut() throws {
    var generator = SeededGenerator(seed: 1)
    let lent = LentRows([try Everything.bytes(Everything.random(&generator))])
    #expect(try CompiledPredicate(.constant(true), Everything.layout).filter(lent.rows, count: 5) == 1)
    #expect(try CompiledPredicate(.constant(true), Everything.layout).filter(lent.rows, count: 0) == 0)
  }
}
