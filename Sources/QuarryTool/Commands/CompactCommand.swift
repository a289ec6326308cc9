import ArgumentParser
import QuarryBackend
import QuarryCore
import QuarryEngines

struct CompactCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "compact", abstract: "Gives the free space in a store back.",
    discussion: "Prints the bytes of the store before and after.")

  @OptionGroup var store: StoreArgument

  func run() throws {
    let store = try store.open(.changing)
    defer { try? store.close() }
    let before = try store.statistics().bytes
    try store.compact()
    let after = try store.statistics().bytes
    guard let before, let after else { return try StandardOutput.print("compacted") }
    try StandardOutput.print("compacted \(before) bytes to \(after)")
  }
}
