import QuarryBackend
import QuarryCore

/// An object of any model with its row, by which it is compared.
///
/// The type of the object is not a part of the version's: so the compiler makes one code that moves versions, which looks up no types
/// when it runs. Versions are only in tables, edits and parts of one model.
struct Version: Sendable {
  private final class Box<M: Model>: Sendable {
    let object: M

    init(_ object: M) {
      self.object = object
    }
  }

  private let box: any AnyObject & Sendable
  let row: Row

  /// The object, of the model that the version is of.
  func object<M: Model>(_ type: M.Type = M.self) -> M { unsafeDowncast(box, to: Box<M>.self).object }

  init<M: Model>(_ object: M, _ encoder: ObjectEncoder<M>) throws(StorageError) {
    box = Box(object)
    row = try encoder.row(object)
  }

  init<M: Model>(_ row: Row, _ form: ObjectForm<M>) throws(StorageError) {
    box = Box(try form.object(row))
    self.row = row
  }
}

/// An object that a draft has read or changed.
struct DraftEntry: Sendable {
  /// In a box, so that a copy of an entry has fewer parts.
  private final class Identity: Sendable {
    let id: ObjectID

    init(_ id: ObjectID) {
      self.id = id
    }
  }

  private let identity: Identity
  /// The object as it was stored when the draft read it.
  var base: Version?
  /// The object as the draft has it.
  var mine: Version?
  /// The slots in which the two differ.
  var slots: [Int] = []
  /// The place among the changes of the draft.
  var number = 0

  /// An object as the draft has read it.
  init(id: ObjectID, base: Version?) {
    identity = Identity(id)
    (self.base, mine) = (base, base)
  }

  var id: ObjectID { identity.id }
  var isChanged: Bool { (base == nil) != (mine == nil) || !slots.isEmpty }
}

extension ObjectID {
  /// The primary key of an object of the model.
  func primaryKey<M: Model>(_ type: M.Type) throws(StorageError) -> M.PrimaryKey {
    try M.PrimaryKey(storedValue: key)
  }
}

/// An object of a draft, in the one place where the draft changes it.
final class DraftObject {
  // A draft belongs to one isolation.
  @exclusivity(unchecked) var entry: DraftEntry

  init(_ entry: DraftEntry) {
    self.entry = entry
  }

  var id: ObjectID { entry.id }
  var mine: Version? { entry.mine }
  var isChanged: Bool { entry.isChanged }
}

/// The objects of one model in a draft.
protocol AnyDraftTable: AnyObject {
  var changedCount: Int { get }
  /// Whether an object is deleted.
  var deletes: Bool { get }
  var name: String { get }
  /// The changes with their places in the draft.
  func changes() throws(StorageError) -> [(number: Int, change: Draft.Change)]
  func validate() throws(StorageError)
  func plan() -> any DraftPart
  /// Forgets what a save has stored, and puts edits that were made meanwhile on the stored objects.
  func finish(_ saved: any DraftPart) throws(StorageError)
  /// Whether a model's objects can be removed without effects on others.
  func isFree(in transaction: ReadTransaction) throws(StorageError) -> Bool
  /// What is compared with the store to find out what others have changed.
  func bases() -> [any DraftBase]
  func base(_ object: DraftObject) -> any DraftBase
  /// Replaces the object of the draft with a key, if there is one.
  func set(_ version: Version?, _ key: Key, number: Int) throws(StorageError)
}

final class DraftTable<M: Model>: AnyDraftTable {
  let form: ObjectForm<M>
  let encoder: ObjectEncoder<M>
  @exclusivity(unchecked) private var objects: [Key: DraftObject] = [:]
  @exclusivity(unchecked) private(set) var changedCount = 0

  init(_ form: ObjectForm<M>) {
    self.form = form
    encoder = form.encoder()
  }

  var name: String { form.name }

  var deletes: Bool { objects.values.contains { $0.entry.base != nil && $0.mine == nil } }

  /// The object with a key; nil for one that the draft has neither read nor changed.
  func object(_ key: Key) -> DraftObject? { objects[key] }

  /// Adds an object that was read.
  func add(_ object: DraftObject, _ key: Key) {
    objects[key] = object
  }

  func set(_ version: Version?, _ key: Key, number: Int) throws(StorageError) {
    if let object = object(key) { _ = try set(version, object, number: number) }
  }

  /// Replaces an object of the draft.
  ///
  /// - Returns: The object before; nil inside where there was none, nil outside where nothing differs.
  func set(_ version: Version?, _ object: DraftObject, number: Int) throws(StorageError) -> Version?? {
    let before = object.entry.mine
    let wasChanged = object.isChanged
    let slots = try slots(object.entry.base, version)
    switch (before, version) {
    case (nil, nil): return nil
    case (let old?, let new?):
      // An object without an edit is as its base, with which the new one was compared.
      if try wasChanged ? form.differences(old.row, new.row).isEmpty : slots.isEmpty { return nil }
    default: break
    }
    (object.entry.mine, object.entry.slots) = (version, slots)
    if !wasChanged { object.entry.number = number }
    changedCount += (object.isChanged ? 1 : 0) - (wasChanged ? 1 : 0)
    return .some(before)
  }

  /// Takes another object as the one that the draft has read.
  func rebase(_ base: Version?, _ key: Key) throws(StorageError) {
    guard let object = object(key) else { return }
    let slots = try slots(base, object.entry.mine)
    let wasChanged = object.isChanged
    (object.entry.base, object.entry.slots) = (base, slots)
    changedCount += (object.isChanged ? 1 : 0) - (wasChanged ? 1 : 0)
  }

  /// The slots in which two objects differ; none where one is missing.
  private func slots(_ base: Version?, _ mine: Version?) throws(StorageError) -> [Int] {
    guard let base, let mine else { return [] }
    return try form.differences(base.row, mine.row)
  }

  private var changed: [(key: Key, entry: DraftEntry)] {
    objects.map { (key: $0.key, entry: $0.value.entry) }.filter(\.entry.isChanged)
      .sorted { $0.entry.number < $1.entry.number }
  }

  /// The rows to lay over those of the store: nil for a removed one.
  var rows: [Key: Row?] {
    var rows: [Key: Row?] = [:]
    for (key, object) in objects where object.isChanged {
      rows.updateValue(object.mine?.row, forKey: key)
    }
    return rows
  }

  func changes() throws(StorageError) -> [(number: Int, change: Draft.Change)] {
    var result: [(number: Int, change: Draft.Change)] = []
    for (_, entry) in changed {
      var properties: [Draft.Change.Property] = []
      if let base = entry.base, let mine = entry.mine {
        for slot in entry.slots {
          let (old, new) = (try form.value(slot, of: base.row), try form.value(slot, of: mine.row))
          properties.append(Draft.Change.Property(name: form.property(slot), old: old, new: new))
        }
      }
      let kind: Draft.Change.Kind = entry.base == nil ? .inserted : entry.mine == nil ? .deleted : .updated
      let change = Draft.Change(
        id: entry.id, kind: kind, properties: properties, old: entry.base?.object(M.self),
        new: entry.mine?.object(M.self))
      result.append((entry.number, change))
    }
    return result
  }

  func validate() throws(StorageError) {
    for (_, entry) in changed { if let mine = entry.mine { try form.validate(mine.object()) } }
  }

  func plan() -> any DraftPart {
    TypedDraftPart(form: form, edits: changed.map { DraftPartEdit($0.key, $0.entry) })
  }

  func isFree(in transaction: ReadTransaction) throws(StorageError) -> Bool { try transaction.isFree(M.self) }

  func bases() -> [any DraftBase] {
    objects.values.map { base($0) }
  }

  func base(_ object: DraftObject) -> any DraftBase {
    TypedDraftBase(id: object.id, row: object.entry.base?.row, form: form)
  }

  func finish(_ saved: any DraftPart) throws(StorageError) {
    guard let saved = saved as? TypedDraftPart<M> else { return }
    // What was only read is read again when it is asked for.
    objects = objects.filter { $0.value.isChanged }
    for edit in saved.edits {
      guard let object = object(edit.place) else { continue }
      let entry = object.entry
      let planned = edit.entry.mine
      var mine = edit.stored
      if let planned, let now = entry.mine, let stored = edit.stored {
        // Changed while it was saved: these changes are edits of the stored object now.
        let slots = try form.differences(planned.row, now.row)
        if !slots.isEmpty { mine = try Version(form.merging(Set(slots), of: now.row, into: stored.row), form) }
      } else if (planned == nil) != (entry.mine == nil) {
        mine = entry.mine
      }
      object.entry.slots = try slots(edit.stored, mine)
      (object.entry.base, object.entry.mine) = (edit.stored, mine)
      if !object.isChanged { objects[edit.place] = nil }
    }
    changedCount = objects.count
  }
}
