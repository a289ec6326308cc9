public import QuarryBackend
public import QuarryCore
import QuarryQuery

/// A store as a person browses and edits it: by the names of models and properties, on any engine.
///
/// Each call is one transaction. None of them holds a table in memory.
///
/// ```swift
/// let inspector = StoreInspector(store)
/// let page = try inspector.page(PageRequest(model: "Book", condition: "year > 1970", order: "-year"))
/// ```
public struct StoreInspector: Sendable {
  /// The store.
  public let store: Store
  /// The name that writes have as their author in the history of the store.
  public let author: String?

  /// Whether every change is refused, whatever the store allows.
  public let isReadOnly: Bool

  /// An inspector of an open store.
  ///
  /// - Parameters:
  ///   - store: An open store.
  ///   - author: The name that the history keeps as the author of its writes; nil for none.
  ///   - isReadOnly: Whether every change is refused, whatever the store allows.
  public init(_ store: Store, author: String? = nil, isReadOnly: Bool = false) {
    self.store = store
    self.author = author
    self.isReadOnly = isReadOnly
  }

  /// Refuses a change where the inspector is for reading only. Each call that changes the store begins with it.
  ///
  /// - Throws: `readOnly`.
  public func requireWriting() throws(StorageError) {
    if isReadOnly { throw StorageError.openedForReading }
  }

  /// Writes with the author.
  func write<R>(_ body: (WriteTransaction) throws -> R) throws -> R {
    try requireWriting()
    return try store.write(alone: true) { tx in
      if tx.author == nil { tx.author = author }
      return try body(tx)
    }
  }

  /// The models of the store with their counts, in the order of their names.
  ///
  /// - Throws: `closed`, `io`, `corrupt`.
  /// - Complexity: O(n) in the number of objects for engines that keep no counts.
  public func models() throws -> [ModelSummary] {
    let statistics =
      store.manifest.capabilities[.statistics]?.isSupported == true ? try store.statistics().models : []
    return try store.read { tx in
      let models = try tx.models()
      return try models.map { model in
        let figures = statistics.first { $0.name.utf8.elementsEqual(model.name.utf8) }
        let objects = try figures?.rows ?? tx.records.count(QueryTree(model: model.name))
        return ModelSummary(
          schema: model, objects: objects, bytes: figures?.bytes, indexes: figures?.indexes ?? [],
          links: LinkRelation(model, among: models))
      }.sorted { $0.name < $1.name }
    }
  }

  /// Verifies the whole store and returns a sentence for each defect, none for a sound store.
  ///
  /// - Throws: As ``Store/check()``.
  public func check() throws -> [String] { try store.check() }
}
