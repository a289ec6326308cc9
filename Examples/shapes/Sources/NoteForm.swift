import Foundation
import Observation
import Quarry
import QuarryDrafts

/// The sixth shape: a form that edits a note in a draft. Nothing is stored before the save, and nothing is locked.
@MainActor @Observable
final class NoteForm {
  let id: UUID
  /// The result of the last save that failed.
  private(set) var message: String?
  /// The names of the properties that others have changed too, after a save that failed for that.
  private(set) var conflicts: [String] = []
  private let draft: Draft

  init(_ store: Store, editing id: UUID) {
    self.id = id
    draft = Draft(on: store)
  }

  /// The fields of the form, for bindings of a view.
  var title: String {
    get { draft[Note.self, id]?.title ?? "" }
    set { draft[Note.self, id]?.title = newValue }
  }

  var stars: Int {
    get { draft[Note.self, id]?.stars ?? 0 }
    set { draft[Note.self, id]?.stars = newValue }
  }

  /// Exact: a field that is edited back is no change.
  var isDirty: Bool { draft.hasChanges }
  var canUndo: Bool { draft.canUndo }
  var canRedo: Bool { draft.canRedo }
  /// Whether others have changed the note since the form read it.
  var isStale: Bool { !draft.stale.isEmpty }

  /// The rule that the fields break, to show before a save.
  var problem: String? {
    do {
      try draft.validate()
      return nil
    } catch let error as StorageError {
      return error.cause?.localizedDescription ?? error.message
    } catch {
      return error.localizedDescription
    }
  }

  func undo() { draft.undo() }

  func redo() { draft.redo() }

  func cancel() {
    draft.rollback()
    (message, conflicts) = (nil, [])
  }

  /// Saves the fields: `.fail` asks where others have changed the note, `.mergeProperties` keeps both sides, `.overwrite` one.
  ///
  /// - Returns: Whether they are stored.
  func save(_ way: DraftConflict = .fail) async -> Bool {
    (message, conflicts) = (nil, [])
    do {
      try await draft.save(onConflict: way)
      return true
    } catch let error as DraftConflicts {
      conflicts = error.objects.flatMap(\.properties)
      message = "somebody else has changed this note"
    } catch {
      message = problem ?? error.localizedDescription
    }
    return false
  }
}
