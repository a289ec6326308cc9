import ArgumentParser
import Foundation
import QuarryBackend
import QuarryEncryption

/// Where a command finds a key. A key itself never stands in an argument, which other users of the machine can read.
struct KeySource {
  var file: String?
  var name: String?

  /// - Parameter kind: What stands before `key-file` in the names of the options.
  func validate(_ kind: String = "") throws {
    if file != nil && name != nil {
      throw ValidationError("--\(kind)key-file and --\(kind)key-store are two keys: give one")
    }
  }

  /// The key; nil where none is named.
  func key() throws(StorageError) -> EncryptionKey? {
    if let file { return try KeyFile.key(at: file) }
    if let name { return try FileKeyStore().key(named: name) }
    return nil
  }
}

/// The key of the store that a command works on.
struct KeyOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The file with the key of an encrypted store; what QUARRY_KEY_FILE names when left out.", valueName: "file"))
  var keyFile: String?

  @Option(help: ArgumentHelp("The name of its key, as \"quarry key list\" has it.", valueName: "name"))
  var keyStore: String?

  private var source: KeySource {
    let isNamed = keyFile != nil || keyStore != nil
    let variable = ProcessInfo.processInfo.environment["QUARRY_KEY_FILE"].flatMap { $0.isEmpty ? nil : $0 }
    return KeySource(file: isNamed ? keyFile : variable, name: keyStore)
  }

  func validate() throws { try source.validate() }

  func key() throws(StorageError) -> EncryptionKey? { try source.key() }

  func encryption() throws(StorageError) -> Encryption? { try key().map { Encryption($0) } }

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

/// The key of the store that a copy is made in.
struct DestinationKeyOptions: ParsableArguments {
  @Option(help: ArgumentHelp("The file with the key that the copy gets; it is plain without one.", valueName: "file"))
  var toKeyFile: String?

  @Option(help: ArgumentHelp("The name of the key that the copy gets.", valueName: "name"))
  var toKeyStore: String?

  private var source: KeySource { KeySource(file: toKeyFile, name: toKeyStore) }

  func validate() throws { try source.validate("to-") }

  func encryption() throws(StorageError) -> Encryption? { try source.key().map { Encryption($0) } }
}

/// The key of the second store of a comparison.
struct OtherKeyOptions: ParsableArguments {
  @Option(help: ArgumentHelp("The file with the key of the other store.", valueName: "file"))
  var otherKeyFile: String?

  @Option(help: ArgumentHelp("The name of the key of the other store.", valueName: "name"))
  var otherKeyStore: String?

  private var source: KeySource { KeySource(file: otherKeyFile, name: otherKeyStore) }

  func validate() throws { try source.validate("other-") }

  func encryption() throws(StorageError) -> Encryption? { try source.key().map { Encryption($0) } }
}
