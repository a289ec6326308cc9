import ArgumentParser
import QuarryBackend
import QuarryCore
import QuarrySync

/// The models that a command syncs.
struct SyncedModels: ParsableArguments {
  @Option(name: .customLong("model"), help: ArgumentHelp("A model to sync; all without it.", valueName: "model"))
  var models: [String] = []

  @Option(
    name: .customLong("natural-key"),
    help: ArgumentHelp("A model whose integer keys mean the same object in every store.", valueName: "model"))
  var naturalKeys: [String] = []

  var isEmpty: Bool { models.isEmpty && naturalKeys.isEmpty }

  /// Checks that sync could be turned on in a store, and changes nothing. A store without models gets those of another one.
  func check(_ store: Store) throws {
    let all = try store.models().map(\.name)
    if !all.isEmpty { try store.checkSync(named: named(in: store, all), naturalKeys: naturalKeys) }
  }

  private func named(in store: Store, _ all: [String]) throws -> [String] {
    try store.hasSyncRecords() || !models.isEmpty ? models : all
  }

  /// Turns sync on, or continues it.
  ///
  /// - Parameters:
  ///   - all: The models of a store that is not synced yet and of which none is named.
  ///   - other: A store whose merge rules models have that are new to this one.
  func enable(_ store: Store, all: [String], like other: Store? = nil) throws {
    let named = try named(in: store, all)
    if let other {
      try store.enableSync(named: named, naturalKeys: naturalKeys, like: other)
    } else {
      try store.enableSync(named: named, naturalKeys: naturalKeys)
    }
  }
}

/// A token in a file, and how a server is reached.
struct RemoteOptions: ParsableArguments {
  @Option(
    name: .customLong("token-file"),
    help: ArgumentHelp("A file with the token, one line, that server and clients share.", valueName: "file"))
  var tokenFile: String?

  @Flag(
    name: .customLong("plain-http"),
    help: "Allows HTTP without TLS between machines, for a network that is private or a proxy with TLS.")
  var allowsPlainText = false

  static func isURL(_ text: String) -> Bool {
    let lower = text.lowercased()
    return lower.hasPrefix("http://") || lower.hasPrefix("https://")
  }

  static var missing: StorageError {
    StorageError(
      .unsupported,
      "this quarry was built without sync over HTTP: scripts/studio --build builds one with it (the trait HTTP)")
  }
}
