import QuarryBackend
import QuarryCore

/// An object with its row, by which it is compared.
///
/// The object is in a box: so the size of a version does not depend on the model, and generic code moves it as it moves any value.
struct Version<M: Model>: Sendable {
  private final class Box: Sendable {
    let object: M

    init(_ object: M) {
      self.object = object
    }
  }

  private let box: Box
  let row: Row

  var object: M { box.object }

  init(_ object: M, _ encoder: ObjectEncoder<M>) throws(StorageError) {
    box = Box(object)
    row = try encoder.row(object)
  }

  init(_ row: Row, _ form: ObjectForm<M>) throws(StorageError) {
    box = Box(try form.object(row))
    self.row = row
  }
}

/// An object that a draft has read or changed.
struct DraftEntry<M: Model>: Sendable {
  /// In a box for the reason that ``Version`` has one.
  private final class Identity: Sendable {
    let id: ObjectID
    let key: M.PrimaryKey

    init(_ id: ObjectID, _ key: M.PrimaryKey) {
      (self.id, self.key) = (id, key)
    }
  }

  private let identity: Identity
  /// The object as it was stored when the draft read it.
  var base: Version<M>?
  /// The object as the draft has it.
  var mine: Version<M>?
  /// The slots in which the two differ.
  var slots: [Int] = []
  /// The place among the changes of the draft.
  var number = 0

  /// An object as the draft has read it.
  init(id: ObjectID, key: M.PrimaryKey, base: Version<M>?) {
    identity = Identity(id, key)
    (self.base, mine) = (base, base)
  }

  var id: ObjectID { identity.id }
  var key: M.PrimaryKey { identity.key }
  var isChanged: Bool { (base == nil) != (mine == nil) || !slots.isEmpty }
}

/// An object of a draft of any model.
class AnyDraftObject {}

/// An object of a draft, in the one place where the draft changes it.
final class DraftObject<M: Model>: AnyDraftObject {
  var entry: DraftEntry<M>

  init(_ entry: DraftEntry<M>) {
    self.entry = entry
  }

  var id: ObjectID { entry.id }
  var mine: Version<M>? { entry.mine }
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
}

final class DraftTable<M: Model>: AnyDraftTable {
  let form: ObjectForm<M>
  let encoder: ObjectEncoder<M>
  /// Objects of the model. The table is one of objects of any model, because the compiler makes code of its own for such a table.
  private var objects: [Key: AnyDraftObject] = [:]
  private(set) var changedCount = 0

  init(_ form: ObjectForm<M>) {
    self.form = form
    encoder = form.encoder()
  }

  var name: String { form.name }

  var deletes: Bool { objects.values.contains { typed($0).entry.base != nil && typed($0).mine == nil } }

  /// The object with a key; nil for one that the draft has neither read nor changed.
  func object(_ key: Key) -> DraftObject<M>? { objects[key].map(typed) }

  private func typed(_ object: AnyDraftObject) -> DraftObject<M> { unsafeDowncast(object, to: DraftObject<M>.self) }

  /// Adds an object that was read.
  func add(_ object: DraftObject<M>, _ key: Key) {
    objects[key] = object
  }

  /// Replaces the object of the draft.
  ///
  /// - Returns: The object before; nil inside where there was none, nil outside where nothing differs.
  func set(_ version: Version<M>?, _ key: Key, number: Int) throws(StorageError) -> Version<M>?? {
    guard let object = object(key) else { return nil }
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
  func rebase(_ base: Version<M>?, _ key: Key) throws(StorageError) {
    guard let object = object(key) else { return }
    let slots = try slots(base, object.entry.mine)
    let wasChanged = object.isChanged
    (object.entry.base, object.entry.slots) = (base, slots)
    changedCount += (object.isChanged ? 1 : 0) - (wasChanged ? 1 : 0)
  }

  /// The slots in which two objects differ; none where one is missing.
  private func slots(_ base: Version<M>?, _ mine: Version<M>?) throws(StorageError) -> [Int] {
    guard let base, let mine else { return [] }
    return try form.differences(base.row, mine.row)
  }

  private var changed: [(key: Key, entry: DraftEntry<M>)] {
    objects.map { (key: $0.key, entry: typed($0.value).entry) }.filter(\.entry.isChanged)
      .sorted { $0.entry.number < $1.entry.number }
  }

  /// The rows to lay over those of the store: nil for a removed one.
  var rows: [Key: Row?] {
    var rows: [Key: Row?] = [:]
    for (key, object) in objects where typed(object).isChanged {
      rows.updateValue(typed(object).mine?.row, forKey: key)
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
        id: entry.id, kind: kind, properties: properties, old: entry.base?.object, new: entry.mine?.object)
      result.append((entry.number, change))
    }
    return result
  }

  func validate() throws(StorageError) {
    for (_, entry) in changed { if let mine = entry.mine { try form.validate(mine.object) } }
  }

  func plan() -> any DraftPart {
    TypedDraftPart(form: form, edits: changed.map { TypedDraftPart.Edit($0.key, $0.entry) })
  }

  func isFree(in transaction: ReadTransaction) throws(StorageError) -> Bool { try transaction.isFree(M.self) }

  func bases() -> [any DraftBase] {
    objects.values.map { object in
      let entry = typed(object).entry
      return TypedDraftBase(id: entry.id, key: entry.key, row: entry.base?.row, form: form)
    }
  }

  func finish(_ saved: any DraftPart) throws(StorageError) {
    guard let saved = saved as? TypedDraftPart<M> else { return }
    // What was only read is read again when it is asked for.
    objects = objects.filter { typed($0.value).isChanged }
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
