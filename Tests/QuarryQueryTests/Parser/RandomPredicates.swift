import Foundation
import QuarryTestSupport

@testable import QuarryBackend
@testable import QuarryQuery

/// Random trees and values from a fixed seed.
struct RandomPredicates: RandomNumberGenerator {
  private var numbers: SeededGenerator

  init(seed: UInt64) {
    numbers = SeededGenerator(seed: seed)
  }

  mutating func next() -> UInt64 { numbers.next() }

  private mutating func one<T>(of choices: [T]) -> T { choices[Int.random(in: 0..<choices.count, using: &self)] }

  mutating func name() -> String {
    one(of: [
      "year", "title", "SELF", "in", "a b", "é", "e\u{301}", "`", "x`y", "@count", "NULL", "date", "_1", "1a", "a.b",
    ])
  }

  mutating func path(isElement: Bool) -> PropertyPath {
    var path = PropertyPath(isElement ? "" : name())
    for _ in 0..<Int.random(in: 0...2, using: &self) { path.members.append(one(of: ["", "and", "b", "c d"])) }
    return path
  }

  mutating func text() -> String {
    one(of: ["", "x", "it's", "\"", "\\", "a\nb\tc\r", "\0\u{1}\u{7F}", "é", "e\u{301}", "😀", "%@", "`", "\u{2028}"])
  }

  mutating func value(depth: Int = 2) -> Value {
    switch Int.random(in: 0..<(depth > 0 ? 14 : 12), using: &self) {
    case 0: return .null
    case 1: return .bool(Bool.random(using: &self))
    case 2: return .int(one(of: [.min, -1, 0, 1, .max, Int64(bitPattern: next())]))
    case 3: return Value(integer: next())
    case 4: return .float(Float(bitPattern: UInt32(truncatingIfNeeded: next())))
    case 5:
      return .double(
        one(of: [0.1, -0.0, 1, .infinity, -.infinity, .nan, .leastNonzeroMagnitude, 1e300, Double(bitPattern: next())]))
    case 6: return .string(text())
    case 7:
      return .date(
        Date(
          timeIntervalSinceReferenceDate: one(of: [0, 0.5, -0.0, 1e300, -7.5e8, 0.1, .nan, Double(bitPattern: next())]))
      )
    case 8:
      return .data(Data((0..<Int.random(in: 0...5, using: &self)).map { _ in UInt8.random(in: 0...255, using: &self) }))
    case 9:
      let (a, b) = (next(), next())
      return .uuid(
        withUnsafeBytes(of: (a, b)) { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) })
    case 10:
      let mantissa = one(of: [0, 1, 125, UInt128(next()), UInt128.max])
      let parts = DecimalParts(
        isNegative: Bool.random(using: &self), exponent: Int.random(in: -128...88, using: &self), mantissa: mantissa)
      return .decimal(parts.decimal)
    case 11: return .url(URL(string: one(of: ["https://example.org/a?b=c#d", "file:///x", "a%20b"]))!)
    case 12: return .array((0..<Int.random(in: 0...3, using: &self)).map { _ in value(depth: depth - 1) })
    default:
      let names = ["a", "b c", "é"].prefix(Int.random(in: 0...3, using: &self))
      return .object(unordered: names.map { .init($0, value(depth: depth - 1)) })
    }
  }

  private mutating func operand(isElement: Bool) -> Operand {
    switch Int.random(in: 0..<4, using: &self) {
    case 0: .count(path(isElement: isElement))
    case 1: .value(value())
    default: .property(path(isElement: isElement))
    }
  }

  mutating func tree(depth: Int = 5, isElement: Bool = false) -> PredicateTree {
    switch Int.random(in: 0..<(depth > 0 ? 12 : 6), using: &self) {
    case 0: return .constant(Bool.random(using: &self))
    case 1, 2:
      return .compare(
        operand(isElement: isElement), one(of: Comparison.allCases), operand(isElement: isElement))
    case 3: return .oneOf(operand(isElement: isElement), (0..<Int.random(in: 0...3, using: &self)).map { _ in value() })
    case 4:
      return .text(
        operand(isElement: isElement), one(of: TextOperator.allCases), text(),
        TextOptions(rawValue: one(of: [0, 1, 2, 3])))
    case 5: return .containsElement(path(isElement: isElement), value())
    case 6: return .any(path(isElement: isElement), tree(depth: depth - 1, isElement: true))
    case 7: return .all(path(isElement: isElement), tree(depth: depth - 1, isElement: true))
    case 8: return .not(tree(depth: depth - 1, isElement: isElement))
    case 9, 10:
      return .and((0..<Int.random(in: 0...3, using: &self)).map { _ in tree(depth: depth - 1, isElement: isElement) })
    default:
      return .or((0..<Int.random(in: 0...3, using: &self)).map { _ in tree(depth: depth - 1, isElement: isElement) })
    }
  }
}
