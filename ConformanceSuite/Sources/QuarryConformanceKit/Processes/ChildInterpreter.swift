import Foundation
import QuarryBackend
import QuarryCore

/// Does the commands of the kit in a second process, one after the other.
final class ChildInterpreter {
  /// Does one command with its words; what it returns is the answer.
  typealias Command = @Sendable (ChildInterpreter, [String]) throws -> String

  let place: any BackendProvider
  /// The text by which the place was found; nil where it has none.
  var address: String? { process.address(place) }
  /// What knows the places of addresses.
  let process: ConformanceProcess
  /// Where what is opened from now on stops.
  var stop: StepStop?
  private var opened: Store?
  private var held: FrozenStore?
  private var scripted: ScriptedTransaction?

  init(_ place: any BackendProvider, _ process: ConformanceProcess) {
    self.place = place
    self.process = process
  }

  static let commands: [String: Command] =
    openings.merging(transactions) { first, _ in first }.merging(writes) { first, _ in first }
    .merging(workloads) { first, _ in first }.merging(refusals) { first, _ in first }
    .merging(migrations) { first, _ in first }.merging(encryption) { first, _ in first }
    .merging(crashes) { first, _ in first }.merging(laboratory) { first, _ in first }
    .merging(clocks) { first, _ in first }.merging(streams) { first, _ in first }
    .merging(sync) { first, _ in first }.merging(slowDisks) { first, _ in first }
    .merging(severalUses) { first, _ in first }

  /// Follows the lines of standard input to its end.
  func run() {
    Self.say(ConformanceChild.greeting)
    while let line = readLine() {
      let words = line.split(separator: " ").map(String.init)
      do {
        guard let name = words.first, let command = Self.commands[name] else {
          throw StorageError(.unsupported, "there is no command \(line)")
        }
        Self.say(try command(self, Array(words.dropFirst())))
      } catch {
        Self.say(ChildLines.text(error))
      }
    }
  }

  /// Writes a line in one call, so that what was said is said whole whenever the process is killed.
  static func say(_ line: String) {
    let bytes = Array((line + "\n").utf8)
    _ = bytes.withUnsafeBytes { Foundation.write(STDOUT_FILENO, $0.baseAddress, $0.count) }
  }

  /// The place, with the steps of what is opened there.
  var provider: any BackendProvider { stop.map { SteppingProvider(provider: place, stop: $0) } ?? place }

  /// Goes on with a store that was opened otherwise than by `open`.
  func take(_ store: Store) { opened = store }

  /// The store that was opened.
  func store() throws -> Store {
    guard let opened else { throw StorageError(.notFound, "the second process has opened no store") }
    return opened
  }

  func transaction() throws -> ScriptedTransaction {
    guard let scripted else { throw StorageError(.notFound, "the second process has begun no transaction") }
    return scripted
  }

  /// Does a part of the open transaction, or of one of its own that is committed.
  func write(_ body: @escaping (WriteTransaction) throws -> Void) throws {
    if let scripted { try scripted.write(body) } else { try store().write { try body($0) } }
  }

  /// Reads in the open transaction, or in the snapshot that is held, or newly.
  func read<R>(_ body: @escaping (ReadTransaction) throws -> R) throws -> R {
    if let scripted { return try scripted.run(body) }
    if let held { return try held.read(body) }
    return try store().read(body)
  }

  static func number(_ words: [String], _ place: Int) throws -> Int {
    guard place < words.count, let number = Int(words[place]) else {
      throw StorageError(.invalidValue, "a number is missing in \(words.joined(separator: " "))")
    }
    return number
  }

  // MARK: Opening

  private static let models: [String: [any Model.Type]] = [
    "none": [], "item": [Item.self], "batch": BatchWorkload.models, "accounts": AccountWorkload.models,
    "first": [FirstVersion.self], "second": [SecondVersion.self], "item+numbered": [Item.self, Numbered.self],
    "library": Library.First.models,
  ]

  private static let openings: [String: Command] = [
    "open": { child, words in
      guard let name = words.first, let models = models[name] else {
        throw StorageError(.invalidValue, "there are no models \(words.joined(separator: " "))")
      }
      var options = OpenOptions()
      options.isReadOnly = words.contains("readOnly")
      options.checksStructure = words.contains("checksStructure")
      child.opened = try Store(models: models, in: child.provider, options: options)
      return "open"
    },
    // start-over MODELS: says where the old store is.
    "start-over": { child, words in
      let program = models[words.first ?? ""] ?? []
      var options = OpenOptions()
      options.busyTimeout = 10
      let store = try Store(
        models: program, in: child.place, options: options, migration: .startOver(keeping: .quarantine))
      child.opened = store
      return store.openingReport.quarantine ?? "none"
    },
    "compact": { child, _ in
      try child.store().compact()
      return "compacted"
    },
    "close": { child, _ in
      child.held?.close()
      try child.store().close()
      child.opened = nil
      return "closed"
    },
    "destroy": { child, _ in
      try child.store().destroy()
      return "destroyed"
    },
    // Without closing anything.
    "exit": { _, _ in Foundation.exit(0) },
    "defects": { child, _ in
      let defects = try child.store().check()
      return defects.isEmpty ? "sound" : defects.joined(separator: "; ")
    },
    // What was stored beside them is not looked at.
    "first-items": { child, _ in
      let items = try child.store().fetch(Item.where { $0.id < DamageSamples.items.count })
      return items == DamageSamples.items ? "same" : "different"
    },
    "same-large": { child, _ in
      try child.store().fetch(Item.all) == DamageSamples.largeItems ? "same" : "different"
    },
    // Objects may be missing.
    "known-large": { child, _ in
      let items = DamageSamples.largeItems
      let found = try child.store().fetch(Item.where { $0.id < items.count })
      return found.allSatisfy { items.indices.contains($0.id) && items[$0.id] == $0 } ? "same" : "different"
    },
    "same-notes": { child, _ in
      let notes = try child.store().fetch(Note.all)
      return notes == DamageSamples.largeNotes ? "same" : "different"
    },
    // Notes may be missing, and there may be other ones.
    "known-notes": { child, _ in
      let notes = Dictionary(uniqueKeysWithValues: DamageSamples.largeNotes.map { ($0.name, $0) })
      let found = try child.store().fetch(Note.all)
      return found.allSatisfy { $0 == notes[$0.name] ?? $0 } ? "same" : "different"
    },
    "same-items": { child, _ in try child.store().fetch(Item.all) == DamageSamples.items ? "same" : "different" },
  ]

  // MARK: Transactions

  private static let transactions: [String: Command] = [
    "write": { child, words in
      let timeout = words.first.flatMap { Double($0) }
      child.scripted = try ScriptedTransaction.write(try child.store(), timeout: timeout)
      return "begun"
    },
    "read": { child, _ in
      child.scripted = try ScriptedTransaction.read(try child.store())
      return "begun"
    },
    "commit": { child, _ in
      defer { child.scripted = nil }
      try child.transaction().commit()
      return "committed"
    },
    "rollback": { child, _ in
      try child.transaction().abort()
      child.scripted = nil
      return "ended"
    },
    "freeze": { child, _ in
      child.held = try child.store().freeze()
      return "frozen"
    },
    "thaw": { child, _ in
      child.held?.close()
      child.held = nil
      return "thawed"
    },
    "version": { child, _ in try child.read { "\(try $0.version.rawValue)" } },
    "ids": { child, _ in
      try child.read { try $0.keys(Item.all).map(String.init).joined(separator: " ") }
    },
    "rank": { child, words in
      let id = try number(words, 0)
      return try child.read { tx in try tx.get(Item.self, id)?.rank.map(String.init) ?? "nil" }
    },
    "named": { child, words in
      let name = words.first ?? ""
      return try child.read { "\(try $0.count(Item.where { $0.name == name }))" }
    },
  ]
}
