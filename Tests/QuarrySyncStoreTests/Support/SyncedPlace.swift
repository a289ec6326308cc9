import Foundation
import QuarryBackend
import QuarryCore
import QuarryEngines
import QuarryTestSupport

@testable import QuarrySync

/// A place at which a synced store is opened, closed and opened again.
final class SyncedPlace {
  static let schemes = ["memory", "file", "sqlite", "lmdb"]

  let url: StoreURL
  let models: [ModelSchema]
  /// What the program declares of its models.
  private var declarations: [SyncDeclaration]
  private(set) var store: Store
  private let folder: ScratchFolder
  /// The path of a store that is a file.
  var path: String { folder.path + "/store" }

  init(
    _ scheme: String, models: [ModelSchema] = TeamModels.all, isSynced: Bool = true,
    declarations: [SyncDeclaration] = []
  ) throws {
    folder = try ScratchFolder(in: ScratchFolder.memory)
    self.models = models
    self.declarations = declarations
    let text = scheme == "memory" ? "memory:\(UUID().uuidString)" : "\(scheme):\(folder.path)/store"
    url = try StoreURL(parsing: text)
    store = try Store(program: models, in: url)
    if isSynced { try enable(declarations, models.map(\.name)) }
  }

  deinit { try? store.close() }

  var sync: StoreSync {
    get throws {
      guard let sync = store.sync else { throw StorageError(.notFound, "the store is not synced") }
      return sync
    }
  }

  /// Turns sync on, or continues it, as a program with these declarations does.
  func enable(_ declarations: [SyncDeclaration], _ models: [String] = []) throws {
    try store.turnSyncOn(models, [], nil, SyncKeeper.systemEnvironment, declarations)
  }

  /// Opens the store with other declarations.
  func reopen(declaring declarations: [SyncDeclaration]) throws {
    self.declarations = declarations
    try reopen()
  }

  func reopen() throws {
    guard url.engine.path == .path else { return }
    try store.close()
    try reopenClosed()
  }

  /// Opens the store again after it was closed.
  func reopenClosed() throws {
    store = try Store(program: models, in: url)
    try enable(declarations)
  }

  func insert(_ model: String, _ record: Record) throws {
    // Later by the clock than what was written before.
    Thread.sleep(forTimeInterval: 0.003)
    try store.records.insert(into: model, [record])
  }

  func update(_ model: String, _ key: Value, _ property: String, _ value: Value) throws {
    try store.records.upsert(into: model, [Record([("id", key), (property, value)])], updating: [property])
  }

  func delete(_ model: String, _ key: Value) throws { try store.records.delete(in: model, keys: [key]) }

  func rows(_ model: String) throws -> [Value: Record] {
    let records = try store.records.fetch(in: model)
    return Dictionary(records.compactMap { record in record["id"].map { ($0, record) } }) { first, _ in first }
  }

  func value(_ model: String, _ key: Value, _ property: String) throws -> Value? { try rows(model)[key]?[property] }
}
