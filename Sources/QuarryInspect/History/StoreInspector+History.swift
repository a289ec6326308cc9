public import Foundation
public import QuarryBackend
public import QuarryCore

extension StoreInspector {
  /// The number of change sets after which a page of few hits ends.
  static var setsExamined: Int { 2_000 }

  /// Whether the store keeps a history.
  public var keepsHistory: Bool {
    get throws { try store.history.isOn }
  }

  /// The change sets of a request, the newest first.
  ///
  /// - Parameters:
  ///   - request: The change sets that are asked for.
  ///   - deadline: The instant by which they are read: a request that would take longer is refused.
  /// - Throws: `notFound` where the store keeps no history; `invalidQuery` for an unknown model; `limitExceeded` past the
  ///   deadline or for a limit out of range; `corrupt`, `io`.
  /// - Complexity: O(n) in the bytes of the change sets that are read: at most ``setsExamined`` of them.
  public func history(_ request: HistoryRequest, until deadline: Deadline = .never) throws -> InspectedHistory {
    guard (1...HistoryRequest.mostSets).contains(request.limit) else {
      throw StorageError.limitExceeded("change sets of a page", limit: HistoryRequest.mostSets, actual: request.limit)
    }
    if let model = request.model { _ = try store.model(named: model) }
    var sets: [InspectedChangeSet] = []
    var last: HistoryPosition?
    var examined = 0
    var hasMore = false
    try store.history.forEachNewestFirst(before: request.before) { set in
      try deadline.requireTime()
      guard sets.count < request.limit, examined < Self.setsExamined else {
        hasMore = true
        return false
      }
      examined += 1
      last = set.position
      if let found = try inspected(set, request) { sets.append(found) }
      return true
    }
    return InspectedHistory(sets: sets, next: hasMore ? last : nil)
  }

  /// The change set at a position.
  ///
  /// - Parameter most: The number of changes that are read.
  /// - Throws: `notFound` where there is none; `corrupt`, `io`.
  public func changeSet(at position: HistoryPosition, most: Int = 500) throws -> InspectedChangeSet {
    let request = HistoryRequest(changes: most)
    let set = try store.history.set(at: position)
    guard let found = try inspected(set, request) else {
      throw StorageError(.notFound, "the history has no change set at position \(position)")
    }
    return found
  }

  /// Undoes a change set by a new write.
  ///
  /// - Parameter date: The date of the change set as it was read, so that no other one at this position is undone.
  /// - Returns: The outcome: a conflict has all objects that are in the way, and changes nothing.
  /// - Throws: `notFound` for a change set that was removed, or whose changes are not known; `missingReference`, `referenced`,
  ///   `uniqueViolation` where later writes are in the way; `readOnly`, `busy`.
  public func undo(_ position: HistoryPosition, dated date: Date) throws -> UndoOutcome {
    try requireWriting()
    let set = try store.history.set(at: position)
    guard set.date == date else {
      throw StorageError(.notFound, "the history of the store has another change set at position \(position)")
    }
    do {
      guard let undone = try store.undo(set, author: author) else { return .unchanged }
      return .undone(undone)
    } catch {
      guard let error = error as? StorageError, error.code == .conflict, let found = error.cause as? HistoryConflicts
      else { throw error }
      return .conflict(found.objects)
    }
  }

  /// A change set as the request asks for it; nil where it has nothing of the request.
  private func inspected(_ set: HistorySet, _ request: HistoryRequest) throws -> InspectedChangeSet? {
    func isAsked(_ model: String) -> Bool { request.model.map { $0.utf8.elementsEqual(model.utf8) } ?? true }
    var unknown: [String] = []
    var changes: [InspectedChangeSet.Change] = []
    var count = 0
    for model in set.isUnknown ? [] : set.models where isAsked(model) {
      guard !set.isUnknown(model), let schema = try? store.model(named: model) else {
        unknown.append(model)
        continue
      }
      for change in try set.changes(in: model) where request.key.map({ $0 == change.key }) ?? true {
        count += 1
        if changes.count < request.changes { changes.append(Self.inspected(change, schema)) }
      }
    }
    guard set.isUnknown || count > 0 || !unknown.isEmpty else { return nil }
    return InspectedChangeSet(
      position: set.position, date: set.date, author: set.author, isUnknown: set.isUnknown, unknownModels: unknown,
      changes: changes, count: count)
  }

  private static func inspected(_ change: HistoryRecord, _ model: ModelSchema) -> InspectedChangeSet.Change {
    let whole = change.new ?? change.old
    let names = change.kind == .update ? change.properties : model.liveProperties.map(\.name)
    return InspectedChangeSet.Change(
      model: model.name, key: change.key, kind: change.kind, title: whole.flatMap { title(of: $0, model) },
      fields: names.map { name in
        InspectedChangeSet.Change.Field(property: name, old: change.old?[name], new: change.new?[name])
      })
  }
}
