import ArgumentParser
import QuarryBackend
import QuarryCore
import QuarryEngines

struct CompactCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "compact", abstract: "Releases the free space in a store.",
    discussion: """
      Prints the bytes of the store before and after. With --checksums, a store that was created without checksums gets \
      them: it is rewritten, and damage is then detected instead of being read as data. The store must not be open \
      anywhere.
      """)

  @OptionGroup var store: StoreArgument

  @Flag(help: "Also adds checksums to a store that has none.")
  var checksums = false

  func run() throws {
    if checksums { try Store.addChecksums(store.url) }
    let store = try store.open(.changing)
    defer { try? store.close() }
    let before = try store.statistics().bytes
    try store.compact()
    let after = try store.statistics().bytes
    guard let before, let after else { return try StandardOutput.print("compacted") }
    try StandardOutput.print("compacted \(before) bytes to \(after)")
  }
}
