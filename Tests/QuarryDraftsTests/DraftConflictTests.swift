import Foundation
import QuarryBackend
import QuarryCore
import QuarryDrafts
import QuarryEngines
import QuarryTestSupport
import Synchronization
import Testing

@Suite struct DraftConflictTests {
  /// A store that others have changed after a draft had read it.
  private func changed(_ engine: EngineDescription) throws -> (Place, Draft) {
    let place = try Place(engine)
    try place.fill()
    let draft = Draft(on: place.store)
    draft[Item.self, 1]?.title = "mine"
    draft[Item.self, 2]?.title = "mine"
    draft[Item.self, 3]?.title = "mine"
    try draft.delete(Item.self, 4)
    try draft.insert(Item(50, "mine"))
    draft[Item.self, 5]?.title = "mine"
    try place.store.write { tx in
      try tx.update(Item.self, 1) { $0.title = "theirs" }
      try tx.update(Item.self, 2) { $0.ratio = 100 }
      try tx.delete(Item.self, 3)
      try tx.update(Item.self, 4) { $0.title = "theirs" }
      try tx.insert(Item(50, "theirs"))
    }
    return (place, draft)
  }

  // DRAFT-9
  @Test func aConflictListsEveryObject() throws {
    for engine in EngineDescription.all {
      let (place, draft) = try changed(engine)
      let before = try place.content
      let conflicts = try #require(throws: DraftConflicts.self) { try draft.save() }
      #expect(conflicts.objects.map(\.id.description) == ["Item 1", "Item 2", "Item 3", "Item 4", "Item 50"])
      #expect(conflicts.objects.map(\.properties) == [["title"], [], [], [], []])
      let first = conflicts.objects[0]
      #expect(first.base(as: Item.self)?.title == "title 1")
      #expect(first.mine(as: Item.self)?.title == "mine")
      #expect(first.theirs(as: Item.self)?.title == "theirs")
      #expect(conflicts.objects[2].theirs(as: Item.self) == nil)
      #expect(conflicts.objects[3].mine(as: Item.self) == nil)
      #expect(conflicts.objects[4].base(as: Item.self) == nil)
      #expect("\(conflicts)".contains("Item 1 (title)"))
      #expect(try place.content == before)
      #expect(draft.changes.count == 6)
    }
  }

  // DRAFT-9
  @Test func otherPropertiesAreMerged() throws {
    for engine in EngineDescription.all {
      let (place, draft) = try changed(engine)
      let conflicts = try #require(throws: DraftConflicts.self) { try draft.save(onConflict: .mergeProperties) }
      #expect(conflicts.objects.map(\.id.description) == ["Item 1", "Item 3", "Item 4", "Item 50"])
      for object in conflicts.objects {
        let theirs = object.theirs(as: Item.self)
        try draft.reset(Item.self, object.id, to: theirs)
      }
      try draft.save(onConflict: .mergeProperties)
      let items = try place.store.fetch(Item.all)
      #expect(items.first { $0.id == 2 }?.title == "mine")
      #expect(items.first { $0.id == 2 }?.ratio == 100)
      #expect(items.first { $0.id == 1 }?.title == "theirs")
      #expect(items.first { $0.id == 5 }?.title == "mine")
    }
  }

  // DRAFT-9
  @Test func sameChangesAreNoConflictOfAMerge() throws {
    let place = try Place(.memory)
    try place.fill()
    let draft = Draft(on: place.store)
    draft[Item.self, 1]?.title = "both"
    try draft.delete(Item.self, 2)
    try draft.insert(Item(60, "both"))
    try place.store.write { tx in
      try tx.update(Item.self, 1) { $0.title = "both" }
      try tx.delete(Item.self, 2)
      try tx.insert(Item(60, "both"))
    }
    let before = try place.content
    try draft.save(onConflict: .mergeProperties)
    #expect(try place.content == before)
    #expect(!draft.hasChanges)
  }

  // DRAFT-9
  @Test func overwritingStoresTheDraft() throws {
    for engine in EngineDescription.all {
      let (place, draft) = try changed(engine)
      let overlay = try draft.fetch(Item.all)
      try draft.save(onConflict: .overwrite)
      #expect(try place.store.fetch(Item.all) == overlay)
      #expect(try place.store.get(Item.self, 2)?.ratio == 1)
      #expect(try !place.store.exists(Item.self, 4))
    }
  }

  // DRAFT-2
  @Test func theBaseIsWhatWasReadFirst() throws {
    let place = try Place(.memory)
    try place.fill()
    let draft = Draft(on: place.store)
    let shown = try #require(try draft.get(Item.self, 1))
    try place.store.update(Item.self, 1) { $0.ratio = 9 }
    var edited = shown
    edited.title = "mine"
    draft[Item.self, 1] = edited
    #expect(throws: DraftConflicts.self) { try draft.save() }
    try draft.save(onConflict: .mergeProperties)
    #expect(try place.store.get(Item.self, 1)?.ratio == 9)
    // Read by a query: the object that was read is given.
    let listed = try draft.fetch(Item.all)[1]
    try place.store.update(Item.self, 2) { $0.ratio = 9 }
    var other = listed
    other.title = "mine"
    try draft.update(other, from: listed)
    #expect(throws: DraftConflicts.self) { try draft.save() }
  }

  // DRAFT-10
  @Test(arguments: ["memory", "sqlite", "lmdb"]) @MainActor
  func staleObjectsFollowCommits(_ name: String) async throws {
    let engine = try #require(EngineDescription.all.first { $0.name == name })
    let place = try Place(engine)
    try place.fill()
    let store = place.store
    let draft = Draft(on: store)
    draft[Item.self, 1]?.title = "mine"
    _ = draft[Item.self, 2]
    #expect(draft.stale.isEmpty)
    try await store.update(Item.self, 1) { $0.ratio = 77 }
    try await store.update(Item.self, 3) { $0.ratio = 77 }
    try await until { draft.stale == [try ObjectID(Item.self, 1)] }
    try await store.delete(Item.self, 2)
    try await until { draft.stale.count == 2 }
    // As it was: no longer stale.
    try await store.update(Item.self, 1) { $0.ratio = 0.5 }
    try await until { draft.stale == [try ObjectID(Item.self, 2)] }
    try await draft.save()
    #expect(draft.stale.isEmpty)
    #expect(draft.staleError == nil)
    #expect(try await store.get(Item.self, 1)?.title == "mine")
    draft[Item.self, 3]?.title = "mine"
    try await draft.save()
    #expect(draft.stale.isEmpty)
  }

  // DRAFT-10
  @Test @MainActor func staleObjectsAreFoundAfterCommitsOfOthers() async throws {
    let engine = EngineDescription.all[2]
    let place = try Place(engine)
    try place.fill()
    let draft = Draft(on: place.store)
    draft[Shelf.self, 1]?.name = "mine"
    #expect(draft.stale.isEmpty)
    let other = try Store(
      models: [Shelf.self, Item.self], in: engine.provider(at: engine.path(in: place.folder.path)))
    try await other.update(Shelf.self, 1) { $0.name = "theirs" }
    try await until { draft.stale == [try ObjectID(Shelf.self, 1)] }
    try other.close()
  }

  // DRAFT-11
  @Test @MainActor func aDraftSavesItselfWhenAsked() async throws {
    let place = try Place(.memory)
    try place.fill()
    let store = place.store
    let draft = Draft(on: store, autosave: .after(.milliseconds(20)))
    draft[Item.self, 1]?.title = "saved"
    try await until { try store.get(Item.self, 1)?.title == "saved" }
    try await until { !draft.hasChanges }
    draft[Item.self, 1]?.code = "c2"
    try await until { draft.error != nil }
    #expect((draft.error as? StorageError)?.code == .uniqueViolation)
    draft[Item.self, 1]?.code = "free"
    try await until { try store.get(Item.self, 1)?.code == "free" }
  }

  // DRAFT-8
  @Test @MainActor func editsDuringASaveStay() async throws {
    let place = try Place(.memory)
    try place.fill()
    let store = place.store
    let draft = Draft(on: store)
    draft[Item.self, 1]?.title = "first"
    let gate = Gate()
    let blocker = Task.detached { try await store.write { _ in gate.pass() } }
    try await until { gate.isReached }
    var isSaving = false
    let saving = Task { @MainActor in
      isSaving = true
      try await draft.save()
    }
    try await until { isSaving }
    draft[Item.self, 1]?.count = 55
    draft[Item.self, 2]?.title = "second"
    #expect(code { try { () throws in try draft.save() }() } == .reentrant)
    gate.open()
    try await blocker.value
    try await saving.value
    #expect(try await store.get(Item.self, 1)?.title == "first")
    #expect(draft.changes.map(\.id.description).sorted() == ["Item 1", "Item 2"])
    #expect(draft.changes.first { $0.id.key == 1 }?.properties.map(\.name) == ["count"])
    try await draft.save()
    #expect(try await store.get(Item.self, 1)?.count == 55)
  }

  @MainActor private func until(_ condition: () throws -> Bool) async throws {
    for _ in 0..<500 {
      if try condition() { return }
      try await Task.sleep(for: .milliseconds(10))
    }
    Issue.record("it did not happen within 5 seconds")
  }
}

/// A place where a thread waits until it is let on.
private final class Gate: Sendable {
  private let reached = Mutex(false)
  private let semaphore = DispatchSemaphore(value: 0)

  var isReached: Bool { reached.withLock { $0 } }

  func pass() {
    reached.withLock { $0 = true }
    semaphore.wait()
  }

  func open() { semaphore.signal() }
}

extension Draft {
  /// Gives an object of a conflict up.
  fileprivate func reset<M: Model>(_ type: M.Type, _ id: ObjectID, to theirs: M?) throws where M.PrimaryKey == Int {
    guard case .int(let key) = id.key else { return }
    self[M.self, Int(key)] = theirs
  }
}
