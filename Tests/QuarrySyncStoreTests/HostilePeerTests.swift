import Foundation
import QuarryBackend
import QuarryCore
import QuarryTestSupport
import Testing

@testable import QuarrySync

/// A peer that sends what no store sends: forged origins, stolen places, clocks in 2099, records of nothing, messages in any order.
///
/// `QUARRY_SYNC_FUZZ` is the number of answers, 400 when left out: `scripts/sync-fuzz`.
@Suite struct HostilePeerTests {
  private static let count = ProcessInfo.processInfo.environment["QUARRY_SYNC_FUZZ"].flatMap(Int.init) ?? 400
  /// The answers that one store takes.
  private static let round = 100
  private static let year2099: UInt64 = 4_070_908_800_000 << 16

  /// Each answer is refused with a typed error, or taken in part. The tables are the view of the records after it, no constraint
  /// is broken, and an honest store that comes later agrees with the store.
  @Test(arguments: SyncedPlace.schemes)
  func aHostilePeerBreaksNoLaw(_ scheme: String) throws {
    var generator = SeededGenerator(seed: UInt64(scheme.utf8.count))
    var taken = 0
    for first in stride(from: 0, to: Self.count / SyncedPlace.schemes.count, by: Self.round) {
      let (place, peer) = (try SyncedPlace(scheme), try SyncedPlace("memory"))
      for _ in 0..<12 {
        try RandomWrites.write(place, &generator)
        try RandomWrites.write(peer, &generator)
      }
      for number in 0..<Self.round {
        if number % 10 == 0 { try RandomWrites.write(peer, &generator) }
        let hello = try place.sync.hello()
        var messages = try peer.sync.serve(hello)
        for _ in 0..<Int.random(in: 1...4, using: &generator) { forge(&messages, hello, &generator) }
        do {
          var bytes: [UInt8] = []
          for message in messages { bytes += try SyncFrame.message(message).encoded() }
          let read = try StoreSync.messages(of: bytes, isAnswer: true)
          taken += try place.sync.take(read, session: hello.session).taken
        } catch let error as StorageError {
          let expected: [StorageError.Code] = [.corrupt, .invalidValue, .limitExceeded, .unsupported, .schemaMismatch]
          #expect(expected.contains(error.code), "\(error)")
        }
      }
      let context = Comment(rawValue: "\(scheme), behind \(first)")
      #expect(try place.sync.check() == [] && place.store.check() == [], context)
      let honest = try SyncedPlace("memory")
      let report = try Store.replicate(honest.store, place.store)
      #expect(report.isEqual, context)
      #expect(try honest.sync.check() == [], context)
      // A write goes on from all that was taken.
      try place.insert("Team", Record(["id": TeamModels.key(300), "name": "last"]))
      #expect(try Store.replicate(honest.store, place.store).isEqual, context)
    }
    #expect(taken > 0)
  }

  private func forge(_ messages: inout [NumberedMessage], _ hello: SyncHello, _ generator: inout SeededGenerator) {
    guard let place = messages.indices.randomElement(using: &generator) else { return }
    switch Int.random(in: 0..<8, using: &generator) {
    case 0: messages.remove(at: place)
    case 1: messages.insert(messages[place], at: messages.indices.randomElement(using: &generator) ?? 0)
    case 2: messages.shuffle(using: &generator)
    case 3: messages[place].number = UInt32.random(in: 0...9, using: &generator)
    case 4: messages.append(NumberedMessage(UInt32(messages.count), message(hello, &generator)))
    default:
      for place in messages.indices {
        guard case .log(var entry) = messages[place].message, Bool.random(using: &generator) else { continue }
        forge(&entry, hello, &generator)
        messages[place].message = .log(entry)
      }
    }
    // Mostly the order of the messages is right, or nothing behind the first wrong one is looked at.
    guard Int.random(in: 0..<4, using: &generator) > 0 else { return }
    for place in messages.indices { messages[place].number = UInt32(place) }
  }

  private func message(_ hello: SyncHello, _ generator: inout SeededGenerator) -> SyncMessage {
    var knowledge = hello.knowledge
    knowledge.vector[replica(hello, &generator)] = mark(&generator)
    let header = RowsHeader(knowledge: knowledge, collected: [:], isWhole: Bool.random(using: &generator))
    switch Int.random(in: 0..<4, using: &generator) {
    case 0: return .rows(change(hello, &generator), after: nil, header)
    case 1: return .end(header, after: nil)
    case 2:
      let origin = replica(hello, &generator)
      return .refused(
        Refusal(origin: origin, mark: mark(&generator), void: generator.next(), objects: [], reason: "no"),
        [change(hello, &generator)], knowledge.vector)
    default:
      return .log(
        SyncEntry(
          origin: replica(hello, &generator), mark: mark(&generator), previous: EntryMark(),
          changes: [change(hello, &generator)]))
    }
  }

  private func forge(_ entry: inout SyncEntry, _ hello: SyncHello, _ generator: inout SeededGenerator) {
    switch Int.random(in: 0..<9, using: &generator) {
    case 0: entry.origin = replica(hello, &generator)
    case 1: entry.mark.tag = generator.next()
    case 2: entry.mark.hlc &+= UInt64.random(in: 0...9, using: &generator) << 16
    case 3: entry.mark.hlc = Self.year2099
    case 4: entry.previous = mark(&generator)
    case 5:
      let new = change(hello, &generator)
      entry.changes = (entry.changes.filter { $0.object != new.object } + [new]).sorted { $0.object < $1.object }
    case 6: entry.changes = []
    case 7: (entry.isHollow, entry.isRepair) = (Bool.random(using: &generator), Bool.random(using: &generator))
    default:
      for place in entry.changes.indices {
        for (birth, _) in entry.changes[place].births where Bool.random(using: &generator) {
          entry.changes[place].births[birth]?.isWhole = Bool.random(using: &generator)
          entry.changes[place].births[birth]?.root = stamp(hello, &generator)
          entry.changes[place].births[birth]?.columns["none"] = Register(stamp(hello, &generator), .int(1))
        }
      }
    }
  }

  private func replica(_ hello: SyncHello, _ generator: inout SeededGenerator) -> ReplicaID {
    let known = Array(hello.knowledge.vector.keys).sorted() + [hello.replica, .none]
    return known.randomElement(using: &generator) ?? .none
  }

  private func stamp(_ hello: SyncHello, _ generator: inout SeededGenerator) -> Stamp {
    Stamp(mark(&generator).hlc, replica(hello, &generator))
  }

  private func mark(_ generator: inout SeededGenerator) -> EntryMark {
    let now = UInt64(Date().timeIntervalSince1970 * 1_000)
    let times: [UInt64] = [0, 1, now << 16, (now - 5_000) << 16 | 7, (now + 200_000) << 16, Self.year2099, .max]
    return EntryMark(times.randomElement(using: &generator) ?? 0, generator.next())
  }

  /// Births, edits and deletes of objects, of values that may not fit.
  private func change(_ hello: SyncHello, _ generator: inout SeededGenerator) -> QuarrySync.ObjectChange {
    let models: [SyncName] = ["Team", "Person", "Job", "Badge", "None"]
    let object = ObjectID(
      models.randomElement(using: &generator) ?? "Team",
      Int.random(in: 0..<9, using: &generator) == 0
        ? .string("key") : TeamModels.key(Int.random(in: 0..<6, using: &generator)))
    var change = QuarrySync.ObjectChange(object)
    for _ in 0..<Int.random(in: 0...2, using: &generator) {
      let birth = stamp(hello, &generator)
      var record = BirthRecord(root: birth, isWhole: Bool.random(using: &generator))
      for column: SyncName in ["name", "nick", "size", "team", "title", "person", "color", "!"] {
        guard Bool.random(using: &generator) else { continue }
        let values: [Value] = [.null, "red", "blue", 3, TeamModels.key(1), .array([1])]
        record.columns[column] = Register(stamp(hello, &generator), values.randomElement(using: &generator) ?? .null)
      }
      change.births[birth] = record
      guard Bool.random(using: &generator) else { continue }
      change.deaths[stamp(hello, &generator)] = Death(stamp: stamp(hello, &generator))
    }
    return change
  }
}
