import ArgumentParser
import QuarryBackend
import QuarryCore
import QuarryEncryption
import QuarryEngines

struct EncryptCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "encrypt", abstract: "Seals a plain store that nobody has open.",
    discussion: """
      The store is written anew and takes its place in one step: interrupted, it is as it was. What was plain on the disk \
      may be there still, in blocks that the file system has freed.
      """)

  @OptionGroup var store: StoreArgument

  func run() throws {
    try Store.encrypt(store.url, with: store.key.requiredKey())
    try StandardOutput.print("encrypted \(store.url.description.escapedForDisplay)")
  }
}

struct DecryptCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "decrypt", abstract: "Writes an encrypted store that nobody has open as a plain one.")

  @OptionGroup var store: StoreArgument

  func run() throws {
    try Store.decrypt(store.url, with: store.key.requiredKey())
    try StandardOutput.print("decrypted \(store.url.description.escapedForDisplay)")
  }
}

struct RekeyCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "rekey", abstract: "Changes the key of an encrypted store.",
    discussion: """
      Everything is sealed anew, so that who kept an old copy of the store and the old key reads nothing that the store has \
      now. --wrapping-only is done at once and does not protect from that.
      """)

  @OptionGroup var store: StoreArgument

  @OptionGroup var newKey: NewKeyOptions

  @Flag(help: "Wraps the store's own key anew and nothing else.")
  var wrappingOnly = false

  func validate() throws {
    if !newKey.source.isNamed { throw ValidationError("name the new key: --new-key-file") }
  }

  func run() throws {
    guard let key = try newKey.key() else { throw StorageError(.keyRequired, "no new key was named") }
    let opened = try store.open(.changing)
    defer { try? opened.close() }
    try opened.rekey(to: key, wrappingOnly ? .wrappingOnly : .full)
    try StandardOutput.print("changed the key of \(store.url.description.escapedForDisplay)")
  }
}
