import QuarryBackend
import QuarryTestSupport

@testable import QuarryKeyValue

/// Books and queries over them from a seed, with the values that indexes get wrong: nil, NaN, both zeros, infinities,
/// texts that begin one another and contain NUL, ends of the integer types.
struct QueryGenerator {
  private var numbers: SeededGenerator

  init(seed: UInt64) {
    numbers = SeededGenerator(seed: seed)
  }

  private static let texts = ["", "\0", "a", "a\0", "a\0b", "ab", "b", "e\u{301}", "\u{E9}", "\u{10FFFF}"]
  private static let ratings: [Double?] = [
    nil, .nan, -.nan, -.infinity, -1.5, -0.0, 0.0, .leastNonzeroMagnitude, 1, 2.5, .infinity,
  ]
  private static let years: [Int32] = [.min, -1, 0, 1, 1979, 2000, 2001, .max]

  mutating func books(_ count: Int) -> [Book] {
    (0..<count).map { id in
      Book(
        id: Int64(id) - 40, isbn: chance(3) ? nil : "\(Self.texts.randomElement(using: &numbers) ?? "")\(id)",
        year: year(), title: text(), rating: rating(), author: chance(4) ? nil : text(),
        shelf: Int16(id % 5), place: chance(5) ? nil : Int16(id))
    }
  }

  private mutating func chance(_ of: Int) -> Bool { Int.random(in: 0..<of, using: &numbers) == 0 }
  private mutating func text() -> String { Self.texts.randomElement(using: &numbers) ?? "" }
  private mutating func year() -> Int32 { Self.years.randomElement(using: &numbers) ?? 0 }
  private mutating func rating() -> Double? { Self.ratings.randomElement(using: &numbers) ?? nil }

  private mutating func value(_ slot: Int) -> Value {
    switch slot {
    case Books.Slot.id: .int(Int64.random(in: -50..<320, using: &numbers))
    case Books.Slot.isbn: .string("\(text())\(Int.random(in: 0..<300, using: &numbers))")
    case Books.Slot.year: .int(Int64(year()))
    case Books.Slot.rating: .double(rating() ?? 1)
    case Books.Slot.shelf: .int(Int64.random(in: 0..<5, using: &numbers))
    case Books.Slot.place: .int(Int64.random(in: 0..<300, using: &numbers))
    default: .string(text())
    }
  }

  private mutating func slot() -> Int { Int.random(in: 0..<8, using: &numbers) }

  private mutating func clause() -> BoundPredicate {
    let slot = slot()
    switch Int.random(in: 0..<12, using: &numbers) {
    case 0: return [1, 4, 5, 7].contains(slot) ? .isNull(slot: slot) : .compare(slot: slot, .equal, value(slot))
    case 1: return .not(.isNull(slot: slot))
    case 2, 3: return .compare(slot: slot, .equal, value(slot))
    case 4:
      var values: [Value] = []
      for _ in 0..<Int.random(in: 1..<6, using: &numbers) { values.append(value(slot)) }
      values.sort { ValueOrder.compare($0, $1) < 0 }
      var distinct: [Value] = []
      for value in values where distinct.last.map({ ValueOrder.compare($0, value) != 0 }) ?? true {
        distinct.append(value)
      }
      return .oneOf(slot: slot, distinct)
    case 5: return .text(slot: [1, 3, 5].randomElement(using: &numbers) ?? 1, .hasPrefix, text(), [])
    case 6: return .or([.compare(slot: slot, .equal, value(slot)), .isNull(slot: slot)])
    case 7: return .compareSlots(2, .less, 0)
    default:
      return .compare(slot: slot, Comparison.allCases.randomElement(using: &numbers) ?? .less, value(slot))
    }
  }

  mutating func predicate() -> BoundPredicate {
    switch Int.random(in: 0..<12, using: &numbers) {
    case 0: return .constant(true)
    case 1: return .not(clause())
    case 2: return .or([clause(), clause()])
    case 3: return .and([.compare(slot: 0, .greaterOrEqual, value(0)), .compare(slot: 0, .less, value(0))])
    case 4:
      let slot = slot()
      return .and([.compare(slot: slot, .greater, value(slot)), .compare(slot: slot, .lessOrEqual, value(slot))])
    case 5: return .and([.compare(slot: 6, .equal, value(6)), .compare(slot: 7, .equal, value(7))])
    case 6: return .and([.compare(slot: 5, .equal, value(5)), clause()])
    case 7, 8: return clause()
    default:
      let parts = (0..<Int.random(in: 2..<4, using: &numbers)).map { _ in clause() }
      return .and(parts)
    }
  }

  mutating func query(_ store: TestStore) -> BoundQuery {
    var order: [BoundSortKey] = []
    if !chance(3) {
      for _ in 0..<Int.random(in: 1..<3, using: &numbers) {
        let key = BoundSortKey(slot: slot(), isDescending: chance(2))
        if !order.contains(where: { $0.slot == key.slot }) { order.append(key) }
      }
    }
    if chance(4) { order = [BoundSortKey(slot: 5), BoundSortKey(slot: 2, isDescending: true)] }
    return store.query(
      predicate(), order: order, limit: chance(2) ? Int.random(in: 0..<20, using: &numbers) : nil,
      offset: chance(3) ? Int.random(in: 0..<10, using: &numbers) : 0)
  }

  mutating func aggregate(_ query: BoundQuery) -> BoundAggregate {
    let groups = chance(4) ? [[2, 5, 6].randomElement(using: &numbers) ?? 2] : []
    var columns: [BoundAggregate.Column] = []
    for _ in 0..<Int.random(in: 1..<3, using: &numbers) {
      switch Int.random(in: 0..<4, using: &numbers) {
      case 0: columns.append(.init(.count))
      case 1: columns.append(.init(.min, slot: slot()))
      case 2: columns.append(.init(.max, slot: slot()))
      default: columns.append(.init(.count, slot: slot()))
      }
    }
    return BoundAggregate(rows: query, groups: groups, columns: columns)
  }
}
