import QuarryBackend
import QuarryCore

@testable import QuarrySync

/// Models with every merge rule, and with lists of links: without duplicates, with them, and one whose owner is kept.
enum ShopModels {
  static let all = [item, guest, list("Item_fans"), list("Item_visits", duplicates: true), list("Item_buyers", .deny)]
  static let names = ["Item", "Guest"]
  static let declarations = [
    SyncDeclaration(
      model: "Item",
      merges: [
        "views": .counter, "tags": .set, "best": .max, "least": .min, "amount": .row("price"),
        "currency": .row("price"),
      ]), SyncDeclaration(model: "Guest"),
  ]

  static let item = ModelSchema(
    name: "Item",
    properties: [
      PropertySchema(name: "id", type: .uuid), PropertySchema(name: "title", type: .string),
      PropertySchema(name: "views", type: .int64, defaultValue: .int(0)),
      PropertySchema(name: "tags", type: .array, elementType: .string, defaultValue: .array([])),
      PropertySchema(name: "best", type: .int64, isOptional: true), PropertySchema(name: "least", type: .int64),
      PropertySchema(name: "amount", type: .int64), PropertySchema(name: "currency", type: .string),
    ], primaryKey: 0)

  static let guest = ModelSchema(
    name: "Guest", properties: [PropertySchema(name: "id", type: .uuid), PropertySchema(name: "name", type: .string)],
    primaryKey: 0, indexes: [IndexSchema(name: "Guest_name", columns: [.init(slot: 1)], isUnique: true)])

  static func list(
    _ name: String, duplicates: Bool = false, _ rule: PropertySchema.Reference.DeleteRule = .cascade
  ) -> ModelSchema {
    ModelSchema(
      name: name,
      properties: [
        PropertySchema(name: "id", type: .int64),
        PropertySchema(name: "owner", type: .uuid, reference: .init(to: "Item", deleteRule: rule)),
        PropertySchema(name: "target", type: .uuid, reference: .init(to: "Guest", deleteRule: .cascade)),
        PropertySchema(name: "position", type: .int64),
      ], primaryKey: 0,
      indexes: [
        IndexSchema(name: "\(name)_owner", columns: [.init(slot: 1), .init(slot: 3)]),
        IndexSchema(name: "\(name)_target", columns: [.init(slot: 2), .init(slot: 1)], isUnique: !duplicates),
      ])
  }

  static func item(_ key: Value, views: Int = 0) -> Record {
    Record([
      "id": key, "title": "item", "views": .int(Int64(views)), "tags": .array([]), "least": 9, "amount": 1,
      "currency": "EUR",
    ])
  }
}

/// A list of links of a store, as `Links` changes it.
struct ListHandle {
  let place: SyncedPlace
  let model: String
  let owner: Value

  init(_ place: SyncedPlace, _ model: String, _ owner: Value) {
    self.place = place
    self.model = model
    self.owner = owner
  }

  var targets: [Value] {
    get throws { try rows().compactMap { $0["target"] } }
  }

  func rows() throws -> [Record] {
    try place.store.records.fetch(in: model, sortedBy: "position").filter { $0["owner"] == owner }
      .sorted { left, right in
        let (a, b) = (left["position"] ?? .null, right["position"] ?? .null)
        return a != b ? ValueOrder.compare(a, b) < 0 : ValueOrder.compare(left["id"] ?? .null, right["id"] ?? .null) < 0
      }
  }

  func append(_ target: Value) throws { try insert(target, at: rows().count) }

  func insert(_ target: Value, at index: Int) throws {
    let all = try place.store.records.fetch(in: model).compactMap { $0["id"]?.intValue }
    let position = try position(before: index)
    try place.store.records.insert(
      into: model,
      [Record(["id": .int(Int64((all.max() ?? 0) + 1)), "owner": owner, "target": target, "position": .int(position)])])
  }

  private func position(before index: Int) throws -> Int64 {
    let positions = try rows().compactMap { $0["position"]?.intValue }.map(Int64.init)
    if index >= positions.count { return (positions.last ?? 0) + 1024 }
    return index == 0 ? positions[0] - 1024 : (positions[index - 1] + positions[index]) / 2
  }

  func remove(_ target: Value) throws {
    let keys = try rows().filter { $0["target"] == target }.compactMap { $0["id"] }
    try place.store.records.delete(in: model, keys: keys)
  }

  func move(_ target: Value, to index: Int) throws {
    let row = try rows().first { $0["target"] == target }
    guard let id = row?["id"] else { return }
    try place.store.records.upsert(
      into: model, [Record(["id": id, "position": .int(try position(before: index))])], updating: ["position"])
  }
}
