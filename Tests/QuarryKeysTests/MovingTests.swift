import Foundation
import Quarry
import QuarryBackend
import QuarryCore
import QuarryData
import QuarryDump
import QuarryEngines
import QuarryTestSupport
import Testing

/// Sequences of stores that are copied, dumped, restored and imported into: contract KEY-5.
@Suite struct MovingTests {
  /// A store whose greatest object is removed.
  private func filled(_ place: Place) throws -> Store {
    let store = try place.open(Ticket.self, Comment.self)
    let tickets = try store.insertAndFetch(contentsOf: (1...5).map { Ticket(code: "\($0)") })
    try store.insert(Comment(text: "a", ticket: Ref(tickets[0])))
    try store.delete(tickets[4])
    return store
  }

  private func expectToContinue(_ provider: any BackendProvider) throws {
    let store = try Store(models: [Ticket.self, Comment.self], in: provider)
    #expect(try store.keys(Ticket.all) == [1, 2, 3, 4])
    #expect(try store.insert(Ticket(code: "6")).id == 6)
    #expect(try store.insert(Comment(text: "b", ticket: Ref(Ticket(id: 6, code: "6")))).id == 2)
    #expect(try store.check() == [])
    try store.close()
  }

  // KEY-5, KEY-13
  @Test(arguments: Place.lasting)
  func aCopyContinues(_ engine: EngineDescription) throws {
    for target in Place.lasting {
      let place = try Place(engine)
      let store = try filled(place)
      let other = try Place(target)
      let report = try store.copy(to: other.provider("copy"))
      #expect(report.models.map(\.name).sorted() == ["Comment", "Ticket"])
      try store.close()
      try expectToContinue(other.provider("copy"))
    }
  }

  // KEY-5, KEY-13
  @Test(arguments: Place.lasting)
  func aDumpContinues(_ engine: EngineDescription) throws {
    let place = try Place(engine)
    let store = try filled(place)
    let path = "\(place.folder.path)/dump.jsonl"
    try store.dump(to: path)
    let lines = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n")
    #expect(lines[0] == #"{"quarry":"dump","format":3}"#)
    let start = #"{"model":"Ticket","key":"id","generated":"sequence","last":5,"properties""#
    #expect(lines.contains { $0.hasPrefix(start) })
    #expect(lines.count { $0.hasPrefix(#"{"model":"#) } == 2)
    try store.close()
    try Store.restore(path, to: place.provider("restored"))
    let again = try Store(opening: place.provider("restored"))
    try again.dump(to: path + "2")
    #expect(try Data(contentsOf: URL(filePath: path)) == Data(contentsOf: URL(filePath: path + "2")))
    try again.close()
    try expectToContinue(place.provider("restored"))
  }

  // KEY-5
  @Test func aDumpWithoutItsNumberIsRefused() throws {
    let folder = try ScratchFolder(in: ScratchFolder.memory)
    for member in [#","generated":"sequence""#, #","generated":"uuid","last":3"#, #","generated":"x""#, #","last":3"#] {
      let lines = [
        #"{"quarry":"dump","format":3}"#,
        #"{"model":"A","key":"id"\#(member),"properties":[{"name":"id","type":"int64"}],"indexes":[]}"#, "",
      ]
      let path = "\(folder.path)/dump.jsonl"
      try lines.joined(separator: "\n").write(toFile: path, atomically: true, encoding: .utf8)
      #expect(code { try Store.restore(path, to: MemoryProvider.place) } == .corrupt, "\(member)")
    }
  }

  // KEY-5
  @Test(arguments: Place.lasting)
  func aBackupContinues(_ engine: EngineDescription) throws {
    let place = try Place(engine)
    let store = try filled(place)
    guard store.manifest.capabilities[.backup]?.isSupported == true else { return }
    let path = engine.path(in: place.folder.path, "backup")
    try store.backup(to: path)
    try store.close()
    try expectToContinue(place.provider("backup"))
  }

  // KEY-4
  @Test(arguments: Place.engines)
  func importsNeedNoKeys(_ engine: EngineDescription) throws {
    let place = try Place(engine)
    let store = try place.open(Ticket.self)
    func load(_ text: String, _ name: String, into model: String = "Ticket", key: DataFile.Key = .found) throws -> Int {
      let path = "\(place.folder.path)/\(name)"
      try text.write(toFile: path, atomically: true, encoding: .utf8)
      var table = TableImport(data: DataFile(path: path, format: try #require(DataFormat(path: path))), model: model)
      table.key = key
      return try table.run(in: store).rows
    }
    #expect(try load("code,price\na,1\nb,2\n", "a.csv") == 2)
    #expect(try load("id,code\n,c\n9,d\n,e\n", "b.csv") == 3)
    let lines = [#"{"code":"f","price":1}"#, #"{"id":20,"code":"g","price":1}"#, ""].joined(separator: "\n")
    #expect(try load(lines, "c.jsonl", key: .generated) == 2)
    let stored = try store.fetch(Ticket.all).map { "\($0.id) \($0.code)" }
    #expect(stored == ["1 a", "2 b", "9 d", "10 c", "11 e", "20 g", "21 f"])
    #expect(code { try load("code\na\n", "d.csv") } == .uniqueViolation)
    #expect(try load("name\nx\ny\n", "e.csv", into: "Person", key: .generated) == 2)
    #expect(try load("name\nz\n", "f.csv", into: "Person") == 1)
    let people = try store.records.fetch(in: "Person", sortedBy: "id")
    #expect(people.map { $0["id"] } == [1, 2, 3] && people.map { $0["name"] } == ["x", "y", "z"])
    #expect(try store.model(named: "Person").keyGeneration == .sequence)
    #expect(try load("id,name\n1,a\n", "g.csv", into: "Plain", key: .column("id")) == 1)
    #expect(code { try load("id,name\n2,b\n", "h.csv", into: "Plain", key: .generated) } == .schemaMismatch)
  }
}

/// A place in memory.
private enum MemoryProvider {
  static var place: any BackendProvider {
    get throws { try EngineDescription.all.first { $0.name == "memory" }!.provider(at: "") }
  }
}
