import QuarryBackend
import QuarryCore
import QuarryTestSupport
import Testing

/// Random writes to items with every merge rule, and to their lists. One item stays, so that its values are known in the end.
struct ShopHistory {
  private static let kept = TeamModels.key(0)
  private var views = 0
  private var best = 0
  private var tags: Set<Value> = []
  /// What the transaction that is under way adds.
  private var adding = (views: 0, best: 0, tags: Set<Value>())

  func begin(_ place: SyncedPlace) throws {
    for number in 0..<4 { try place.insert("Item", ShopModels.item(TeamModels.key(number))) }
    for number in 0..<5 {
      try place.insert("Guest", Record(["id": TeamModels.key(number), "name": .string("\(number)")]))
    }
  }

  mutating func end(isStored: Bool) {
    if isStored {
      views += adding.views
      best = max(best, adding.best)
      tags.formUnion(adding.tags)
    }
    adding = (0, 0, [])
  }

  mutating func step(_ tx: WriteTransaction, _ generator: inout SeededGenerator) throws {
    func key(_ numbers: Range<Int>) -> Value { TeamModels.key(Int.random(in: numbers, using: &generator)) }
    func number(_ numbers: ClosedRange<Int>) -> Int { Int.random(in: numbers, using: &generator) }
    func word() -> Value { .string(["red", "blue", "gold", "pink"].randomElement(using: &generator) ?? "") }
    func update(_ key: Value, _ values: [(String, Value)]) throws {
      guard try tx.records.fetch(in: "Item").contains(where: { $0["id"] == key }) else { return }
      try tx.records.upsert(into: "Item", [Record([("id", key)] + values)], updating: values.map(\.0))
    }
    func value(_ key: Value, _ property: String) throws -> Value? {
      try tx.records.fetch(in: "Item").first { $0["id"] == key }?[property]
    }
    switch number(0...18) {
    case 0: try tx.records.upsert(into: "Item", [ShopModels.item(key(1..<4), views: number(0...3))])
    case 1: try tx.records.delete(in: "Item", keys: [key(1..<4)])
    case 2, 3:
      let object = key(0..<4)
      let change = number(-2...4)
      guard let old = try value(object, "views")?.intValue else { return }
      try update(object, [("views", .int(Int64(old) + Int64(change)))])
      if object == Self.kept { adding.views += change }
    case 4:
      let object = key(0..<4)
      guard case .array(let old)? = try value(object, "tags") else { return }
      let tag = word()
      try update(object, [("tags", .array([tag] + old))])
      if object == Self.kept { adding.tags.insert(tag) }
    case 5:
      let object = key(1..<4)
      guard case .array(let old)? = try value(object, "tags") else { return }
      try update(object, [("tags", .array(Array(old.dropFirst())))])
    case 6:
      let object = key(0..<4)
      let new = number(1...50)
      // Less than before gives the object a new version, which the kept one must not have.
      let old = try value(object, "best")?.intValue ?? 0
      guard object != Self.kept || old < new else { return }
      try update(object, [("best", .int(Int64(new)))])
      if object == Self.kept { adding.best = max(adding.best, new) }
    case 7:
      let currency = word()
      try update(key(0..<4), [("amount", .int(Int64(currency.syncLength))), ("currency", currency)])
    case 8: try tx.records.upsert(into: "Guest", [Record(["id": key(0..<5), "name": word()])])
    case 9: try tx.records.delete(in: "Guest", keys: [key(0..<5)])
    case 10...15:
      let list = ["Item_fans", "Item_visits", "Item_buyers"].randomElement(using: &generator) ?? ""
      let ids = try tx.records.fetch(in: list).compactMap { $0["id"]?.intValue }
      try tx.records.insert(
        into: list,
        [
          Record([
            "id": .int(Int64((ids.max() ?? 0) + 1)), "owner": key(0..<4), "target": key(0..<5),
            "position": .int(Int64(number(0...3))),
          ])
        ])
    default:
      let list = ["Item_fans", "Item_visits", "Item_buyers"].randomElement(using: &generator) ?? ""
      guard let row = try tx.records.fetch(in: list).randomElement(using: &generator), let id = row["id"] else {
        return
      }
      if Bool.random(using: &generator) {
        try tx.records.delete(in: list, keys: [id])
      } else {
        try tx.records.upsert(
          into: list, [Record(["id": id, "position": .int(Int64(number(0...3)))])], updating: ["position"])
      }
    }
  }

  /// What all stores must have in the end.
  func expectLaws(_ place: SyncedPlace) throws {
    let items = try place.rows("Item")
    let guests = try place.rows("Guest")
    let kept = items[Self.kept]
    #expect(kept?["views"] == .int(Int64(views)))
    #expect(kept?["best"] == (best == 0 ? .null : .int(Int64(best))))
    guard case .array(let elements)? = kept?["tags"] else { return #expect(Bool(false), "no tags") }
    #expect(Set(elements) == tags && elements.count == tags.count)
    for item in items.values {
      guard let currency = item["currency"], currency != "EUR" else { continue }
      #expect(item["amount"] == .int(Int64(currency.syncLength)))
    }
    for list in ["Item_fans", "Item_visits", "Item_buyers"] {
      let rows = try place.rows(list).values
      for row in rows {
        #expect(row["owner"].flatMap { items[$0] } != nil && row["target"].flatMap { guests[$0] } != nil)
      }
      let sides = rows.map { [$0["owner"], $0["target"]] }
      if list != "Item_visits" { #expect(Set(sides).count == sides.count) }
    }
  }
}

extension Value {
  /// A number that goes with a word.
  fileprivate var syncLength: Int { if case .string(let text) = self { text.utf8.count } else { 0 } }
}
