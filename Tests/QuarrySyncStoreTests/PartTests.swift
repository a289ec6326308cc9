import Foundation
import QuarryBackend
import QuarryCore
import QuarryQuery
import QuarryTestSupport
import Testing

@testable import QuarrySync

/// Parts of hubs: SYNC-35 to SYNC-37, SYNC-80 to SYNC-84.
@Suite struct PartTests {
  static let pairs = SyncedPlace.schemes.flatMap { hub in SyncedPlace.schemes.map { (hub, $0) } }
  private let one = TeamModels.key(1)
  private let two = TeamModels.key(2)
  private let three = TeamModels.key(3)

  private func person(_ key: Value, _ name: Value, team: Value = .null) -> Record {
    Record(["id": key, "name": name, "team": team])
  }

  private func denial(_ body: () throws -> Void) -> SyncDenial? {
    do {
      try body()
      return nil
    } catch {
      return (error as? StorageError)?.cause as? SyncDenial
    }
  }

  @Test(arguments: pairs) func aClientHasItsPartAndWhatThatNeeds(_ first: String, _ second: String) throws {
    let (hub, client) = (try PartHub(first), try SyncedPlace(second))
    try hub.place.insert("Team", Record(["id": one, "name": "T"]))
    try hub.place.insert("Person", person(one, "blue", team: one))
    try hub.place.insert("Person", person(two, "gold"))
    try hub.place.insert("Person", person(three, "gold"))
    try hub.place.insert("Job", Record(["id": one, "title": "blue", "person": two]))
    try hub.expectEqual(client, "blue")
    // A job needs its person. The team is not in the part, and the reference to it is nil.
    #expect(try Set(client.rows("Person").keys) == [one, two] && client.rows("Team").isEmpty)
    #expect(try client.value("Person", one, "team") == .null && client.sync.held().isEmpty)
    // What is nil here is not written back as nil.
    try client.update("Person", one, "nick", "annie")
    try hub.expectEqual(client, "blue")
    #expect(try hub.place.value("Person", one, "team") == one && hub.place.value("Person", one, "nick") == "annie")
    // What is needed goes with what needs it.
    try hub.place.update("Person", two, "nick", "cid")
    try hub.expectEqual(client, "blue")
    try client.delete("Job", one)
    try hub.expectEqual(client, "blue")
    #expect(try client.rows("Person").count == 1 && hub.place.rows("Person").count == 3)
    // At rest nothing is said.
    #expect(try hub.answer(client, "blue").messages.count == 1)
  }

  @Test(arguments: pairs) func objectsEnterAndLeaveThePart(_ first: String, _ second: String) throws {
    let (hub, client) = (try PartHub(first), try SyncedPlace(second))
    for key in [one, two, three] { try hub.place.insert("Person", person(key, "blue")) }
    try hub.expectEqual(client, "blue")
    try hub.place.update("Person", one, "name", "gold")
    try client.update("Person", one, "nick", "annie")
    try hub.place.delete("Person", two)
    try client.reopen()
    // What has left the part is forgotten when its unsent edit has reached the hub.
    let (messages, _, session) = try hub.answer(client, "blue")
    try client.sync.receive(session, messages)
    #expect(try Set(client.rows("Person").keys) == [one, three])
    try hub.expectEqual(client, "blue")
    #expect(try Set(client.rows("Person").keys) == [three] && hub.place.value("Person", one, "nick") == "annie")
    // No tombstone: it comes back as it is at the hub.
    try hub.place.update("Person", one, "name", "blue")
    try hub.expectEqual(client, "blue")
    #expect(try client.value("Person", one, "nick") == "annie")
    // An own object that is not in the part goes to the hub, and is forgotten.
    try client.insert("Person", person(two, "gold"))
    try hub.expectEqual(client, "blue")
    #expect(try client.rows("Person")[two] == nil && hub.place.value("Person", two, "name") == "gold")
    // A refused transaction is held, and what it touched is as the part has it.
    try client.insert("Badge", Record(["id": one, "color": "pink", "person": three]))
    try hub.expectEqual(client, "blue")
    #expect(try client.sync.held().map(\.reason) == [.refused] && client.rows("Badge").isEmpty)
  }

  @Test(arguments: SyncedPlace.schemes) func largePartsComeInPiecesAndContinueAfterACut(_ scheme: String) throws {
    let (hub, client) = (try PartHub(scheme), try SyncedPlace(scheme))
    let records = (0..<2_700).map { number in
      Record(["id": TeamModels.key(number), "name": number % 9 == 0 ? "gold" : "blue"])
    }
    try hub.place.store.records.insert(into: "Person", records)
    try client.insert("Person", person(TeamModels.key(9_000), "blue"))
    try client.sync.follow(hub.place.sync.hello())
    let (messages, isEnd, session) = try hub.answer(client, "blue")
    #expect(!isEnd && messages.count < 2_100)
    try client.sync.receive(session, messages)
    let place = try client.sync.hello().place
    #expect(place?.isWhole == true && place?.after != nil)
    try client.reopen()
    try hub.reopen()
    // An object behind the place changes, and one before it leaves.
    try hub.place.update("Person", TeamModels.key(1), "nick", "annie")
    try hub.place.update("Person", TeamModels.key(2), "name", "gold")
    // The answer before changes nothing when it comes again.
    try client.sync.receive(client.sync.hello().session, messages)
    #expect(try client.sync.hello().place == place)
    try hub.expectEqual(client, "blue")
    #expect(try client.rows("Person").count == 2_400)
  }

  @Test(arguments: SyncedPlace.schemes) func thePartComesAsAWholeWhereItsChangesAreNotKnown(_ scheme: String) throws {
    let (hub, client) = (try PartHub("sqlite"), try SyncedPlace(scheme))
    for key in [one, two, three] { try hub.place.insert("Person", person(key, "blue")) }
    try hub.expectEqual(client, "blue")
    try hub.place.update("Person", one, "name", "gold")
    try hub.place.delete("Person", two)
    try client.update("Person", three, "nick", "cid")
    try hub.place.sync.changing { work in
      guard let writer = work.transaction as? any BackendWriteTransaction else { return }
      try work.schema.area.put(
        TouchedObjects.trimming(keeping: 0, work.schema.area, in: writer), in: writer)
    }
    let (messages, _, _) = try hub.answer(client, "blue")
    guard case .partBegin(let header)? = messages.dropFirst().first?.message else {
      return #expect(Bool(false), "no part")
    }
    #expect(header.isFresh)
    try hub.expectEqual(client, "blue")
    #expect(try Set(client.rows("Person").keys) == [three] && hub.place.value("Person", three, "nick") == "cid")
    // Another principal's part, too.
    try hub.expectEqual(client, "gold")
    #expect(try Set(client.rows("Person").keys) == [one])
    // In one process a program without a principal is trusted with everything.
    #expect(try Store.replicate(client.store, hub.place.store).isEqual)
    #expect(try PartHub.rows(client) == PartHub.rows(hub.place))
    try hub.expectEqual(client, "blue")
  }

  @Test(arguments: SyncedPlace.schemes) func aClientThatHadEverythingKeepsItsPartAlone(_ scheme: String) throws {
    let (place, client) = (try SyncedPlace("memory"), try SyncedPlace(scheme))
    try place.store.enableSync(as: .hub)
    for key in [one, two] { try place.insert("Person", person(key, key == one ? "blue" : "gold")) }
    #expect(try Store.replicate(client.store, place.store).isEqual)
    let everything = try client.sync.reading { work in
      try work.loadAll()
      return work.log.count
    }
    var parts = SyncParts()
    parts.part(named: "Person") { who in
      QueryTree(
        model: "Person",
        predicate: .compare(.property(PropertyPath("name")), .equal, .value(.string(who["color"] ?? ""))))
    }
    try place.sync.declare(parts)
    #expect(try Store.replicate(client.store, place.store, as: PartHub.principal("blue")).isEqual)
    #expect(try Set(client.rows("Person").keys) == [one])
    // Its log does not show what is not in the part.
    let left = try client.sync.reading { work in
      try work.loadAll()
      return work.log.count
    }
    #expect(everything == 2 && left == 0)
    #expect(denial { try client.store.enableSync(as: .peer) } == .hasPart)
  }

  @Test func whatCannotBeAPartIsRefused() throws {
    let (hub, client, peer) = (try PartHub("sqlite"), try SyncedPlace("memory"), try SyncedPlace("memory"))
    func refusal(_ tree: QueryTree) -> StorageError.Code? {
      var parts = SyncParts()
      parts.part(named: tree.model) { _ in tree }
      do {
        try hub.place.sync.declare(parts)
        try Store.replicate(client.store, hub.place.store, as: "anna")
        return nil
      } catch {
        return (error as? StorageError)?.code
      }
    }
    #expect(refusal(QueryTree(model: "Person", limit: 1)) == .unsupported)
    #expect(refusal(QueryTree(model: "Person", offset: 1)) == .unsupported)
    #expect(refusal(QueryTree(model: "Nothing")) == .unsupported)
    let path = PropertyPath("team", members: ["name"])
    #expect(
      refusal(QueryTree(model: "Person", predicate: .compare(.property(path), .equal, .value("T")))) == .unsupported)
    var parts = SyncParts()
    parts.part(named: "Person") { _ in nil }
    #expect(throws: StorageError.self) { try peer.sync.declare(parts) }
    // A hub that has given parts gives none, and not everything, before its program has declared them again.
    try hub.place.reopen()
    #expect(denial { try Store.replicate(client.store, hub.place.store, as: "anna") } == .noParts)
    // A store that is no client takes no part.
    let messages = try hub.place.sync.answer(client.sync.hello(), SyncTerms()).messages
    #expect(!messages.isEmpty)
    let header = PartHeader(
      knowledge: Knowledge(), isFresh: true, place: PartPlace(part: 1, cursor: 0, isWhole: true))
    let forged = NumberedMessage.numbered([messages[0].message, .partBegin(header)])
    #expect(throws: StorageError.self) { try peer.sync.receive(peer.sync.hello().session, forged) }
  }

  @Test(arguments: SyncedPlace.schemes) func aListHasTheLinksOfChosenObjects(_ scheme: String) throws {
    let (hub, client) = (
      try SyncedPlace(scheme, models: ShopModels.all), try SyncedPlace("memory", models: ShopModels.all)
    )
    try hub.store.enableSync(as: .hub)
    var parts = SyncParts()
    parts.part(named: "Item") { _ in QueryTree(model: "Item") }
    parts.part(named: "Guest") { _ in
      QueryTree(model: "Guest", predicate: .compare(.property(PropertyPath("name")), .less, .value("3")))
    }
    try hub.sync.declare(parts)
    try hub.insert("Item", ShopModels.item(one))
    for number in 1...4 {
      try hub.insert("Guest", Record(["id": TeamModels.key(number), "name": .string("\(number)")]))
    }
    for number in 1...4 { try ListHandle(hub, "Item_fans", one).append(TeamModels.key(number)) }
    func expect(_ targets: [Value]) throws {
      #expect(try Store.replicate(client.store, hub.store, as: "anna").isEqual)
      #expect(try ListHandle(client, "Item_fans", one).targets == targets && client.sync.check() == [])
    }
    try expect([one, two])
    // The links come and go with their objects.
    try hub.update("Guest", three, "name", "0")
    try expect([one, two, three])
    try hub.update("Guest", one, "name", "9")
    try expect([two, three])
    try ListHandle(client, "Item_fans", one).remove(two)
    try expect([three])
    #expect(try ListHandle(hub, "Item_fans", one).targets.count == 3)
  }

  @Test(arguments: SyncedPlace.schemes) func unsentEditsStayOnTop(_ scheme: String) throws {
    let (hub, client) = (try PartHub("sqlite"), try SyncedPlace(scheme))
    try hub.place.insert("Team", Record(["id": one, "name": "T"]))
    try hub.place.insert("Person", person(one, "blue"))
    try hub.place.insert("Person", person(two, "blue"))
    try hub.expectEqual(client, "blue")
    try client.update("Person", one, "nick", "annie")
    try client.delete("Person", two)
    try hub.place.update("Person", one, "team", one)
    try hub.place.update("Person", two, "nick", "bea")
    let (messages, _, session) = try hub.answer(client, "blue")
    try client.sync.receive(session, messages)
    // The hub's word has come, and nothing that was written here is gone.
    #expect(try client.value("Person", one, "nick") == "annie" && client.rows("Person")[two] == nil)
    try hub.expectEqual(client, "blue")
    #expect(try hub.place.value("Person", one, "nick") == "annie" && hub.place.value("Person", one, "team") == one)
    #expect(try hub.place.rows("Person")[two] == nil)
  }

  @Test(arguments: SyncedPlace.schemes) func aLateAnswerChangesNothing(_ scheme: String) throws {
    let (hub, client) = (try PartHub("memory"), try SyncedPlace(scheme))
    try hub.place.insert("Person", person(one, "blue"))
    try hub.expectEqual(client, "blue")
    try hub.place.update("Person", one, "nick", "first")
    let late = try hub.answer(client, "blue")
    try hub.place.update("Person", one, "nick", "second")
    try hub.expectEqual(client, "blue")
    try client.sync.receive(late.session, late.messages)
    #expect(try client.value("Person", one, "nick") == "second")
    try hub.expectEqual(client, "blue")
  }

  /// An object that changes with another one, of which no entry says anything.
  @Test(arguments: SyncedPlace.schemes) func whatTheHubHidesComesWhenItIsFree(_ scheme: String) throws {
    let (hub, client, other) = (try PartHub(scheme), try SyncedPlace("memory"), try SyncedPlace("memory"))
    try hub.place.insert("Person", Record(["id": one, "name": "gold", "nick": "x"]))
    try other.insert("Person", Record(["id": two, "name": "blue", "nick": "x"]))
    try Store.replicate(other.store, hub.place.store)
    try hub.expectEqual(client, "blue")
    #expect(try client.value("Person", two, "nick") == .null && client.sync.held().isEmpty)
    try client.update("Person", two, "name", "blue")
    try hub.place.update("Person", one, "nick", "y")
    try hub.expectEqual(client, "blue")
    #expect(try client.value("Person", two, "nick") == "x")
  }

  @Test(arguments: SyncedPlace.schemes) func noByteOfOthersIsSent(_ scheme: String) throws {
    let (hub, client) = (try PartHub(scheme), try SyncedPlace("memory"))
    try hub.place.insert("Team", Record(["id": one, "name": "secret team"]))
    try hub.place.insert("Person", Record(["id": one, "name": "blue", "nick": "open", "team": .null]))
    try hub.place.insert(
      "Person", Record(["id": TeamModels.key(0x7777), "name": "gold", "nick": "secret", "team": one]))
    try hub.place.delete("Team", one)
    let secrets = [Array("secret".utf8), [0x77, 0x77]]
    func contains(_ bytes: [UInt8], _ other: [UInt8]) -> Bool {
      bytes.indices.contains { bytes[$0...].starts(with: other) }
    }
    try client.sync.follow(hub.place.sync.hello())
    for _ in 0..<3 {
      let hello = try client.sync.hello()
      let terms = SyncTerms(principal: PartHub.principal("blue"))
      let answer = try hub.place.sync.part(for: hello, bytes: 1 << 20, terms)
      #expect(!secrets.contains { contains(answer.bytes, $0) } && !answer.hasMore)
      let messages = try StoreSync.messages(of: answer.bytes, isAnswer: true)
      _ = try client.sync.take(messages, session: hello.session)
      #expect(try client.rows("Person")[one]?["nick"] == "open")
      try hub.place.update("Person", TeamModels.key(0x7777), "nick", .string("secret \(Int.random(in: 0...9))"))
    }
    let terms = SyncTerms(principal: PartHub.principal("gold"))
    #expect(try contains(hub.place.sync.part(for: client.sync.hello(), bytes: 1 << 20, terms).bytes, secrets[0]))
    #expect(throws: StorageError.self) {
      try StoreSync.messages(of: hub.place.sync.part(for: client.sync.hello(), bytes: 1 << 20, terms).bytes)
    }
  }

  /// A write that renews all columns of an object keeps those that lead out of the part.
  @Test func aReferenceOutOfThePartSurvivesANewVersionOfItsObject() throws {
    let folder = ModelSchema(
      name: "Folder", properties: [PropertySchema(name: "id", type: .uuid)], primaryKey: 0)
    let note = ModelSchema(
      name: "Note",
      properties: [
        PropertySchema(name: "id", type: .uuid), PropertySchema(name: "best", type: .int64),
        PropertySchema(name: "page", type: .int64),
        PropertySchema(
          name: "folder", type: .uuid, isOptional: true, reference: .init(to: "Folder", deleteRule: .nullify)),
      ], primaryKey: 0)
    let declarations = [
      SyncDeclaration(model: "Note", merges: ["best": .max, "page": .row("place"), "folder": .row("place")]),
      SyncDeclaration(model: "Folder"),
    ]
    let places = try (0..<2).map { _ in try SyncedPlace("memory", models: [folder, note], declarations: declarations) }
    let (hub, client) = (places[0], places[1])
    try hub.store.enableSync(as: .hub)
    var parts = SyncParts()
    parts.part(named: "Note") { _ in QueryTree(model: "Note") }
    try hub.sync.declare(parts)
    try hub.insert("Folder", Record(["id": one]))
    try hub.insert("Note", Record(["id": one, "best": 5, "page": 1, "folder": one]))
    #expect(try Store.replicate(client.store, hub.store, as: "anna").isEqual)
    try client.update("Note", one, "page", 2)
    #expect(try Store.replicate(client.store, hub.store, as: "anna").isEqual)
    #expect(try hub.value("Note", one, "page") == 2 && hub.value("Note", one, "folder") == one)
    try client.update("Note", one, "best", 3)
    #expect(try Store.replicate(client.store, hub.store, as: "anna").isEqual)
    #expect(try hub.value("Note", one, "best") == 3 && hub.value("Note", one, "folder") == one)
    #expect(try client.value("Note", one, "folder") == .null)
  }

  /// A store that gives and has no parts is written as before.
  @Test func storesWithoutPartsKeepTheirFormat() throws {
    let (hub, peer) = (try PartHub("memory"), try SyncedPlace("memory"))
    func format(_ place: SyncedPlace) throws -> UInt8? {
      try place.sync.reading { work in try work.schema.area.value(AreaKey.state, in: work.transaction)?.first }
    }
    #expect(try format(peer) == 4 && format(hub.place) == 5)
    try peer.insert("Team", Record(["id": one, "name": "T"]))
    try hub.expectEqual(peer, "blue")
    #expect(try format(peer) == 5)
    let hello = try SyncFrame.hello(peer.sync.hello())
    let bytes = try hello.encoded()
    #expect(try SyncFrame.decode(bytes) == [hello] && bytes[10] == 2)
    #expect(try SyncFrame.hello(hub.place.sync.hello()).encoded()[10] == 1)
  }
}
