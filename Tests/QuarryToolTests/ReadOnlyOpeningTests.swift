import QuarryBackend
import QuarryCore
import QuarryEngines
import QuarryQuery
import Testing

@testable import QuarryTool

/// Commands that read, Studio among them, open some engines as writers. No write comes through all the same.
@Suite struct ReadOnlyOpeningTests {
  @Test(arguments: ["sqlite", "lmdb", "file"]) func aStoreOpenedForReadingRefusesEveryWrite(engine: String) throws {
    let shop = try Workshop.cities()
    try #require(
      try shop.quarry("import", "cities.csv", "--into", "\(engine):a", "--model", "City", "--key", "id").status == 0)
    let url = try StoreURL(parsing: "\(engine):\(shop.directory.path)/a?history=30d")
    let store = try url.open(.reading, nil)
    func refused(_ body: () throws -> Void) {
      let error = #expect(throws: StorageError.self, performing: body)
      #expect(error?.code == .readOnly)
    }
    refused { try store.write { tx in _ = try tx.records.delete(in: "City", keys: [1]) } }
    refused { try store.write { _ in } }
    refused { try store.compact() }
    refused { try store.destroy() }
    #expect(try store.history.isOn == false)
    let count = try store.read { tx in try tx.records.count(QueryTree(model: "City")) }
    try store.close()
    let again = try url.open(.reading, nil)
    #expect(try again.read { tx in try tx.records.count(QueryTree(model: "City")) } == count)
    try again.close()
  }
}
