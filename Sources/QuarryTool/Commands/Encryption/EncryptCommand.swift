import ArgumentParser
import QuarryBackend
import QuarryCore
import QuarryEncryption
import QuarryEngines

struct EncryptCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "encrypt", abstract: "Encrypts a plain store, which must not be open anywhere.",
    discussion: """
      The store is rewritten and replaced in one step: if the command is interrupted, the store is as it was. Plain data \
      may remain on the disk, in blocks that the file system has freed.
      """)

  @OptionGroup var store: StoreArgument

  func run() throws {
    try Store.encrypt(store.url, with: store.key.requiredKey())
    try StandardOutput.print("encrypted \(try store.url.description.escapedForDisplay)")
  }
}

struct DecryptCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "decrypt", abstract: "Decrypts an encrypted store, which must not be open anywhere.")

  @OptionGroup var store: StoreArgument

  func run() throws {
    try Store.decrypt(store.url, with: store.key.requiredKey())
    try StandardOutput.print("decrypted \(try store.url.description.escapedForDisplay)")
  }
}

struct RekeyCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "rekey", abstract: "Changes the key of an encrypted store.",
    discussion: """
      All data is sealed again under a new key: an old copy of the store and the old key do not open the new data. \
      --wrapping-only is quick and does not protect against that.
      """)

  @OptionGroup var store: StoreArgument

  @OptionGroup var newKey: NewKeyOptions

  @Flag(help: "Changes only the key that wraps the store's own key.")
  var wrappingOnly = false

  func validate() throws {
    if !newKey.source.isNamed { throw ValidationError("name the new key: --new-key-file") }
  }

  func run() throws {
    guard let key = try newKey.key() else { throw StorageError(.keyRequired, "no new key was given") }
    let opened = try store.open(.changing)
    defer { try? opened.close() }
    try opened.rekey(to: key, wrappingOnly ? .wrappingOnly : .full)
    try StandardOutput.print("changed the key of \(try store.url.description.escapedForDisplay)")
  }
}
