import QuarryBackend
import QuarryCore
import QuarryTestSupport
import Testing

@testable import QuarrySync

/// What one peer can make of a store with a right token and wrong messages: SYNC-3, SYNC-4, SYNC-39.
@Suite struct HostileLimitTests {
  private let one = TeamModels.key(1)

  /// Sends messages to a store as an answer to its last hello.
  private func send(_ messages: [SyncMessage], to place: SyncedPlace, from peer: SyncedPlace) throws -> SyncIntake {
    let hello = try place.sync.hello()
    let introduction = Introduction(
      replica: try peer.sync.hello().replica, session: hello.session, known: [], doubts: [], rules: MergeRules())
    let bytes = try SyncFrame.encode(NumberedMessage.numbered([.yours(introduction)] + messages))
    return try place.sync.take(StoreSync.messages(of: bytes), session: hello.session)
  }

  private func stamp(_ replica: ReplicaID, _ place: SyncedPlace) throws -> Stamp {
    Stamp(try place.sync.now << 16, replica)
  }

  private func person(_ stamp: Stamp, name: Value, team: Value = .null) -> QuarrySync.ObjectChange {
    let values: [SyncName: Value] = ["name": name, "nick": .null, "team": team]
    return ObjectChange(
      ObjectID("Person", one),
      births: [stamp: BirthRecord(root: stamp, isWhole: true, columns: values.mapValues { Register(stamp, $0) })])
  }

  private func entry(_ stamp: Stamp, _ changes: [QuarrySync.ObjectChange]) -> SyncMessage {
    .log(SyncEntry(origin: stamp.replica, mark: EntryMark(stamp.hlc, 5), previous: EntryMark(), changes: changes))
  }

  private func expectHonest(_ place: SyncedPlace) throws {
    try place.reopen()
    let honest = try SyncedPlace("memory")
    try honest.insert("Team", Record(["id": TeamModels.key(9), "name": "honest"]))
    #expect(try Store.replicate(place.store, honest.store).isEqual)
    #expect(try place.sync.check() == [] && place.value("Team", TeamModels.key(9), "name") == "honest")
  }

  @Test(arguments: SyncedPlace.schemes) func nobodyWritesUnderTheNameOfTheReceiver(_ scheme: String) throws {
    let (place, peer) = (try SyncedPlace(scheme), try SyncedPlace("memory"))
    let name = try place.sync.hello().replica
    let intake = try send(
      [entry(stamp(name, place), [person(stamp(name, place), name: "forged")])], to: place, from: peer)
    #expect(intake.taken == 0 && intake.refused == 1 && intake.reason == .name)
    #expect(try place.rows("Person").isEmpty)
    try expectHonest(place)
  }

  /// Values that no row can have, in an object that would be held until a team comes.
  @Test(arguments: SyncedPlace.schemes) func aValueMustFitAlsoWhereItIsHeld(_ scheme: String) throws {
    let (place, peer) = (try SyncedPlace(scheme), try SyncedPlace("memory"))
    let stranger = ReplicaID(high: 7, low: 7)
    let digest = try place.sync.digest()
    let changes = [
      person(try stamp(stranger, place), name: .int(3)), person(try stamp(stranger, place), name: .null),
      person(try stamp(stranger, place), name: "a", team: "no key"),
    ]
    for change in changes {
      let messages = [entry(try stamp(stranger, place), [change])]
      let error = #expect(throws: StorageError.self) { try send(messages, to: place, from: peer) }
      #expect(error.map { [.invalidValue, .missingValue].contains($0.code) } == true && error?.model == "Person")
      #expect(try error?.message.contains(peer.sync.hello().replica.description) == true)
      #expect(try place.sync.digest() == digest && place.sync.knowledge() == Knowledge())
    }
    try expectHonest(place)
  }

  @Test(arguments: SyncedPlace.schemes) func moreReplicasThanAStoreKnowsAreRefused(_ scheme: String) throws {
    let (place, peer) = (try SyncedPlace(scheme), try SyncedPlace("memory"))
    var refused: [RefusedChanges?] = []
    for high in 1...2 as ClosedRange<UInt64> {
      var header = RowsHeader(knowledge: Knowledge(), collected: [:], isWhole: false)
      for low in 1...6_000 as ClosedRange<UInt64> {
        header.knowledge.vector[ReplicaID(high: high, low: low)] = EntryMark(1, 1)
        header.collected[ReplicaID(high: high, low: low)] = 1
      }
      refused.append(try send([.end(header, after: nil)], to: place, from: peer).reason)
    }
    #expect(refused == [nil, .replicas])
    #expect(try place.sync.knowledge().vector.count == 6_000)
    try expectHonest(place)
  }

  @Test func aHoleBelongsToAKnownPlace() throws {
    let (place, peer) = (try SyncedPlace("sqlite"), try SyncedPlace("memory"))
    let stranger = ReplicaID(high: 7, low: 7)
    let knowledge = Knowledge([stranger: EntryMark(5, 5)], holes: [Stamp(6, stranger)])
    let end = SyncMessage.end(RowsHeader(knowledge: knowledge, collected: [:], isWhole: false), after: nil)
    #expect(try send([end], to: place, from: peer).reason == .stamps)
    #expect(try place.sync.knowledge() == Knowledge())
    try expectHonest(place)
  }

  @Test func eachReasonIsNamed() throws {
    let (place, peer) = (try SyncedPlace("memory"), try SyncedPlace("memory"))
    let stranger = ReplicaID(high: 7, low: 7)
    let now = try stamp(stranger, place)
    let later = Stamp(now.hlc + (3_600_000 << 16), stranger)
    #expect(try send([entry(later, [person(later, name: "a")])], to: place, from: peer).reason == .clock)
    let behind = SyncEntry(
      origin: stranger, mark: EntryMark(now.hlc, 5), previous: EntryMark(now.hlc - 1, 5),
      changes: [person(now, name: "a")])
    #expect(try send([.log(behind)], to: place, from: peer).reason == .gap)
    let soon = Stamp(now.hlc + 1, stranger)
    #expect(try send([entry(now, [person(soon, name: "a")])], to: place, from: peer).reason == .stamps)
    let sentences = RefusedChanges.allCases.map { $0.sentence(receiver: "The hub", sender: "the client") }
    #expect(Set(sentences).count == sentences.count && sentences.allSatisfy { $0.hasSuffix(".") })
    try expectHonest(place)
  }

  /// A store learns rules of columns that it does not have, and can still ask.
  @Test func rulesOfOthersAreBounded() throws {
    let (place, peer) = (try SyncedPlace("sqlite"), try SyncedPlace("memory"))
    let own = try place.sync.hello().rules
    for number in 0..<3 {
      let hello = try place.sync.hello()
      var rules: [MergeRules.Column: MergeRule] = [:]
      for column in 0..<100 {
        rules[.init("none", SyncName(String(repeating: "x", count: 1_500) + "\(number) \(column)"))] = .set
      }
      let introduction = Introduction(
        replica: try peer.sync.hello().replica, session: hello.session, known: [], doubts: [], rules: MergeRules(rules))
      try place.sync.receive(hello.session, [NumberedMessage(0, .yours(introduction))])
    }
    let hello = try place.sync.hello()
    #expect(hello.rules.rules.count > own.rules.count)
    #expect(try SyncFrame.hello(hello).encoded().count < 512 << 10)
    try expectHonest(place)
  }

  /// Whatever is said of other replicas, a store renames its own entries alone, and once for an answer.
  @Test func onlyOwnEntriesAreRenamed() throws {
    let (place, peer) = (try SyncedPlace("sqlite"), try SyncedPlace("memory"))
    try peer.insert("Team", Record(["id": one, "name": "red"]))
    try Store.replicate(place.store, peer.store)
    let (hello, name) = (try place.sync.hello(), try peer.sync.hello().replica)
    let lie = KnownOrigin(name: name, last: EntryMark(1, 1), tags: [:], trimmed: 0, voids: [])
    let introduction = Introduction(
      replica: name, session: hello.session, known: [lie, lie], doubts: [], rules: hello.rules)
    try place.sync.receive(hello.session, [NumberedMessage(0, .yours(introduction))])
    #expect(try place.sync.hello().names == hello.names)
    let own = KnownOrigin(name: hello.replica, last: EntryMark(1, 1), tags: [:], trimmed: 0, voids: [])
    let again = Introduction(
      replica: name, session: hello.session, known: [own, own, own], doubts: [], rules: hello.rules)
    try place.insert("Team", Record(["id": TeamModels.key(2), "name": "blue"]))
    try place.sync.receive(hello.session, [NumberedMessage(0, .yours(again))])
    #expect(try place.sync.hello().names.count == 2)
    try expectHonest(place)
  }

  @Test(arguments: SyncedPlace.schemes) func manyTinyChangesAreTaken(_ scheme: String) throws {
    let (place, peer) = (try SyncedPlace(scheme), try SyncedPlace("memory"))
    let stranger = ReplicaID(high: 7, low: 7)
    let last = try stamp(stranger, place)
    var messages: [SyncMessage] = []
    var mark = EntryMark()
    // Entries of nothing, and one of many objects of nothing.
    for number in 0..<2_000 as Range<UInt64> {
      let next = EntryMark(last.hlc - 3_000 + number, number + 1)
      messages.append(.log(SyncEntry(origin: stranger, mark: next, previous: mark, changes: [])))
      mark = next
    }
    let objects = (0..<20_000).map { QuarrySync.ObjectChange(ObjectID("None", .int(Int64($0)))) }.sorted {
      $0.object < $1.object
    }
    messages.append(.log(SyncEntry(origin: stranger, mark: EntryMark(last.hlc, 9), previous: mark, changes: objects)))
    #expect(try send(messages, to: place, from: peer).taken == 2_001)
    try expectHonest(place)
  }
}
