import Foundation
import Quarry
import QuarryDump
import QuarryEngines
import Synchronization

extension GuideCode {
  /// - Returns: The names that were shown, what was noted, and how often the closure was called.
  static func observation() async throws -> (shown: [String], log: [String], calls: Int) {
    let store = try Store(for: Author.self, in: .memory)
    var shown: [String] = []
    var log: [String] = []
    try await store.insert(Author(id: 1, email: "a@example.org", born: 1912, name: "Alan"))
    let writer = Task {
      while !Task.isCancelled {
        try await store.upsert(Author(id: 2, email: "g@example.org", born: 1906, name: "Grace"))
        try await store.update(Author.self, 2) { $0.name = "Grace Hopper" }
        try await store.delete(Author.self, 2)
      }
    }
    for try await change in store.changes(of: Author.where { $0.born >= 1900 }.sorted(by: \.name)) {
      if change.isInitial {
        shown = change.objects.map(\.name)
      } else {
        for deletion in change.deletions.reversed() { shown.remove(at: deletion.place) }
        for insertion in change.insertions { shown.insert(insertion.object.name, at: insertion.place) }
        for update in change.updates { log.append("\(update.old.name): \(update.properties)") }
      }
      if shown == ["Alan", "Grace"] { break }
    }
    for try await change in store.changes(of: Author.self, 2, keyPaths: \.name) {
      if case .changed(let old, let new, _) = change { log.append("\(old.name) is \(new.name)") }
      if case .deleted = change { break }
    }
    for try await commit in store.commits() {
      log.append("\(commit["Author"]?.inserted ?? []) were added")
      break
    }
    writer.cancel()
    _ = await writer.result
    return (shown, log, try told(store))
  }

  /// Adds numbers up on whatever thread.
  final class Counts: Sendable {
    private let sum = Mutex((numbers: 0, total: 0))
    var numbers: Int { sum.withLock { $0.numbers } }
    func add(_ number: Int) {
      sum.withLock { $0 = ($0.numbers + 1, $0.total + number) }
    }
  }

  private static func told(_ store: Store) throws -> Int {
    let counts = Counts()
    let token = try store.observe(Author.all.limit(10)) { change in
      counts.add(change.objects.count)
    }
    try store.write(withoutNotifying: [token]) { tx in
      try tx.insert(Author(id: 3, email: "m@example.org", name: "Mary"))
    }
    token.cancel()
    return counts.numbers
  }

  static func cached(_ store: Store) throws -> Int {
    let authors = try store.cached(Author.all.sorted(by: \.name), for: .seconds(300))
    return authors.count
  }

  static func care(_ path: String) throws -> Int {
    let aside = try Store(for: Author.self, in: .flatFile(at: path + ".aside.quarry"))
    let defects = try aside.check()
    let models = try aside.statistics().models
    try aside.compact()
    try aside.backup(to: path + ".backup.quarry")
    try aside.destroy()
    return defects.count + models.count
  }

  /// Puts the backup of `care` where the destroyed store was.
  static func restoringBackup(_ path: String) throws -> Bool {
    let done = try Store.restoreBackup(
      path + ".backup.quarry", to: .flatFile(at: path + ".aside.quarry"), replacing: true)
    if let old = done.quarantine { print("the store of before is kept as \(old)") }
    return done.quarantine == nil
  }

  static func repairing(_ path: String) throws -> [String] {
    let damaged = try Store(for: Author.self, in: .flatFile(at: path + ".damaged.quarry"))
    let repaired = try damaged.repair(quarantine: path + ".unreadable.jsonl")
    for action in repaired.actions { print(action) }
    return repaired.defects
  }

  static func moving(_ path: String) throws -> Int {
    let library = try Store(for: Author.self, in: .flatFile(at: path + ".library.quarry"))
    let copied = try library.copy(to: .sqlite(at: path + ".library.db"))
    for model in copied.models { print("\(model.name): \(model.rows) objects, sum \(model.digest)") }

    try library.dump(to: path + ".library.jsonl")
    try Store.restore(path + ".library.jsonl", to: .lmdb(at: path + ".library.lmdb"))

    let database = try Store(for: Author.self, in: .sqlite(at: path + ".library.db"))
    for difference in try library.differences(from: database) { print(difference) }
    let seeded = try Store(
      for: Author.self, in: .sqlite(at: path + ".seeded.db", seededFrom: path + ".library.db"))
    return try library.differences(from: seeded).count + copied.models.count
  }
}

@MainActor
final class Authors {
  let list: LiveQuery<Author>
  let first: LiveObject<Author>

  init(_ store: Store) throws {
    list = try store.live(Author.all.sorted(by: \.name))
    first = try store.live(Author.self, 1)
  }

  var titles: [String] { list.map(\.name) + [first.name ?? "nobody"] }
}
