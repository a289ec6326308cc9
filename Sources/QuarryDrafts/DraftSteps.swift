import QuarryBackend
import QuarryCore

/// The change of one object in a step of a draft.
struct DraftEdit {
  let table: any AnyDraftTable
  let key: Key
  let before: Version?
  let after: Version?

  func undo(number: Int) throws(StorageError) { try table.set(before, key, number: number) }
  func redo(number: Int) throws(StorageError) { try table.set(after, key, number: number) }
}

/// The steps that a draft can undo and redo: the newest ones, up to a bound.
struct DraftSteps {
  private let limit: Int
  private var done: [[DraftEdit]] = []
  private var undone: [[DraftEdit]] = []
  /// The step that collects edits, and the calls inside each other that collect.
  private var open: [DraftEdit] = []
  private var depth = 0

  init(limit: Int) {
    self.limit = max(0, limit)
  }

  var canUndo: Bool { !done.isEmpty || !open.isEmpty }
  var canRedo: Bool { !undone.isEmpty }

  mutating func add(_ edit: DraftEdit) {
    open.append(edit)
    undone = []
    if depth == 0 { close() }
  }

  mutating func begin() { depth += 1 }

  mutating func end() {
    depth -= 1
    if depth == 0 { close() }
  }

  private mutating func close() {
    guard !open.isEmpty else { return }
    done.append(open)
    open = []
    if done.count > limit { done.removeFirst(done.count - limit) }
  }

  /// The newest step, which is undone by the caller.
  mutating func takeBack() -> [DraftEdit]? {
    close()
    guard let step = done.popLast() else { return nil }
    undone.append(step)
    return step.reversed()
  }

  mutating func takeAgain() -> [DraftEdit]? {
    guard let step = undone.popLast() else { return nil }
    done.append(step)
    return step
  }

  mutating func clear() {
    done = []
    undone = []
    open = []
  }
}
