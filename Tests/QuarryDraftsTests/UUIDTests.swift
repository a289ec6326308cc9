import Foundation
import QuarryBackend
import QuarryCore
import QuarryEngines
import QuarryTestSupport
import Testing

@Suite struct UUIDTests {
  private func bytes(_ id: UUID) -> [UInt8] { withUnsafeBytes(of: id.uuid) { Array($0) } }

  // KEY-1
  @Test func itIsOfVersionSevenAndHasTheTime() {
    let before = UInt64(Date().timeIntervalSince1970 * 1000)
    let id = bytes(.generated())
    let time = id.prefix(6).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    #expect(id[6] >> 4 == 7)
    #expect(id[8] >> 6 == 2)
    #expect(time >= before && time <= UInt64(Date().timeIntervalSince1970 * 1000) + 2)
  }

  // KEY-2
  @Test func eachIsGreaterThanTheOneBefore() {
    var last = bytes(.generated())
    for _ in 0..<200_000 {
      let next = bytes(.generated())
      #expect(last.lexicographicallyPrecedes(next))
      last = next
    }
  }

  // KEY-2
  @Test func threadsGetDifferentOnesInOrder() async {
    let lists = await withTaskGroup(of: [UUID].self) { group in
      for _ in 0..<8 { group.addTask { (0..<20_000).map { _ in UUID.generated() } } }
      return await group.reduce(into: [[UUID]]()) { $0.append($1) }
    }
    #expect(Set(lists.joined()).count == 160_000)
    for list in lists {
      #expect(zip(list, list.dropFirst()).allSatisfy { bytes($0).lexicographicallyPrecedes(bytes($1)) })
    }
  }

  // KEY-3
  @Test func storesKeepThemInTheirOrder() throws {
    let ids = (0..<500).map { _ in UUID.generated() }
    for engine in EngineDescription.all {
      let folder = try ScratchFolder(in: ScratchFolder.memory)
      let store = try Store(for: Named.self, in: engine.provider(at: engine.path(in: folder.path)))
      try store.insert(contentsOf: ids.shuffled().map { Named(id: $0) })
      #expect(try store.keys(Named.all) == ids)
      try store.close()
    }
  }
}

struct Named: Model {
  var id: UUID = .generated()

  static let modelDefinition = ModelDefinition<Named>(
    name: "Named", properties: [PropertyDefinition("id", \Named.id, UUID.self)], primaryKey: "id")

  struct Columns: ModelColumns { let id = Column<UUID>("id", 0) }
  var primaryKeyValue: UUID { id }
  init(id: UUID = .generated()) { self.id = id }
  init(reading row: ModelReader) throws(StorageError) { id = try row.get(0) }
  func write(to row: ModelWriter) throws(StorageError) { try row.set(0, id) }
}
