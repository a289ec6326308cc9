import Foundation
import QuarryBackend
import QuarryConformanceKit
import QuarryCore
import QuarrySync

/// Processes that are ended at operations on files while they take the changes of another store.
enum SyncKilledCases {
  static let all: [ConformanceCase] = Answer.allCases.map(killed)

  /// What is taken.
  private enum Answer: String, CaseIterable {
    case log, records, hub, refusals

    var clauses: [String] {
      switch self {
      case .log, .records: ["SYNC-47", "SYNC-48", "DUR-1"]
      case .hub: ["SYNC-62", "DUR-1"]
      case .refusals: ["SYNC-63", "DUR-1"]
      }
    }

    var text: String {
      switch self {
      case .log: "entries of another store"
      case .records: "the records of another store"
      case .hub: "entries of a client, as a hub"
      case .refusals: "a hub's refusals"
      }
    }
  }

  private static func killed(_ answer: Answer) -> ConformanceCase {
    SyncScene.killed(
      answer.rawValue, answer.clauses,
      "Ended at any operation on a file while it takes \(answer.text), a process leaves a part whole or nothing of it."
    ) { kit in
      try KilledSync(kit, number: 60 + (Answer.allCases.firstIndex(of: answer) ?? 0)) { store, other in
        try write(answer, kit, store, other)
      }.run()
    }
  }

  /// Lets two stores agree, and then write apart, so that the first has something to take.
  private static func write(
    _ answer: Answer, _ kit: ConformanceContext, _ store: SyncPeer, _ other: SyncPeer
  ) throws {
    if answer == .hub { try store.enable(as: .hub) }
    if answer == .refusals { try other.enable(as: .hub) }
    try store.insert("Team", SyncScene.team("t", "red"), SyncScene.team("u", "blue"))
    try store.insert("Person", SyncScene.person("p", "Ann", nick: "x", team: "t"))
    try store.insert("Badge", SyncScene.badge("b", "gold", of: "p"))
    try Store.replicate(store.store, other.store)
    if answer == .refusals {
      // The hub shows the name that the client takes for a team that both know, and refuses that entry.
      try other.set("Team", "t", "name", "white")
      try store.set("Team", "u", "name", "white")
      for number in 0..<5 { try store.insert("Team", SyncScene.team("s\(number)", "own \(number)")) }
      let (session, messages) = try store.answer(to: other)
      try other.sync.receive(session, messages)
    } else {
      // What is taken moves unique values, and hides and removes objects of the store.
      try store.insert("Team", SyncScene.team("s", "own"))
      try other.set("Team", "t", "name", "green")
      try other.set("Team", "u", "name", "red")
      for number in 0..<70 {
        try other.insert(
          "Person", SyncScene.person("p\(number)", "name \(number)", nick: .string("n\(number)"), team: "u"))
        if number % 9 == 0 { try other.delete("Person", "p\(number)") }
      }
      if answer != .hub { try other.insert("Team", SyncScene.team("v", "own")) }
      try other.delete("Badge", "b")
      try other.delete("Person", "p")
    }
    guard answer == .records else { return }
    // A third store knows all, so that the log may go.
    let third = try SyncPeer(kit, store.clock)
    try Store.replicate(other.store, third.store)
    try other.sync.trim(keeping: 0)
  }
}

extension SyncScene {
  /// A case about processes that are ended while they take changes.
  static func killed(
    _ name: String, _ clauses: [String], _ summary: String,
    _ body: @escaping @Sendable (ConformanceContext) throws -> Void
  ) -> ConformanceCase {
    ConformanceCase(
      "SYNC.killed-\(name)", clauses, summary, requiresPersistence: true, requiresCrashLab: true,
      without: ConformanceVariant.allButFresh, within: .seconds(300), body
    ).only(.one)
  }
}

/// Two stores on files, one of which takes what the other has, again and again from the same beginning.
private final class KilledSync {
  /// What the store has when a part of the answer was taken, and nothing behind it.
  private struct State: Equatable, CustomStringConvertible {
    let digest: String
    /// The entries of the other store that it knows.
    let known: UInt64
    var description: String { "\(digest.prefix(8)) up to \(known)" }
  }

  private let kit: ConformanceContext
  private let clock = SyncClock()
  private let places: [any BackendProvider]
  private let folders: [String]
  /// What the folders have before anything is taken.
  private var images: [FileImage] = []
  private let answer: String
  private var random: SeededGenerator
  private var states: [State] = []

  init(
    _ kit: ConformanceContext, number: Int, _ write: (_ store: SyncPeer, _ other: SyncPeer) throws -> Void
  ) throws {
    self.kit = kit
    random = kit.random(number)
    places = [try kit.makePlace(), try kit.makePlace()]
    folders = try places.map { place in
      try unwrap(kit.harness.folder(of: kit.undecorated(place)), "the harness's folder of a place")
    }
    answer = folders[0] + ".answer"
    let (store, other) = (try SyncPeer(kit, clock, at: places[0]), try SyncPeer(kit, clock, at: places[1]))
    try write(store, other)
    let hello = try store.sync.hello()
    let bytes = try other.sync.part(for: hello, bytes: .max).bytes
    try Data(bytes).write(to: URL(fileURLWithPath: answer))
    for peer in [store, other] { try peer.store.close() }
    images = try folders.map { try FileImage.read($0).image }
    try noteStates(bytes)
  }

  deinit { unlink(answer) }

  /// Takes the parts of the answer one after the other, and notes what the store has after each.
  private func noteStates(_ bytes: [UInt8]) throws {
    try restore()
    let (store, other) = try open()
    let messages = try StoreSync.messages(of: bytes, isAnswer: true)
    let name = try other.sync.hello().replica
    states = [try state(store, name)]
    for count in messages.indices.dropFirst() {
      let session = try store.sync.hello().session
      try store.sync.receive(session, Array(messages[...count]))
      let new = try state(store, name)
      if new != states.last { states.append(new) }
    }
    try expect(states.count > 1, "the answer changes nothing")
    for peer in [store, other] { try peer.store.close() }
  }

  func run() throws {
    try restore()
    let count = try kit.operations(of: command, at: places[0], in: folders[0], Self.isTaken)
    try expect(count > 3, "\(count) operations on files were seen")
    // As the parts of one answer are stored by the store itself, not all that could be noted are seen.
    let step = max(1, count / (kit.kills * (kit.triesFew ? 2 : 8)))
    for operation in stride(from: Int.random(in: 1...step, using: &random), through: count, by: step) {
      let isTorn = Bool.random(using: &random)
      let about = "before operation \(operation) of \(count)\(isTorn ? ", torn," : "") of seed \(kit.seed)"
      try restore()
      let child = try kit.secondProcess(at: places[0], endingAt: operation, isTorn: isTorn, in: folders[0])
      _ = try child.askUntilEnded(command, about, Self.isTaken)
      try judge(about)
    }
  }

  private var command: String { "sync-take \(clock.now()) \(answer)" }

  private static func isTaken(_ answer: String) -> Bool { answer.hasPrefix("taken ") }

  /// A part is there or not, the state of sync agrees with the rows, and the exchange goes on to equal digests.
  private func judge(_ about: String) throws {
    let (store, other) = try open()
    try store.expectSound()
    let found = try state(store, other.sync.hello().replica)
    try expect(states.contains(found), "\(about): found \(found), possible is \(states)")
    let report = try Store.replicate(store.store, other.store)
    try expect(report.isEqual, "\(about): \(report)")
    try store.expectSound()
    try other.expectSound()
    for peer in [store, other] { try peer.store.close() }
  }

  private func state(_ store: SyncPeer, _ other: ReplicaID) throws -> State {
    State(digest: try store.sync.digest().description, known: try store.sync.knowledge().mark(other).hlc)
  }

  private func open() throws -> (SyncPeer, SyncPeer) {
    (try SyncPeer(kit, clock, at: places[0]), try SyncPeer(kit, clock, at: places[1]))
  }

  /// Makes both folders what they were before anything was taken.
  private func restore() throws {
    for (folder, image) in zip(folders, images) { try image.put(in: folder) }
  }
}
