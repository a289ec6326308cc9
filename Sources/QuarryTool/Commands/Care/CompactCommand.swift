import ArgumentParser
import QuarryBackend
import QuarryCore
import QuarryEngines

struct CompactCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "compact", abstract: "Gives the free space in a store back.",
    discussion: """
      Prints the bytes of the store before and after. With --checksums a store that nobody has open, and that was made \
      without checksums, gets them: it is written anew, and damage is found from then on before it is read as data.
      """)

  @OptionGroup var store: StoreArgument

  @Flag(help: "Gives the store checksums, too, where it has none.")
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
