import Foundation
import QuarryBackend
import QuarryCore
import QuarryEncryption
import QuarryQuery
import Synchronization

/// Commands of the laboratory: what is done is written down, or fails, and what is left is looked at.
extension ChildInterpreter {
  static let laboratory: [String: Command] = [
    // lab-record LOG | FOLDER: writes down what is done in the folder from now on.
    "lab-record": { _, words in
      let paths = words.joined(separator: " ").components(separatedBy: " | ")
      guard paths.count == 2 else { throw StorageError(.invalidValue, "a log and a folder") }
      try CrashLab.record(paths[1], to: paths[0])
      return "ready"
    },
    // lab-fail OPERATION ERROR once|on FOLDER: lets the operation fail, or all from it on.
    "lab-fail": { _, words in
      try CrashLab.fail(
        words.dropFirst(3).joined(separator: " "), at: try number(words, 0), error: Int32(try number(words, 1)),
        goesOn: words[2] == "on")
      return "ready"
    },
    // lab-end: says how many operations there were, and how many failed.
    "lab-end": { _, _ in
      let counts = "\(try CrashLab.operations()) \(try CrashLab.failures())"
      try CrashLab.end()
      return counts
    },
    // lab-fill: makes a store with the laboratory's first rows.
    "lab-fill": { child, _ in
      let store = try Store(program: [LabContent.schema(added: 0, hasIndex: false)], in: child.place)
      try store.records.insert(
        into: LabContent.model,
        (LabContent.filled.rows ?? [:]).sorted { $0.key < $1.key }.map { LabContent.record($0.key, $0.value) })
      try store.close()
      return "filled"
    },
    // lab-run DURABILITY WORKLOAD: does the steps, marks each in the record, and says what became of each.
    "lab-run": { child, words in
      guard let durability = words.first.flatMap({ BackendManifest.Durability(rawValue: $0) }),
        let workload = LabWorkload(words.dropFirst().joined(separator: " "))
      else { throw StorageError(.invalidValue, "no workload: \(words.joined(separator: " "))") }
      return LabRun(child, durability, workload).run()
    },
    // lab-look COPIES: what the store and its copies have, what check finds, and whether the store can be used.
    "lab-look": { child, words in try LabLook(child).look(copies: try number(words, 0)) },
    // lab-recover: opens the store, marks what it has, and closes it.
    "lab-recover": { child, _ in try LabLook(child).recover() },
  ]
}

/// A workload in the second process.
private final class LabRun {
  private let child: ChildInterpreter
  private let durability: BackendManifest.Durability
  private let workload: LabWorkload
  private var store: Store?
  private var added = 0
  private var hasIndex = false
  private var keepsHistory = false
  /// How many contents were begun.
  private var number = 0
  private var results: [String] = []

  init(_ child: ChildInterpreter, _ durability: BackendManifest.Durability, _ workload: LabWorkload) {
    (self.child, self.durability, self.workload) = (child, durability, workload)
  }

  /// - Returns: For each content of the workload but the first `ok` or what went wrong, and then for the closing.
  func run() -> String {
    if workload.isFilled {
      do { try open() } catch { results.append("opening:" + Self.text(error)) }
    } else {
      step { try open() }
    }
    for (kind, round) in zip(workload.steps, workload.rounds) { step { try self.do(kind, round) } }
    CrashLab.mark("close")
    do {
      try store?.close()
      CrashLab.mark("kept \(number)")
    } catch {
      results.append("closing:" + Self.text(error))
    }
    store = nil
    return results.isEmpty ? "nothing" : results.joined(separator: " ")
  }

  private func step(_ body: () throws -> Void) {
    number += 1
    CrashLab.mark("begin \(number)")
    do {
      try body()
      CrashLab.mark("done \(number)")
      results.append("ok")
    } catch {
      results.append(Self.text(error))
    }
  }

  /// What a crowd has thrown, and which of its writes have returned.
  private struct CrowdFailure: Error {
    let error: any Error
    let acknowledged: Int
  }

  private static func text(_ error: any Error) -> String {
    if let failure = error as? CrowdFailure { return "\(text(failure.error))/\(failure.acknowledged)" }
    guard let error = error as? StorageError else { return "foreign:\(type(of: error))" }
    return "\(error.code)"
  }

  private func open() throws {
    var options = OpenOptions()
    options.durability = durability
    options.busyTimeout = 2
    // So small that writes remove what is older.
    if keepsHistory { options.history = .on(keeping: .forever, bytes: 20_000) }
    store = try Store(
      program: [LabContent.schema(added: added, hasIndex: hasIndex)], in: child.place, options: options)
  }

  private func opened() throws -> Store {
    if store == nil { try open() }
    guard let store else { throw StorageError(.closed, "no store") }
    return store
  }

  private func `do`(_ step: LabStep, _ round: Int) throws {
    switch step {
    case .migration: added += 1
    case .history: keepsHistory = true
    case .reopen: break
    default: return try change(try opened(), step, round)
    }
    // What an opening does not end in a store is tried again by the next step.
    if let before = store {
      let model = try? before.read { try $0.model(named: LabContent.model) }
      if let model { hasIndex = model.indexes.contains { $0.name == LabContent.twoColumns.name } }
      store = nil
      try before.close()
      CrashLab.mark("kept \(number - 1)")
    }
    try open()
  }

  private struct Undone: Error {}

  private static func undone(_ body: () throws -> Void) throws {
    do { try body() } catch is Undone {}
  }

  private static func records(_ rows: [Int: LabContent.Row], _ added: Int) -> [Record] {
    rows.sorted { $0.key < $1.key }.map { LabContent.record($0.key, $0.value, added: added) }
  }

  private static func ids(_ range: Range<Int>) -> QueryTree {
    let from = PredicateTree.compare(.named("id"), .greaterOrEqual, .value(.int(Int64(range.lowerBound))))
    let to = PredicateTree.compare(.named("id"), .less, .value(.int(Int64(range.upperBound))))
    return QueryTree(model: LabContent.model, predicate: .and([from, to]))
  }

  private func change(_ store: Store, _ step: LabStep, _ round: Int) throws {
    let added = added
    let model = LabContent.model
    switch step {
    case .insert: try store.records.insert(into: model, Self.records(LabContent.inserted(round), added))
    case .upsert: try store.records.upsert(into: model, Self.records(LabContent.upserted(round), added))
    case .update:
      let (range, text) = LabContent.updated(round)
      try store.records.assign(Self.ids(range), [AssignmentTree("text", .set, .string(text))])
    case .delete: try store.records.delete(Self.ids(LabContent.deleted(round)))
    case .savepoint:
      let saved = LabContent.saved(round)
      try store.write { tx in
        try tx.records.insert(into: model, Self.records(saved.before, added))
        try Self.undone {
          try tx.savepoint {
            try tx.records.upsert(into: model, Self.records(saved.undone, added))
            throw Undone()
          }
        }
        try tx.records.upsert(into: model, Self.records(saved.after, added))
      }
    case .crowd: try crowd(store, round)
    case .schema:
      // A store in which a later step failed may not be read any more, and the program still has its models.
      hasIndex = try store.write { tx in
        let model = try tx.model(named: model)
        if let index = model.indexes.first(where: { $0.name == LabContent.twoColumns.name }) {
          try tx.apply(.dropIndex(model.id, index: index.id))
          return false
        }
        try tx.apply(.createIndex(model.id, LabContent.twoColumns))
        return true
      }
    case .compaction: try store.compact()
    case .backup: try store.backup(to: try LabLook.copy(child, round))
    case .rekey: try store.rekey(to: try ConformanceKey.key(), .full)
    case .trim: if try store.history.isOn { try store.history.trim(before: store.history.newest) }
    case .migration, .reopen, .history: break
    }
  }
}

extension LabRun {
  /// Threads write at once. The first holds its transaction until the others wait for theirs. Some share its commit where the
  /// engine's writers do; others have commits of their own, and write while those before them wait for the disk.
  private func crowd(_ store: Store, _ round: Int) throws {
    CrashLab.slowSyncs(microseconds: 2_000)
    defer { CrashLab.slowSyncs(microseconds: 0) }
    let (kept, undone) = LabContent.crowd(round)
    let (step, added) = (number, added)
    let found = Mutex<(acknowledged: Int, error: (any Error)?)>((0, nil))
    let (others, all) = (DispatchGroup(), DispatchGroup())
    @Sendable func insert(_ row: (id: Int, row: LabContent.Row), _ tx: WriteTransaction) throws {
      try tx.records.insert(into: LabContent.model, [LabContent.record(row.id, row.row, added: added)])
    }
    func thread(_ body: @escaping @Sendable () throws -> Void) {
      all.enter()
      Thread.detachNewThread {
        do { try body() } catch { found.withLock { $0.error = $0.error ?? error } }
        all.leave()
      }
    }
    for (place, row) in kept.enumerated() {
      if place > 0 { others.enter() }
      thread {
        if place > 0 { others.leave() }
        try store.write(alone: place > 1) { tx in
          try insert(row, tx)
          if place == 0, others.wait(timeout: .now() + 1) == .success { usleep(2_000) }
        }
        // Under the lock, so that what is told is in the record.
        found.withLock { found in
          CrashLab.mark("part \(step) \(place)")
          found.acknowledged |= 1 << place
        }
      }
      // The turn is the first one's.
      if place == 0 { usleep(500) }
    }
    thread {
      try Self.undone {
        try store.write { tx in
          try insert(undone, tx)
          throw Undone()
        }
      }
    }
    all.wait()
    let (acknowledged, error) = found.withLock { $0 }
    if let error { throw CrowdFailure(error: error, acknowledged: acknowledged) }
  }
}

/// What is left, as the second process sees it.
private struct LabLook {
  private let child: ChildInterpreter

  init(_ child: ChildInterpreter) {
    self.child = child
  }

  /// The path of a copy, beside the store.
  static func copy(_ child: ChildInterpreter, _ number: Int) throws -> String {
    guard let path = child.address else { throw StorageError(.unsupported, "the place has no path") }
    return "\(path).copy\(number)"
  }

  private static func open(_ place: some BackendProvider) throws -> Store? {
    var options = OpenOptions()
    options.createsIfMissing = false
    options.busyTimeout = 2
    do {
      return try Store(opening: place, options: options)
    } catch let error as StorageError {
      if error.code == .notFound { return nil }
      throw error
    }
  }

  func look(copies: Int) throws -> String {
    var words: [String] = []
    var notes: [String] = []
    if let store = try Self.open(child.place) {
      words.append(try LabContent.seal(of: store))
      if store.openingReport.tail != nil { notes.append("tail") }
      // An end that was put aside is told by check as long as it lies there.
      for path in try pathsBeside() where try store.check().contains(where: { $0.contains(path) }) { unlink(path) }
      let defects = try store.check()
      if !defects.isEmpty { notes.append("check: \(defects.joined(separator: "; "))") }
      try store.close()
    } else {
      words.append(LabContent.nothing)
    }
    for number in 0..<copies {
      let place = try child.process.place(try Self.copy(child, number))
      if let copy = try Self.open(place) {
        words.append(try LabContent.seal(of: copy))
        let defects = try copy.check()
        if !defects.isEmpty { notes.append("check of a copy: \(defects.joined(separator: "; "))") }
        try copy.close()
      } else {
        words.append(LabContent.nothing)
      }
    }
    try use(isThere: words[0] != LabContent.nothing)
    return words.joined(separator: " ") + " | " + notes.joined(separator: " | ")
  }

  /// The paths of files beside the store.
  private func pathsBeside() throws -> [String] {
    guard let address = child.address else { return [] }
    let folder = URL(fileURLWithPath: address).deletingLastPathComponent().path
    return try FileManager.default.contentsOfDirectory(atPath: folder).map { "\(folder)/\($0)" }
      .filter { $0 != address }
  }

  /// One commit more, which is there when the store is opened again.
  private func use(isThere: Bool) throws {
    let id = Value.int(9_999_999)
    do {
      let store =
        isThere
        ? try Store(opening: child.place)
        : try Store(program: [LabContent.schema(added: 0, hasIndex: false)], in: child.place)
      let added = try store.read { try $0.model(named: LabContent.model).properties.count - 3 }
      let row = LabContent.Row(code: 9_999_999, text: "used")
      try store.records.insert(into: LabContent.model, [LabContent.record(9_999_999, row, added: added)])
      try store.close()
    }
    let again = try Store(opening: child.place)
    let found = try again.read { try $0.records.exists(in: LabContent.model, key: id) }
    try again.close()
    guard found else { throw StorageError(.corrupt, "what was inserted after the crash is not there") }
  }

  func recover() throws -> String {
    guard let store = try Self.open(child.place) else { return LabContent.nothing }
    let seal = try LabContent.seal(of: store)
    CrashLab.mark("seen \(seal)")
    try store.close()
    return seal
  }
}
