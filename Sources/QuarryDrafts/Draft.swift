public import Observation
import QuarryBackend
public import QuarryCore

/// A set of edits of objects that are not stored yet: an edit form with *Cancel*, *Undo* and one *Save*.
///
/// ```swift
/// let draft = Draft(on: store)
/// draft[Book.self, 7]?.title = "Emma"
/// draft.hasChanges                    // true
/// try await draft.save()
/// ```
///
/// A draft reads through to its store and keeps the objects that it read by key. Edits are values in the draft: the store is
/// neither locked nor written to until ``save(onConflict:isolation:)``, and any number of drafts may be open. Each object is
/// saved against the value that the draft read first, its base.
///
/// A draft belongs to the isolation that made it, because it is a class without locks. It is observable.
@Observable
public final class Draft {
  /// The store that the draft reads and saves to.
  @ObservationIgnored public let store: Store
  @ObservationIgnored let actor: (any Actor)?
  @ObservationIgnored var tables: [ObjectIdentifier: any AnyDraftTable] = [:]
  @ObservationIgnored var steps: DraftSteps
  /// The number of edits, by which changes are ordered.
  @ObservationIgnored var editCount = 0
  @ObservationIgnored var isSaving = false
  /// The edit of the subscript that was refused: a draft that lacks an edit is not saved.
  @ObservationIgnored var refusedEdit: (any Error)?
  @ObservationIgnored var tracker: StaleTracker?
  @ObservationIgnored var autosaver: Autosaver?
  /// Changes with each edit: what views of the draft follow.
  var revision = 0
  /// The error of the last access by subscript or of the last automatic save; nil after a save and a rollback.
  public internal(set) var error: (any Error)?

  /// Creates an empty draft.
  ///
  /// - Parameters:
  ///   - store: The store that the draft reads and saves to.
  ///   - undoLimit: The greatest number of steps that ``undo()`` takes back.
  ///   - actor: The actor that the draft belongs to: the caller's.
  public init(on store: Store, undoLimit: Int = 100, isolation actor: isolated (any Actor)? = #isolation) {
    self.store = store
    self.actor = actor
    steps = DraftSteps(limit: undoLimit)
  }

  /// Creates an empty draft that saves itself some time after an edit.
  ///
  /// An automatic save that fails leaves its error in ``error``, and follows the next edit again.
  ///
  /// - Parameters:
  ///   - store: The store that the draft reads and saves to.
  ///   - autosave: When the draft saves itself.
  ///   - policy: The treatment of objects that others have changed.
  ///   - undoLimit: The greatest number of steps that ``undo()`` takes back.
  ///   - actor: The actor that the draft belongs to: the caller's.
  public init(
    on store: Store, autosave: Autosave, onConflict policy: DraftConflict = .fail, undoLimit: Int = 100,
    isolation actor: isolated any Actor = #isolation
  ) {
    self.store = store
    self.actor = actor
    steps = DraftSteps(limit: undoLimit)
    let (edits, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    autosaver = Autosaver(continuation)
    let draft = AutosavedDraft(draft: self)
    // On threads of its own, so that a save waits for no other work on the shared pool.
    Task(executorPreference: CallbackThreads.executor) {
      await draft.save(after: autosave.delay, each: edits, policy, on: actor)
    }
  }

  // MARK: - State

  /// Whether the draft differs from what it has read. An edit that is edited back is no change.
  ///
  /// - Complexity: O(1) for each model.
  public var hasChanges: Bool {
    _ = revision
    return tables.values.contains { $0.changedCount > 0 }
  }

  /// The differences between the objects of the draft and what it has read, in the order of their first edits.
  ///
  /// - Complexity: O(n log n) in the number of objects that the draft has read or changed.
  public var changes: [Change] {
    _ = revision
    var result: [(number: Int, change: Change)] = []
    for table in tables.values {
      // The rows were made here, so that their values can be read.
      result += (try? table.changes()) ?? []
    }
    return result.sorted { $0.number < $1.number }.map(\.change)
  }

  /// The objects of the draft that others have changed, added or removed since the draft read them.
  ///
  /// The first access begins to follow the commits of the store. The set changes with them on the actor of the draft, and is
  /// observable. Commits of other processes count.
  ///
  /// - Complexity: O(n) in the number of objects of the draft at the first access, and after a commit of which the objects are
  ///   not known. Otherwise one read for each object of the draft that a commit has.
  public var stale: Set<ObjectID> {
    _ = revision
    if let tracker { return tracker.stale }
    let tracker = StaleTracker(store, tables.values.flatMap { $0.bases() }, on: actor)
    self.tracker = tracker
    return tracker.stale
  }

  /// The error after which ``stale`` is not updated any more; nil while it is.
  public var staleError: (any Error)? { tracker?.error }

  // MARK: - Parts

  /// The table of a model, which is created by the first access.
  func table<M: Model>(_ type: M.Type) throws -> DraftTable<M> {
    let id = ObjectIdentifier(M.self)
    // The table under the id of a type is one of this type: a checked cast would take as long as a short read.
    if let table = tables[id] { return unsafeDowncast(table, to: DraftTable<M>.self) }
    let table = DraftTable(try ObjectForm<M>(store))
    tables[id] = table
    return table
  }

  func table(ifUsed id: ObjectIdentifier) -> (any AnyDraftTable)? { tables[id] }

  /// The entry of an object, which is read from the store where the draft does not have it.
  func entry<M: Model>(_ type: M.Type, _ key: M.PrimaryKey) throws -> (DraftTable<M>, Key, DraftObject) {
    let table = try table(M.self)
    let place = try table.form.key(key)
    if let entry = table.object(place) { return (table, place, entry) }
    var base: Version?
    if let stored = try store.get(M.self, key) { base = try Version(stored, table.encoder) }
    return (table, place, try add(table, place, base))
  }

  /// Adds an object as it was read.
  func add<M: Model>(_ table: DraftTable<M>, _ place: Key, _ base: Version?) throws(StorageError) -> DraftObject {
    let id = try ObjectID(model: table.name, key: place, table.form.keyType)
    let object = DraftObject(DraftEntry(id: id, base: base))
    table.add(object, place)
    tracker?.add(table.base(object))
    return object
  }

  /// Replaces an object of the draft, and notes the step.
  func set<M: Model>(
    _ table: DraftTable<M>, _ place: Key, _ object: DraftObject, _ version: Version?
  ) throws(StorageError) {
    guard let before = try table.set(version, object, number: editCount + 1) else { return }
    editCount += 1
    steps.add(DraftEdit(table: table, key: place, before: before, after: version))
    noteEdit()
  }

  func noteEdit() {
    revision += 1
    autosaver?.noteEdit()
  }
}
