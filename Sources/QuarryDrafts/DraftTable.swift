import QuarryBackend
import QuarryCore

/// An object with its row, by which it is compared.
struct Version<M: Model>: Sendable {
  var object: M
  var row: Row

  init(_ object: M, _ encoder: ObjectEncoder<M>) throws(StorageError) {
    self.object = object
    row = try encoder.row(object)
  }

  init(_ row: Row, _ form: ObjectForm<M>) throws(StorageError) {
    object = try form.object(row)
    self.row = row
  }
}

/// An object that a draft has read or changed.
struct DraftEntry<M: Model>: Sendable {
  let id: ObjectID
  let key: M.PrimaryKey
  /// The object as it was stored when the draft read it.
  var base: Version<M>?
  /// The object as the draft has it.
  var mine: Version<M>?
  /// The slots in which the two differ.
  var slots: [Int] = []
  /// The place among the changes of the draft.
  var number = 0

  var isChanged: Bool { (base == nil) != (mine == nil) || !slots.isEmpty }
}

/// An object of a draft, in the one place where the draft changes it.
final class DraftObject<M: Model> {
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
  private(set) var entries: [Key: DraftObject<M>] = [:]
  private(set) var changedCount = 0

  init(_ form: ObjectForm<M>) {
    self.form = form
    encoder = form.encoder()
  }

  var name: String { form.name }

  var deletes: Bool { entries.values.contains { $0.entry.base != nil && $0.mine == nil } }

  /// Adds an object that was read.
  func add(_ entry: DraftObject<M>, _ key: Key) {
    entries[key] = entry
  }

  /// Replaces the object of the draft.
  ///
  /// - Returns: The object before; nil inside where there was none, nil outside where nothing differs.
  func set(_ version: Version<M>?, _ key: Key, number: Int) throws(StorageError) -> Version<M>?? {
    guard let object = entries[key] else { return nil }
    let before = object.entry.mine
    switch (before, version) {
    case (nil, nil): return nil
    case (let old?, let new?): if try form.differences(old.row, new.row).isEmpty { return nil }
    default: break
    }
    let slots = try slots(object.entry.base, version)
    let wasChanged = object.isChanged
    (object.entry.mine, object.entry.slots) = (version, slots)
    if !wasChanged { object.entry.number = number }
    changedCount += (object.isChanged ? 1 : 0) - (wasChanged ? 1 : 0)
    return .some(before)
  }

  /// Takes another object as the one that the draft has read.
  func rebase(_ base: Version<M>?, _ key: Key) throws(StorageError) {
    guard let object = entries[key] else { return }
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
    entries.filter(\.value.isChanged).map { (key: $0.key, entry: $0.value.entry) }
      .sorted { $0.entry.number < $1.entry.number }
  }

  /// The rows to lay over those of the store: nil for a removed one.
  var rows: [Key: Row?] {
    var rows: [Key: Row?] = [:]
    for (key, entry) in entries where entry.isChanged { rows.updateValue(entry.mine?.row, forKey: key) }
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
    entries.values.map { TypedDraftBase(id: $0.id, key: $0.entry.key, row: $0.entry.base?.row, form: form) }
  }

  func finish(_ saved: any DraftPart) throws(StorageError) {
    guard let saved = saved as? TypedDraftPart<M> else { return }
    // What was only read is read again when it is asked for.
    entries = entries.filter { $0.value.isChanged }
    for edit in saved.edits {
      guard let object = entries[edit.place] else { continue }
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
      if !object.isChanged { entries[edit.place] = nil }
    }
    changedCount = entries.count
  }
}
