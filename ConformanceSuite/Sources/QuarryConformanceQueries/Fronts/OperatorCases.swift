import Foundation
import QuarryBackend
import QuarryConformanceKit
import QuarryCore
import QuarryQuery

/// Every overload of every operator of typed conditions, against the same predicate as text and against plain Swift.
enum OperatorCases {
  static let all: [ConformanceCase] =
    operators("int", Pair(\.id, \.maybeInt, "id", "maybeInt", \.id, \.maybeInt), [1, 2, 3, 5])
    + operators(
      "double", Pair(\.double, \.maybeDouble, "double", "maybeDouble", \.double, \.maybeDouble),
      [-0.5, 0, 2.5, .infinity])
    + operators(
      "string", Pair(\.string, \.maybeString, "string", "maybeString", \.string, \.maybeString), ["", "a", "ab", "b"])
    + operators("date", Pair(\.date, \.maybeDate, "date", "maybeDate", \.date, \.maybeDate), dates)
    + operators(
      "decimal", Pair(\.decimal, \.maybeDecimal, "decimal", "maybeDecimal", \.decimal, \.maybeDecimal), [-1, 0, 0.5, 3])
    + operators("uuid", Pair(\.uuid, \.maybeUUID, "uuid", "maybeUUID", \.uuid, \.maybeUUID), uuids)
    + [numbers, arithmetic]

  private static let dates = [-1, 0, 0.5, 1e9].map { Date(timeIntervalSinceReferenceDate: $0) }
  private static let uuids = (0..<4).map {
    UUID(uuid: ($0 * 80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, $0))
  }

  private typealias Columns = Everything.Columns

  /// A column and an optional one of one type.
  private struct Pair<V: Storable & Comparable>: @unchecked Sendable {
    // Unchecked because key paths are not Sendable in every mode; they are literals.
    let plain: KeyPath<Columns, Column<V>>
    let optional: KeyPath<Columns, Column<V?>>
    let names: (plain: String, optional: String)
    let plainValue: WritableKeyPath<Everything, V>
    let optionalValue: WritableKeyPath<Everything, V?>

    init(
      _ plain: KeyPath<Columns, Column<V>>, _ optional: KeyPath<Columns, Column<V?>>, _ name: String,
      _ optionalName: String, _ plainValue: WritableKeyPath<Everything, V>,
      _ optionalValue: WritableKeyPath<Everything, V?>
    ) {
      self.plain = plain
      self.optional = optional
      names = (name, optionalName)
      self.plainValue = plainValue
      self.optionalValue = optionalValue
    }
  }

  /// A typed condition, the same as text with its arguments, and its sides in plain Swift.
  private struct Form<V: Storable & Comparable> {
    let typed: (Columns) -> Condition
    let text: String
    let arguments: [(any Storable)?]
    let sides: (Everything) -> (V?, V?)
  }

  private static func holds<V: Comparable>(_ a: V?, _ comparison: Comparison, _ b: V?) -> Bool {
    switch comparison {
    case .equal: return a == b
    case .notEqual: return a != b
    default: break
    }
    guard let a, let b else { return false }
    return switch comparison {
    case .less: a < b
    case .lessOrEqual: a <= b
    case .greater: a > b
    default: a >= b
    }
  }

  private static func operators<V: Storable & Comparable & Sendable>(
    _ name: String, _ pair: Pair<V>, _ values: [V]
  ) -> [ConformanceCase] {
    Comparison.allCases.map { comparison in
      ConformanceCase(
        "FRONT.operator.\(name).\(comparison.rawValue)", ["PRED-11", "PRED-1", "PRED-2", "PRED-3"],
        "Every overload of \(comparison.rawValue) says what its text and plain Swift say."
      ) { kit in
        let store = try kit.store(Everything.self)
        var things: [Everything] = []
        for place in 0..<(values.count * (values.count + 1)) {
          var thing = Everything(place + 1)
          let other = place / values.count
          thing[keyPath: pair.optionalValue] = other == 0 ? nil : values[other - 1]
          // The key has values of its own.
          if pair.names.plain != "id" { thing[keyPath: pair.plainValue] = values[place % values.count] }
          things.append(thing)
        }
        try store.insert(contentsOf: things)
        for value in values {
          for form in forms(comparison, pair, value) {
            let expected = things.filter {
              let (left, right) = form.sides($0)
              return holds(left, comparison, right)
            }.map(\.id)
            try expectEqual(try store.keys(Everything.where(form.typed)), expected, "\(form.text) with \(value)")
            let query = try Everything.all.where(form.text, arguments: form.arguments)
            try expectEqual(try store.keys(query), expected, "\(query.tree)")
          }
        }
      }
    }
  }

  private static func forms<V: Storable & Comparable>(
    _ comparison: Comparison, _ pair: Pair<V>, _ value: V
  ) -> [Form<V>] {
    let (p, o) = (pair.plain, pair.optional)
    let (plain, optional) = (pair.plainValue, pair.optionalValue)
    let maybe: V? = value
    let typed: [(Columns) -> Condition] =
      switch comparison {
      case .equal:
        [
          { $0[keyPath: p] == value }, { value == $0[keyPath: p] }, { $0[keyPath: o] == maybe },
          { maybe == $0[keyPath: o] }, { $0[keyPath: p] == $0[keyPath: p] }, { $0[keyPath: o] == $0[keyPath: o] },
          { $0[keyPath: p] == $0[keyPath: o] }, { $0[keyPath: o] == $0[keyPath: p] },
        ]
      case .notEqual:
        [
          { $0[keyPath: p] != value }, { value != $0[keyPath: p] }, { $0[keyPath: o] != maybe },
          { maybe != $0[keyPath: o] }, { $0[keyPath: p] != $0[keyPath: p] }, { $0[keyPath: o] != $0[keyPath: o] },
          { $0[keyPath: p] != $0[keyPath: o] }, { $0[keyPath: o] != $0[keyPath: p] },
        ]
      case .less:
        [
          { $0[keyPath: p] < value }, { value < $0[keyPath: p] }, { $0[keyPath: o] < value },
          { value < $0[keyPath: o] }, { $0[keyPath: p] < $0[keyPath: p] }, { $0[keyPath: o] < $0[keyPath: o] },
          { $0[keyPath: p] < $0[keyPath: o] }, { $0[keyPath: o] < $0[keyPath: p] },
        ]
      case .lessOrEqual:
        [
          { $0[keyPath: p] <= value }, { value <= $0[keyPath: p] }, { $0[keyPath: o] <= value },
          { value <= $0[keyPath: o] }, { $0[keyPath: p] <= $0[keyPath: p] }, { $0[keyPath: o] <= $0[keyPath: o] },
          { $0[keyPath: p] <= $0[keyPath: o] }, { $0[keyPath: o] <= $0[keyPath: p] },
        ]
      case .greater:
        [
          { $0[keyPath: p] > value }, { value > $0[keyPath: p] }, { $0[keyPath: o] > value },
          { value > $0[keyPath: o] }, { $0[keyPath: p] > $0[keyPath: p] }, { $0[keyPath: o] > $0[keyPath: o] },
          { $0[keyPath: p] > $0[keyPath: o] }, { $0[keyPath: o] > $0[keyPath: p] },
        ]
      case .greaterOrEqual:
        [
          { $0[keyPath: p] >= value }, { value >= $0[keyPath: p] }, { $0[keyPath: o] >= value },
          { value >= $0[keyPath: o] }, { $0[keyPath: p] >= $0[keyPath: p] }, { $0[keyPath: o] >= $0[keyPath: o] },
          { $0[keyPath: p] >= $0[keyPath: o] }, { $0[keyPath: o] >= $0[keyPath: p] },
        ]
      }
    let sign = PredicateTree.compare(.value(.null), comparison, .value(.null)).description.split(separator: " ")[1]
    let (x, y) = pair.names
    let rest: [(String, [(any Storable)?], (Everything) -> (V?, V?))] = [
      ("\(x) \(sign) %@", [value], { ($0[keyPath: plain], value) }),
      ("%@ \(sign) \(x)", [value], { (value, $0[keyPath: plain]) }),
      ("\(y) \(sign) %@", [value], { ($0[keyPath: optional], value) }),
      ("%@ \(sign) \(y)", [value], { (value, $0[keyPath: optional]) }),
      ("\(x) \(sign) \(x)", [], { ($0[keyPath: plain], $0[keyPath: plain]) }),
      ("\(y) \(sign) \(y)", [], { ($0[keyPath: optional], $0[keyPath: optional]) }),
      ("\(x) \(sign) \(y)", [], { ($0[keyPath: plain], $0[keyPath: optional]) }),
      ("\(y) \(sign) \(x)", [], { ($0[keyPath: optional], $0[keyPath: plain]) }),
    ]
    return zip(typed, rest).map { Form(typed: $0, text: $1.0, arguments: $1.1, sides: $1.2) }
  }

  // MARK: Numbers

  private static let figures: [Figure] = [
    Figure(0, number: -3, unsigned: 2, value: -3, ratio: 0.5, price: -3, small: 7),
    Figure(1, number: 0, unsigned: 0, value: -0.0, ratio: 0.1, price: 0, small: 0),
    Figure(2, number: 2, unsigned: 3, value: 2.5, ratio: 2.5, price: 2.5, small: 2),
    Figure(3, number: 5, unsigned: .max, value: 4.999, ratio: 1, price: 5, small: 5),
    Figure(4, unsigned: 1, value: 1, small: 1),
    Figure(5, number: 1 << 53 + 1, value: 0x1p53, ratio: 0x1p24, price: 1, small: -1),
  ]

  /// A condition as text with its arguments, and typed.
  private struct Said {
    let text: String
    let arguments: [(any Storable)?]
    let condition: (Figure.Columns) -> Condition

    init(_ text: String, _ arguments: (any Storable)?..., condition: @escaping (Figure.Columns) -> Condition) {
      self.text = text
      self.arguments = arguments
      self.condition = condition
    }
  }

  /// A case in which typed conditions give what the reference gives for the text beside them.
  private static func same(
    _ id: String, _ clauses: [String], _ summary: String,
    _ conditions: @escaping @Sendable () -> [Said]
  ) -> ConformanceCase {
    ConformanceCase("FRONT.operator.\(id)", clauses, summary) { kit in
      let store = try kit.store(Figure.self)
      try store.insert(contentsOf: figures)
      let rows = try store.read { try $0.records.fetch(in: "Figure") }
      for said in conditions() {
        let (text, condition) = (said.text, said.condition)
        let query = try Figure.all.where(text, arguments: said.arguments)
        let expected = Reference.rows(query.tree, from: rows).map { Int($0["id"]?.integer ?? -1) }
        try expectEqual(try store.keys(query), expected, text)
        try expectEqual(try store.keys(Figure.where(condition)), expected, text)
      }
    }
  }

  private static let numbers = same(
    "numbers", ["PRED-6", "PRED-11"], "Numbers of different types are compared by their exact values, on either side."
  ) {
    let (int, double, decimal, wide, float): (Int, Double, Decimal, UInt64, Float) = (2, 2.5, 2.5, .max, 0.1)
    // One by one: the compiler takes long over a list of them.
    var list: [Said] = []
    list.append(Said("value == %@", int) { $0.value == int })
    list.append(Said("%@ == value", int) { int == $0.value })
    list.append(Said("number == %@", double) { $0.number == double })
    list.append(Said("%@ == number", double) { double == $0.number })
    list.append(Said("small == %@", decimal) { $0.small == decimal })
    list.append(Said("%@ == small", decimal) { decimal == $0.small })
    list.append(Said("ratio == %@", double) { $0.ratio == double })
    list.append(Said("price == %@", int) { $0.price == int })
    list.append(Said("%@ == unsigned", wide) { wide == $0.unsigned })
    list.append(Said("number == %@", wide) { $0.number == wide })
    list.append(Said("value == %@", float) { $0.value == float })
    list.append(Said("small == value") { $0.small == $0.value })
    list.append(Said("number == unsigned") { $0.number == $0.unsigned })
    list.append(Said("ratio == value") { $0.ratio == $0.value })
    list.append(Said("price == value") { $0.price == $0.value })
    list.append(Said("id == number") { $0.id == $0.number })
    list.append(Said("value != %@", int) { $0.value != int })
    list.append(Said("%@ != value", int) { int != $0.value })
    list.append(Said("number != %@", double) { $0.number != double })
    list.append(Said("%@ != number", double) { double != $0.number })
    list.append(Said("small != %@", decimal) { $0.small != decimal })
    list.append(Said("%@ != small", decimal) { decimal != $0.small })
    list.append(Said("ratio != %@", double) { $0.ratio != double })
    list.append(Said("price != %@", int) { $0.price != int })
    list.append(Said("%@ != unsigned", wide) { wide != $0.unsigned })
    list.append(Said("number != %@", wide) { $0.number != wide })
    list.append(Said("value != %@", float) { $0.value != float })
    list.append(Said("small != value") { $0.small != $0.value })
    list.append(Said("number != unsigned") { $0.number != $0.unsigned })
    list.append(Said("ratio != value") { $0.ratio != $0.value })
    list.append(Said("price != value") { $0.price != $0.value })
    list.append(Said("id != number") { $0.id != $0.number })
    list.append(Said("value < %@", int) { $0.value < int })
    list.append(Said("%@ < value", int) { int < $0.value })
    list.append(Said("number < %@", double) { $0.number < double })
    list.append(Said("%@ < number", double) { double < $0.number })
    list.append(Said("small < %@", decimal) { $0.small < decimal })
    list.append(Said("%@ < small", decimal) { decimal < $0.small })
    list.append(Said("ratio < %@", double) { $0.ratio < double })
    list.append(Said("price < %@", int) { $0.price < int })
    list.append(Said("%@ < unsigned", wide) { wide < $0.unsigned })
    list.append(Said("number < %@", wide) { $0.number < wide })
    list.append(Said("value < %@", float) { $0.value < float })
    list.append(Said("small < value") { $0.small < $0.value })
    list.append(Said("number < unsigned") { $0.number < $0.unsigned })
    list.append(Said("ratio < value") { $0.ratio < $0.value })
    list.append(Said("price < value") { $0.price < $0.value })
    list.append(Said("id < number") { $0.id < $0.number })
    list.append(Said("value <= %@", int) { $0.value <= int })
    list.append(Said("%@ <= value", int) { int <= $0.value })
    list.append(Said("number <= %@", double) { $0.number <= double })
    list.append(Said("%@ <= number", double) { double <= $0.number })
    list.append(Said("small <= %@", decimal) { $0.small <= decimal })
    list.append(Said("%@ <= small", decimal) { decimal <= $0.small })
    list.append(Said("ratio <= %@", double) { $0.ratio <= double })
    list.append(Said("price <= %@", int) { $0.price <= int })
    list.append(Said("%@ <= unsigned", wide) { wide <= $0.unsigned })
    list.append(Said("number <= %@", wide) { $0.number <= wide })
    list.append(Said("value <= %@", float) { $0.value <= float })
    list.append(Said("small <= value") { $0.small <= $0.value })
    list.append(Said("number <= unsigned") { $0.number <= $0.unsigned })
    list.append(Said("ratio <= value") { $0.ratio <= $0.value })
    list.append(Said("price <= value") { $0.price <= $0.value })
    list.append(Said("id <= number") { $0.id <= $0.number })
    list.append(Said("value > %@", int) { $0.value > int })
    list.append(Said("%@ > value", int) { int > $0.value })
    list.append(Said("number > %@", double) { $0.number > double })
    list.append(Said("%@ > number", double) { double > $0.number })
    list.append(Said("small > %@", decimal) { $0.small > decimal })
    list.append(Said("%@ > small", decimal) { decimal > $0.small })
    list.append(Said("ratio > %@", double) { $0.ratio > double })
    list.append(Said("price > %@", int) { $0.price > int })
    list.append(Said("%@ > unsigned", wide) { wide > $0.unsigned })
    list.append(Said("number > %@", wide) { $0.number > wide })
    list.append(Said("value > %@", float) { $0.value > float })
    list.append(Said("small > value") { $0.small > $0.value })
    list.append(Said("number > unsigned") { $0.number > $0.unsigned })
    list.append(Said("ratio > value") { $0.ratio > $0.value })
    list.append(Said("price > value") { $0.price > $0.value })
    list.append(Said("id > number") { $0.id > $0.number })
    list.append(Said("value >= %@", int) { $0.value >= int })
    list.append(Said("%@ >= value", int) { int >= $0.value })
    list.append(Said("number >= %@", double) { $0.number >= double })
    list.append(Said("%@ >= number", double) { double >= $0.number })
    list.append(Said("small >= %@", decimal) { $0.small >= decimal })
    list.append(Said("%@ >= small", decimal) { decimal >= $0.small })
    list.append(Said("ratio >= %@", double) { $0.ratio >= double })
    list.append(Said("price >= %@", int) { $0.price >= int })
    list.append(Said("%@ >= unsigned", wide) { wide >= $0.unsigned })
    list.append(Said("number >= %@", wide) { $0.number >= wide })
    list.append(Said("value >= %@", float) { $0.value >= float })
    list.append(Said("small >= value") { $0.small >= $0.value })
    list.append(Said("number >= unsigned") { $0.number >= $0.unsigned })
    list.append(Said("ratio >= value") { $0.ratio >= $0.value })
    list.append(Said("price >= value") { $0.price >= $0.value })
    list.append(Said("id >= number") { $0.id >= $0.number })
    return list
  }

  private static let arithmetic = same(
    "arithmetic", ["PRED-13", "PRED-11"],
    "Every operator of arithmetic, with the constant on either side and with columns."
  ) {
    var list: [Said] = []
    list.append(Said("number + 3 > id") { $0.number + 3 > $0.id })
    list.append(Said("3 + number <= 2") { 3 + $0.number <= 2 })
    list.append(Said("number + id == 2") { $0.number + $0.id == 2 })
    list.append(Said("value + 1.5 < 4") { $0.value + 1.5 < 4 })
    list.append(Said("1.5 + value < 4") { 1.5 + $0.value < 4 })
    list.append(Said("price + 2.5 != 0") { $0.price + 2.5 != 0 })
    list.append(Said("ratio + 0.1 > ratio") { $0.ratio + 0.1 > $0.ratio })
    list.append(Said("small + 100 >= 107") { $0.small + 100 >= 107 })
    list.append(Said("5 > number + id") { 5 > $0.number + $0.id })
    list.append(Said("id < number + number") { $0.id < $0.number + $0.number })
    list.append(Said("value + value != price") { $0.value + $0.value != $0.price })
    list.append(Said("number - 3 > id") { $0.number - 3 > $0.id })
    list.append(Said("3 - number <= 2") { 3 - $0.number <= 2 })
    list.append(Said("number - id == 2") { $0.number - $0.id == 2 })
    list.append(Said("value - 1.5 < 4") { $0.value - 1.5 < 4 })
    list.append(Said("1.5 - value < 4") { 1.5 - $0.value < 4 })
    list.append(Said("price - 2.5 != 0") { $0.price - 2.5 != 0 })
    list.append(Said("ratio - 0.1 > ratio") { $0.ratio - 0.1 > $0.ratio })
    list.append(Said("small - 100 >= 107") { $0.small - 100 >= 107 })
    list.append(Said("5 > number - id") { 5 > $0.number - $0.id })
    list.append(Said("id < number - number") { $0.id < $0.number - $0.number })
    list.append(Said("value - value != price") { $0.value - $0.value != $0.price })
    list.append(Said("number * 3 > id") { $0.number * 3 > $0.id })
    list.append(Said("3 * number <= 2") { 3 * $0.number <= 2 })
    list.append(Said("number * id == 2") { $0.number * $0.id == 2 })
    list.append(Said("value * 1.5 < 4") { $0.value * 1.5 < 4 })
    list.append(Said("1.5 * value < 4") { 1.5 * $0.value < 4 })
    list.append(Said("price * 2.5 != 0") { $0.price * 2.5 != 0 })
    list.append(Said("ratio * 0.1 > ratio") { $0.ratio * 0.1 > $0.ratio })
    list.append(Said("small * 100 >= 107") { $0.small * 100 >= 107 })
    list.append(Said("5 > number * id") { 5 > $0.number * $0.id })
    list.append(Said("id < number * number") { $0.id < $0.number * $0.number })
    list.append(Said("value * value != price") { $0.value * $0.value != $0.price })
    list.append(Said("number / 2 == 1") { $0.number / 2 == 1 })
    list.append(Said("7 / number == -2") { 7 / $0.number == -2 })
    list.append(Said("number / id > 0") { $0.number / $0.id > 0 })
    list.append(Said("number % 2 == -1") { $0.number % 2 == -1 })
    list.append(Said("7 % number == 1") { 7 % $0.number == 1 })
    list.append(Said("number % id == 0") { $0.number % $0.id == 0 })
    list.append(Said("value / 2 > 1") { $0.value / 2 > 1 })
    list.append(Said("1 / value < 0") { 1 / $0.value < 0 })
    list.append(Said("ratio / ratio == 1") { $0.ratio / $0.ratio == 1 })
    list.append(Said("-number > 2") { -$0.number > 2 })
    list.append(Said("-value == 0") { -$0.value == 0 })
    list.append(Said("-price < -2") { -$0.price < -2 })
    list.append(Said("(number + 1) * 2 - id % 3 > 4") { ($0.number + 1) * 2 - $0.id % 3 > 4 })
    list.append(Said("number + 1 == nil") { $0.number + 1 == nil })
    list.append(Said("number + 1 != nil") { $0.number + 1 != nil })
    return list
  }
}
