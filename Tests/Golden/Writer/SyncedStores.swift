import Foundation
import QuarryBackend
import QuarryCore
import QuarryEngines
import QuarrySync

/// A synced store of each engine, which has met another one: with edits, deletes, a counter, a held object and a lost edit.
/// `SyncGoldenTests.swift` opens them.
enum SyncedStores {
  static let team = ModelSchema(
    name: "Team",
    properties: [
      PropertySchema(name: "id", type: .string), PropertySchema(name: "name", type: .string),
      PropertySchema(name: "motto", type: .string, isOptional: true), PropertySchema(name: "size", type: .int64),
    ], primaryKey: 0, indexes: [IndexSchema(name: "Team_name", columns: [.init(slot: 1)], isUnique: true)])

  static let person = ModelSchema(
    name: "Person",
    properties: [
      PropertySchema(name: "id", type: .string), PropertySchema(name: "name", type: .string),
      PropertySchema(name: "views", type: .int64),
      PropertySchema(
        name: "team", type: .string, isOptional: true, reference: .init(to: "Team", deleteRule: .nullify)),
    ], primaryKey: 0, indexes: [IndexSchema(name: "Person_team", columns: [.init(slot: 3)])])

  private static func open(_ provider: any BackendProvider) throws -> Store {
    let store = try Store(program: [team, person], in: provider)
    try store.enableSync(named: ["Team", "Person"])
    return store
  }

  /// - Parameter other: A path of the engine without a file there, for the store that is met.
  static func write(_ provider: any BackendProvider, _ other: any BackendProvider) throws {
    let (a, b) = (try open(provider), try open(other))
    try a.records.insert(
      into: "Team",
      ["red", "blue", "gold", "gray"].map { name in
        Record(["id": .string(name), "name": .string(name), "motto": "on", "size": 1])
      })
    try a.records.insert(
      into: "Person",
      (0..<4).map { number in
        Record([
          "id": .string("p\(number)"), "name": .string("n\(number)"), "views": 1,
          "team": .string(["red", "blue", "gold", "gray"][number]),
        ])
      })
    try Store.replicate(a, b)
    try a.records.upsert(into: "Team", [Record([("id", "red"), ("motto", "up")])], updating: ["motto"])
    try b.records.upsert(into: "Team", [Record([("id", "red"), ("size", 2)])], updating: ["size"])
    try a.records.upsert(into: "Team", [Record([("id", "blue"), ("size", 9)])], updating: ["size"])
    try a.records.delete(in: "Person", keys: ["p1"])
    Thread.sleep(forTimeInterval: 0.01)
    try b.records.delete(in: "Team", keys: ["blue"])
    try b.records.insert(into: "Team", [Record(["id": "t1", "name": "pink", "size": 1])])
    Thread.sleep(forTimeInterval: 0.01)
    try a.records.insert(into: "Team", [Record(["id": "t2", "name": "pink", "size": 1])])
    try a.records.insert(into: "Person", [Record(["id": "p4", "name": "n4", "views": 1, "team": "t2"])])
    try Store.replicate(a, b)
    // What the other store does not have yet.
    try a.records.upsert(into: "Person", [Record([("id", "p0"), ("views", 5)])], updating: ["views"])
    try a.close()
    try b.close()
  }
}
