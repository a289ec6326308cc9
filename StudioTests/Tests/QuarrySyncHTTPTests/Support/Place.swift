import Foundation
import QuarryBackend
import QuarryCore
import QuarryEngines
import QuarrySync

/// Notes in folders: unique names, a value with a way out, and a reference.
enum NoteModels {
  static let all = [folder, note]

  static let folder = ModelSchema(
    name: "Folder",
    properties: [PropertySchema(name: "id", type: .uuid), PropertySchema(name: "name", type: .string)],
    primaryKey: 0, indexes: [IndexSchema(name: "Folder_name", columns: [.init(slot: 1)], isUnique: true)])

  static let note = ModelSchema(
    name: "Note",
    properties: [
      PropertySchema(name: "id", type: .uuid), PropertySchema(name: "title", type: .string),
      PropertySchema(name: "text", type: .string, isOptional: true),
      PropertySchema(
        name: "folder", type: .uuid, isOptional: true, reference: .init(to: "Folder", deleteRule: .nullify)),
    ], primaryKey: 0, indexes: [IndexSchema(name: "Note_folder", columns: [.init(slot: 3)])])

  /// Keys that several stores use, so that inserts meet.
  static func key(_ number: Int) -> Value {
    .uuid(UUID(uuid: (0, 0, 0, 0, 0, 0, 0x70, 0, 0x80, 0, 0, 0, 0, 0, UInt8(number >> 8), UInt8(number & 255))))
  }
}

/// A place at which a synced store is opened and closed.
final class Place: @unchecked Sendable {
  static let schemes = ["memory", "file", "sqlite", "lmdb"]

  private(set) var store: Store
  private let url: StoreURL
  private let folder: URL

  private static func locate(_ scheme: String) throws -> (URL, StoreURL) {
    let folder = FileManager.default.temporaryDirectory.appending(path: "sync-http-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let text = scheme == "memory" ? "memory:\(UUID())" : "\(scheme):\(folder.path)/store"
    return (folder, try StoreURL(parsing: text))
  }

  /// A store of a model that a program declares.
  init<M: Model>(_ scheme: String, for type: M.Type) throws {
    (folder, url) = try Self.locate(scheme)
    store = try Store(for: M.self, in: url)
    try store.enableSync(M.self)
  }

  init(_ scheme: String, models: [ModelSchema] = NoteModels.all) throws {
    (folder, url) = try Self.locate(scheme)
    store = try Store(opening: url)
    try store.write { tx in
      for model in models { try tx.apply(.createModel(model)) }
    }
    try store.enableSync(named: models.map(\.name))
  }

  /// Opens a store that several openings share.
  ///
  /// - Parameters:
  ///   - models: The models to make; none where another opening has made them.
  ///   - role: What the store becomes.
  init(opening url: StoreURL, making models: [ModelSchema] = [], as role: SyncRole? = nil) throws {
    folder = FileManager.default.temporaryDirectory.appending(path: "sync-http-\(UUID())")
    self.url = url
    store = try Store(opening: url)
    if !models.isEmpty {
      try store.write { tx in
        for model in models { try tx.apply(.createModel(model)) }
      }
    }
    try store.enableSync(named: models.map(\.name), as: role)
  }

  deinit {
    try? store.close()
    try? FileManager.default.removeItem(at: folder)
  }

  /// Closes the store, changes its file and opens it again.
  func reopen(_ change: (_ file: URL, _ backup: URL) throws -> Void) throws {
    try store.close()
    try change(folder.appending(path: "store"), folder.appending(path: "backup"))
    store = try Store(opening: url)
    try store.enableSync()
  }

  var sync: StoreSync {
    get throws {
      guard let sync = store.sync else { throw StorageError(.notFound, "the store is not synced") }
      return sync
    }
  }

  func note(_ number: Int, _ title: String, folder: Int? = nil) throws {
    try store.records.upsert(
      into: "Note",
      [
        Record([
          "id": NoteModels.key(number), "title": .string(title), "folder": folder.map { NoteModels.key($0) } ?? .null,
        ])
      ])
  }

  func folder(_ number: Int, _ name: String) throws {
    try store.records.upsert(into: "Folder", [Record(["id": NoteModels.key(number), "name": .string(name)])])
  }

  func insert(_ records: [Record]) throws { try store.records.insert(into: "Note", records) }

  func delete(_ model: String, _ number: Int) throws {
    try store.records.delete(in: model, keys: [NoteModels.key(number)])
  }

  func count(_ model: String) throws -> Int { try store.records.fetch(in: model).count }

  /// Writes something at random. What the store refuses is no matter.
  func write(_ random: inout some RandomNumberGenerator) throws {
    let number = Int.random(in: 0..<6, using: &random)
    let word = ["red", "blue", "gold", "pink"].randomElement(using: &random) ?? ""
    do {
      switch Int.random(in: 0..<6, using: &random) {
      case 0: try folder(number, word)
      case 1: try store.records.delete(in: "Folder", keys: [NoteModels.key(number)])
      case 2: try store.records.delete(in: "Note", keys: [NoteModels.key(number)])
      default: try note(number, word, folder: Bool.random(using: &random) ? number : nil)
      }
    } catch let error as StorageError {
      let expected: [StorageError.Code] = [.uniqueViolation, .duplicateKey, .missingReference, .referenced, .notFound]
      guard expected.contains(error.code) else { throw error }
    }
  }
}

/// Random numbers that are the same for the same seed.
struct Seeded: RandomNumberGenerator {
  private var state: UInt64

  init(_ seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 | 1 }

  mutating func next() -> UInt64 {
    state ^= state << 13
    state ^= state >> 7
    state ^= state << 17
    return state
  }
}
