import Foundation
import Quarry
import QuarryEngines

/// The fifth shape: where and how the objects are kept is a value, made of a program's settings.
struct NoteConfiguration: Sendable {
  enum Engine: String, Sendable, CaseIterable {
    case memory, file, sqlite, lmdb
  }

  var engine: Engine = .sqlite
  var folder = FileManager.default.temporaryDirectory
  var name = "notes"
  var isReadOnly = false
  /// What a commit survives; the engine's own when nil.
  var durability: BackendManifest.Durability?
  /// Seconds that a write waits for the writer before it.
  var timeout: Double = 5

  /// The settings of the environment: `NOTES_ENGINE=lmdb NOTES_FOLDER=/srv/notes`.
  ///
  /// - Throws: ``UnknownEngine``.
  init(environment: [String: String]) throws {
    if let text = environment["NOTES_ENGINE"] {
      guard let engine = Engine(rawValue: text) else { throw UnknownEngine(name: text) }
      self.engine = engine
    }
    if let path = environment["NOTES_FOLDER"] { folder = URL(fileURLWithPath: path, isDirectory: true) }
    isReadOnly = environment["NOTES_READ_ONLY"] == "1"
  }

  var storeConfiguration: StoreConfiguration {
    var options = OpenOptions()
    options.isReadOnly = isReadOnly
    options.durability = durability
    options.busyTimeout = timeout
    let path = folder.appending(path: name).path
    let provider: any BackendProvider =
      switch engine {
      case .memory: .memory
      case .file: .flatFile(at: path + ".quarry")
      case .sqlite: .sqlite(at: path + ".db")
      case .lmdb: .lmdb(at: path + ".lmdb")
      }
    return StoreConfiguration(provider, options: options)
  }

  func open() throws -> Store {
    try Store(for: Note.self, configuration: storeConfiguration)
  }
}

struct UnknownEngine: Error, Equatable {
  var name: String
}
