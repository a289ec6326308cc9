import QuarryBackend
import QuarryCore
import QuarryQuery

/// Takes random steps on a store and on the reference at once, and compares each answer.
package final class EvolutionRun {
  /// What a run that failed came down to.
  package struct Failure: Error, CustomStringConvertible {
    package var description: String
  }

  private struct Planned: Error {}

  private let place: any BackendProvider
  private let isPersistent: Bool
  private var store: Store
  private var frozen: [Int: (store: FrozenStore, state: EvolvedSchema)] = [:]
  private var state = EvolvedSchema()
  /// What was done, a line for each step.
  private var log: [String] = []
  private var depth = 0
  /// How often each answer was given.
  private(set) var outcomes: [String: Int] = [:]

  private init(_ place: any BackendProvider, isPersistent: Bool) throws {
    self.place = place
    self.isPersistent = isPersistent
    store = try Self.open(place)
  }

  private static func open(_ place: any BackendProvider) throws -> Store {
    let store = try Store(models: [], in: place)
    guard store.manifest.schemaChanges == .afterSnapshots else { return store }
    try store.close()
    var options = OpenOptions()
    options.busyTimeout = 0.5
    return try Store(models: [], in: place, options: options)
  }

  /// Runs the steps of a seed, each list of them in a new place.
  ///
  /// - Returns: How often each kind of action gave which kind of answer.
  /// - Throws: ``Failure`` with a short list of steps when an answer differs.
  @discardableResult
  package static func run(seed: UInt64, steps count: Int, _ harness: some ConformanceHarness) throws -> [String: Int] {
    var steps = EvolutionStep.steps(count, seed: seed)
    let first: (failure: Failure?, outcomes: [String: Int]) = try result(steps, harness)
    guard var failure = first.failure else { return first.outcomes }
    var budget = 400
    var isShorter = true
    while isShorter, budget > 0 {
      isShorter = false
      for candidate in EvolutionStep.shorter(steps) where budget > 0 {
        budget -= 1
        guard let other = try result(candidate, harness).failure else { continue }
        (steps, failure, isShorter) = (candidate, other, true)
        break
      }
    }
    throw Failure(description: "seed \(seed): \(failure)")
  }

  private static func result(
    _ steps: [EvolutionStep], _ harness: some ConformanceHarness
  ) throws -> (failure: Failure?, outcomes: [String: Int]) {
    let place = try harness.makePlace()
    defer { harness.remove(place) }
    let run = try EvolutionRun(place, isPersistent: harness.isPersistent)
    defer { run.close() }
    do {
      for step in steps { try run.take(step, nil) }
      return (nil, run.outcomes)
    } catch let failure as Failure {
      return (failure, run.outcomes)
    }
  }

  private func close() {
    thaw()
    try? store.close()
  }

  private func thaw() {
    for pinned in frozen.values { pinned.store.close() }
    frozen = [:]
  }

  // MARK: Steps

  private func take(_ step: EvolutionStep, _ tx: WriteTransaction?) throws {
    switch step {
    case .write(let steps, let fails):
      try block("write", steps, fails) { body in try self.store.write { tx in try body(tx) } }
    case .savepoint(let steps, let fails):
      guard let tx else { return }
      try block("savepoint", steps, fails) { body in try tx.savepoint { try body(tx) } }
    case .freeze(let number):
      guard tx == nil else { return }
      note("freeze \(number)")
      frozen[number]?.store.close()
      frozen[number] = (try store.freeze(), state)
    case .lookAtFrozen(let number):
      // Frozen stores may wait for a change of the schema that is not committed.
      guard let pinned = frozen[number], tx == nil || store.manifest.schemaChanges == .besideSnapshots else { return }
      note("look at frozen \(number)")
      try compare(try pinned.store.read { try Self.text($0) }, pinned.state.text)
    case .reopen:
      guard tx == nil, isPersistent else { return }
      note("reopen")
      thaw()
      try store.close()
      store = try Self.open(place)
      try look(nil)
    case .check:
      guard tx == nil, store.manifest.capabilities[.check]?.isSupported == true else { return }
      note("check")
      try compare("\(try store.check())", "[]")
    case .look:
      note("look")
      try look(tx)
    case .act(let number): try act(EvolutionAction(number, in: state), tx)
    }
  }

  private func block(
    _ name: String, _ steps: [EvolutionStep], _ fails: Bool,
    _ run: ((WriteTransaction) throws -> Void) throws -> Void
  ) throws {
    let before = state
    note("\(name) {")
    depth += 1
    do {
      try run { tx in
        // With many writers the body may run again.
        self.state = before
        for step in steps { try self.take(step, tx) }
        if fails { throw Planned() }
      }
      depth -= 1
      note("}")
    } catch is Planned {
      depth -= 1
      note("} undone")
      state = before
    }
  }

  private func act(_ action: EvolutionAction, _ tx: WriteTransaction?) throws {
    note("\(action)")
    let before = state
    var due: String
    do throws(EvolvedSchema.Failure) {
      due = try state.perform(action)
    } catch {
      due = "the error \(error.code)"
    }
    var found = try attempt(action, tx)
    if found == "the error busy", store.manifest.schemaChanges == .afterSnapshots, action.takesNames, !frozen.isEmpty {
      note("busy: nothing has changed, and it is done again without frozen stores")
      if tx == nil {
        for pinned in frozen.values { try compare(try pinned.store.read { try Self.text($0) }, pinned.state.text) }
      }
      let now = if let tx { try Self.text(tx) } else { try store.read { try Self.text($0) } }
      try compare(now, before.text)
      thaw()
      found = try attempt(action, tx)
    }
    outcomes["\(action.kind): \(due.hasPrefix("the error") ? due : "done")", default: 0] += 1
    try compare(found, due)
  }

  private func attempt(_ action: EvolutionAction, _ tx: WriteTransaction?) throws -> String {
    do {
      if let tx { return try action.run(tx) }
      return try store.write { try action.run($0) }
    } catch let error as StorageError {
      return "the error \(error.code)"
    }
  }

  private func note(_ line: String) { log.append(String(repeating: "  ", count: depth) + line) }

  // MARK: Comparing

  private func look(_ tx: WriteTransaction?) throws {
    let found: String
    if let tx { found = try Self.text(tx) } else { found = try store.read { try Self.text($0) } }
    try compare(found, state.text)
  }

  private func compare(_ found: String, _ due: String) throws {
    guard found != due else { return }
    throw Failure(description: "got \(found)\n  the reference says \(due)\n  after:\n" + log.joined(separator: "\n"))
  }

  /// All that a transaction sees, in the words of the reference.
  private static func text(_ tx: ReadTransaction) throws -> String {
    try tx.models().sorted { $0.name < $1.name }.map { model in
      let properties = model.liveSlots.map { slot in
        let property = model.properties[slot]
        return "\(property.name) \(property.type.name)\(property.isOptional ? "?" : "") "
          + "\(property.defaultValue.map { "\($0)" } ?? "-")"
      }
      let indexes = model.indexes.map { index in
        EvolvedSchema.Index(
          name: index.name,
          columns: index.columns.map { (name: model.properties[$0.slot].name, isDescending: $0.isDescending) },
          isUnique: index.isUnique
        ).text
      }
      return EvolvedSchema.text(model.name, properties, indexes, try tx.records.fetch(QueryTree(model: model.name)))
    }.joined(separator: "\n")
  }
}

extension EvolutionAction {
  /// Whether it takes a name away that snapshots of the state before read by.
  fileprivate var takesNames: Bool {
    switch self {
    case .inModel(_, .drop), .inModel(_, .rename), .inModel(_, .dropProperty), .inModel(_, .renameProperty): true
    default: false
    }
  }

  /// The name of what it does, `createIndex` for example.
  fileprivate var kind: String {
    func name(_ value: Any) -> String { Mirror(reflecting: value).children.first?.label ?? "\(value)" }
    if case .inModel(_, let change) = self { return name(change) }
    return name(self)
  }
}
