import Foundation
import QuarryBackend
import Testing

@testable import QuarrySQLite

@Suite struct TableDefinitionTests {
  @Test(arguments: [
    (PropertyType.string, Value.string("k")), (.decimal, .decimal(2.5)), (.uuid, .uuid(UUID())), (.double, .double(1)),
  ])
  func integrityIsFoundOKWhereTheKeyIsDeclaredLast(_ type: PropertyType, _ key: Value) throws {
    let store = try TestStore(
      ModelSchema(
        name: "M",
        properties: [
          .init(name: "n", type: .int64), .init(name: "price", type: .decimal), .init(name: "key", type: type),
        ], primaryKey: 2, indexes: [IndexSchema(name: "n", columns: [.init(slot: 0)])]))
    try store.insert([[.int(1), .decimal(0.5), key]])
    #expect(try store.plain("PRAGMA integrity_check") == [["ok"]])
  }

  @Test func aModelWhoseIndexNamesSQLiteKeepsForItselfHasSpareOnes() throws {
    let store = try TestStore(
      ModelSchema(
        name: "SQLite", properties: [.init(name: "id", type: .int64), .init(name: "a", type: .string)], primaryKey: 0,
        indexes: [IndexSchema(name: "a", columns: [.init(slot: 1)])]))
    try store.insert([[.int(1), .string("x")]])
    #expect(try store.plain("PRAGMA integrity_check") == [["ok"]])
  }
}
