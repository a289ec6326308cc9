import Foundation
import QuarryBackend
import QuarryCore
import QuarryEngines
import QuarrySync
import QuarryTestSupport
import Synchronization

/// The time of the stores of a round: each look at it is a millisecond later.
final class HostileClock: Sendable {
  private let time = Mutex<UInt64>(1_800_000_000_000)

  func now() -> UInt64 {
    time.withLock { time in
      time += 1
      return time
    }
  }

  /// Lets the time pass for which a store waits for the rest of rows.
  func waitForRows() { time.withLock { $0 += 600_000 } }
}

/// A synced store that honest programs write to.
package final class HostileStore {
  /// The engines on which a store is attacked.
  package static let schemes = ["memory", "file", "sqlite", "lmdb"]

  let store: Store
  let clock: HostileClock
  private let folder: ScratchFolder

  init(_ scheme: String, _ clock: HostileClock, as role: SyncRole? = nil) throws {
    self.clock = clock
    folder = try ScratchFolder(in: ScratchFolder.memory)
    let place = scheme == "memory" ? "memory:\(UUID().uuidString)" : "\(scheme):\(folder.path)/store?durability=none"
    store = try Store(program: HostileModels.all, in: StoreURL(parsing: place))
    try store.enableSync(
      HostileModels.synced, declaring: HostileModels.declarations, as: role, SyncEnvironment(now: { clock.now() }))
  }

  deinit { try? store.close() }

  var sync: StoreSync {
    get throws {
      guard let sync = store.sync else { throw StorageError(.notFound, "the store is not synced") }
      return sync
    }
  }

  /// An honest transaction. What the constraints of the store refuse is no matter.
  func write(_ generator: inout SeededGenerator) throws {
    do {
      try store.write { tx in
        for _ in 0..<Int.random(in: 1...3, using: &generator) { try Self.step(tx, &generator) }
      }
    } catch let error as StorageError {
      let expected: [StorageError.Code] = [.uniqueViolation, .duplicateKey, .missingReference, .referenced, .notFound]
      guard expected.contains(error.code) else { throw error }
    }
  }

  private static func step(_ tx: WriteTransaction, _ generator: inout SeededGenerator) throws {
    func number(_ count: Int) -> Int { Int.random(in: 0..<count, using: &generator) }
    func key(_ count: Int) -> Value { TeamModels.key(number(count)) }
    func person() -> Value { .string("p\(number(6))") }
    func word() -> Value { .string(["red", "blue", "gold", "pink"][number(4)]) }
    switch number(11) {
    case 0: try tx.records.upsert(into: "Team", [Record(["id": key(5), "name": word(), "size": 1])])
    case 1: try tx.records.delete(in: "Team", keys: [key(5)])
    case 2, 3:
      let team = number(2) == 0 ? key(5) : .null
      try tx.records.upsert(
        into: "Person",
        [Record(["id": person(), "name": word(), "nick": word(), "team": team, "tags": .array([word()]), "views": 1])])
    case 4:
      try tx.records.upsert(
        into: "Person", [Record(["id": person(), "name": word(), "views": .int(Int64(number(9)))])],
        updating: ["views"])
    case 5: try tx.records.delete(in: "Person", keys: [person()])
    case 6: try tx.records.upsert(into: "Job", [Record(["id": key(6), "title": word(), "person": person()])])
    case 7: try tx.records.upsert(into: "Badge", [Record(["id": key(4), "color": word(), "person": person()])])
    case 8: try tx.records.delete(in: "Badge", keys: [key(4)])
    case 9:
      try tx.records.upsert(
        into: "Person", [Record(["id": person(), "name": word(), "tags": .array([word()]), "best": 5])],
        updating: ["tags", "best"])
    default:
      let ids = try tx.records.fetch(in: "Team_fans").compactMap { $0["id"]?.intValue }
      try tx.records.insert(
        into: "Team_fans",
        [
          Record([
            "id": .int(Int64((ids.max() ?? 0) / 2 + number(1_000) + 1)), "owner": key(5), "target": person(),
            "position": .int(Int64(number(9))),
          ])
        ])
    }
  }

  /// What is wrong with the store: rows that are not the view of the records, and defects of the engine.
  func defects() throws -> [String] { try sync.check() + store.check().map { "\($0)" } }
}

extension HostileStore {
  /// Takes one answer of many entries, each with a tiny change, and tells what that cost.
  package static func takeTinyChanges(_ count: Int, on scheme: String) throws -> String {
    let place = try HostileStore(scheme, HostileClock())
    let hello = try place.sync.hello()
    let stranger = ReplicaID(high: 7, low: 7)
    let first = (place.clock.now() - 100_000) << 16
    var body: [UInt8] = []
    if let introduction = try HostileStore("memory", place.clock).sync.serve(hello).first {
      body += try SyncFrame.message(introduction).encoded()
    }
    var last = EntryMark()
    for number in 1...count {
      let stamp = Stamp(first + UInt64(number), stranger)
      let object = ObjectID("Person", .string("p\(number)"))
      let birth = BirthRecord(root: stamp, isWhole: true, columns: ["name": Register(stamp, "x")])
      let mark = EntryMark(stamp.hlc, UInt64(number))
      let entry = SyncEntry(
        origin: stranger, mark: mark, previous: last, changes: [ObjectChange(object, births: [stamp: birth])])
      body += try SyncFrame.message(NumberedMessage(UInt32(number), .log(entry))).encoded()
      last = mark
    }
    let before = try peakKiB()
    var taken = 0
    let time = try ContinuousClock().measure {
      taken = try place.sync.take(StoreSync.messages(of: body), session: hello.session).taken
    }
    let grown = try peakKiB() - before
    return
      "\(scheme)\t\(count) changes\t\(body.count >> 10) KiB of messages\t\(taken) taken\t\(time / .seconds(1)) s\t\(grown) KiB more at the peak"
  }

  /// The most memory that this process has had, where the system tells it.
  private static func peakKiB() throws -> Int {
    guard let text = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8) else { return 0 }
    let line = text.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
    return line?.split(separator: " ").compactMap { Int($0) }.first ?? 0
  }
}
