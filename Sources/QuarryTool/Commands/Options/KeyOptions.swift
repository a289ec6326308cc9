import ArgumentParser
import Foundation
import QuarryBackend
import QuarryEncryption

/// The source of a command's key. A key itself is never an argument, because other users of the machine can read arguments.
struct KeySource {
  var file: String?
  var name: String?

  var isNamed: Bool { file != nil || name != nil }

  /// The key; nil where none is named.
  func key() throws(StorageError) -> EncryptionKey? {
    if let file { return try KeyFile.key(at: file) }
    if let name { return try FileKeyStore().key(named: name) }
    return nil
  }
}

/// Two options that name one key: by its file or by its name in the key store.
protocol KeyNaming: ParsableArguments {
  /// The prefix of `key-file` in the names of the options.
  static var kind: String { get }
  var source: KeySource { get }
}

extension KeyNaming {
  func validate() throws {
    if source.file != nil && source.name != nil {
      throw ValidationError("--\(Self.kind)key-file and --\(Self.kind)key-store exclude each other")
    }
  }

  /// The key; nil where none is named.
  func key() throws(StorageError) -> EncryptionKey? { try source.key() }

  func encryption() throws(StorageError) -> Encryption? { try key().map { Encryption($0) } }
}

/// The key of the store that a command works on.
struct KeyOptions: KeyNaming {
  @Option(
    help: ArgumentHelp(
      "The file with the key of an encrypted store; by default the file that QUARRY_KEY_FILE names.", valueName: "file")
  )
  var keyFile: String?

  @Option(
    help: ArgumentHelp("The name of its key in the key store; \"quarry key list\" prints the names.", valueName: "name")
  )
  var keyStore: String?

  static let kind = ""

  var source: KeySource {
    let named = KeySource(file: keyFile, name: keyStore)
    if named.isNamed { return named }
    return KeySource(file: ProcessInfo.processInfo.environment["QUARRY_KEY_FILE"].flatMap { $0.isEmpty ? nil : $0 })
  }

  /// The options as arguments of another command.
  var arguments: [String] {
    (keyFile.map { ["--key-file", $0] } ?? []) + (keyStore.map { ["--key-store", $0] } ?? [])
  }

  /// The key, where a command does nothing without one.
  ///
  /// - Throws: `keyRequired` when none is named.
  func requiredKey() throws(StorageError) -> EncryptionKey {
    guard let key = try key() else {
      throw StorageError(.keyRequired, "name the key by --key-file, --key-store or QUARRY_KEY_FILE")
    }
    return key
  }
}

/// The key that a store has from now on.
struct NewKeyOptions: KeyNaming {
  @Option(help: ArgumentHelp("The file with the new key.", valueName: "file"))
  var newKeyFile: String?

  @Option(help: ArgumentHelp("The name of the new key.", valueName: "name"))
  var newKeyStore: String?

  static let kind = "new-"
  var source: KeySource { KeySource(file: newKeyFile, name: newKeyStore) }
}

/// The key of the store that a copy is created in.
struct DestinationKeyOptions: KeyNaming {
  @Option(help: ArgumentHelp("The file with the key of the copy; without a key the copy is plain.", valueName: "file"))
  var toKeyFile: String?

  @Option(help: ArgumentHelp("The name of the key of the copy.", valueName: "name"))
  var toKeyStore: String?

  static let kind = "to-"
  var source: KeySource { KeySource(file: toKeyFile, name: toKeyStore) }
}

/// The key of the second store of a comparison.
struct OtherKeyOptions: KeyNaming {
  @Option(help: ArgumentHelp("The file with the key of the other store.", valueName: "file"))
  var otherKeyFile: String?

  @Option(help: ArgumentHelp("The name of the key of the other store.", valueName: "name"))
  var otherKeyStore: String?

  static let kind = "other-"
  var source: KeySource { KeySource(file: otherKeyFile, name: otherKeyStore) }
}
