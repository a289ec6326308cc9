public import Foundation
public import QuarryBackend
public import QuarryCore

/// A change set of a store's history, as people read it.
public struct InspectedChangeSet: Sendable {
  /// The change of one object.
  public struct Change: Sendable {
    /// The value of a property before and after.
    public struct Field: Sendable {
      /// The name of the property.
      public let property: String
      /// The value before; nil where the object was inserted.
      public let old: Value?
      /// The value after; nil where the object was deleted.
      public let new: Value?
    }

    /// The model of the object.
    public let model: String
    /// The primary key.
    public let key: Value
    /// The kind of change to the object.
    public let kind: ChangeSet.Change.Kind
    /// The title of the object, where its model has one.
    public let title: String?
    /// The properties that differ; all of an object that was inserted or deleted.
    public let fields: [Field]
  }

  /// The place in the history.
  public let position: HistoryPosition
  /// The time of the write.
  public let date: Date
  /// The name that the write gave as its author.
  public let author: String?
  /// Whether anything may have changed.
  public let isUnknown: Bool
  /// The models of which any object may have changed.
  public let unknownModels: [String]
  /// The first changes, by models and keys.
  public let changes: [Change]
  /// The number of all changes.
  public let count: Int

  /// Whether the change set can be undone: all of its changes are known.
  public var isKnown: Bool { !isUnknown && unknownModels.isEmpty }
}

/// A request for change sets.
public struct HistoryRequest: Sendable, Hashable {
  /// The greatest number of change sets of a page.
  public static let mostSets = 200

  /// The model whose changes are read; nil for all.
  public var model: String?
  /// The key of the object whose changes are read; nil for all.
  public var key: Value?
  /// The position of the oldest change set that was read before; nil to begin with the newest.
  public var before: HistoryPosition?
  /// The number of change sets.
  public var limit: Int
  /// The number of changes that are read of each change set.
  public var changes: Int

  /// A request for the newest change sets.
  ///
  /// - Parameters:
  ///   - model: The model whose changes are asked for; nil for all.
  ///   - key: The primary key of the object whose changes are asked for; nil for all.
  ///   - before: The place before which the page begins; nil for the newest change sets.
  ///   - limit: The number of change sets of a page, from 1 to ``mostSets``.
  ///   - changes: The number of changes that are shown of each change set.
  public init(
    model: String? = nil, key: Value? = nil, before: HistoryPosition? = nil, limit: Int = 25, changes: Int = 10
  ) {
    self.model = model
    self.key = key
    self.before = before
    self.limit = limit
    self.changes = changes
  }
}

/// Change sets of a store, the newest first.
public struct InspectedHistory: Sendable {
  /// The change sets.
  public let sets: [InspectedChangeSet]
  /// The position before which older change sets are; nil where none remain.
  public let next: HistoryPosition?
}

/// The outcome of an undo.
public enum UndoOutcome: Sendable {
  /// The change set was undone by a new one, at this position.
  case undone(HistoryPosition)
  /// The objects are already as they were before the change set.
  case unchanged
  /// Nothing was changed, because later writes have changed these objects.
  case conflict([HistoryConflicts.Object])
}
