import ArgumentParser
import QuarryBackend
import QuarryCore
import QuarryEngines

struct DiffCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "diff", abstract: "Lists the differences between two stores, of the same or different engines.",
    discussion: """
      Prints a line for each difference: "- Book 7" is only in the first store, "+ Book 7" only in the second, and "! \
      Book 7: title 'A' → 'B'" has other values in the second. Different models, properties and indexes come before the \
      objects. The exit code is 0 if the stores are equal, else 1.
      """)

  @OptionGroup var store: StoreArgument

  @Argument(
    help: ArgumentHelp("The store to compare with.", valueName: "other"))
  var other: StorePlace

  @OptionGroup var otherKey: OtherKeyOptions

  @Option(help: ArgumentHelp("The maximum number of differences.", valueName: "count"))
  var limit: Int?

  func validate() throws {
    _ = try other.url
    if let limit, limit < 1 { throw ValidationError("--limit is below 1") }
  }

  func run() throws {
    let first = try store.open(.checking)
    defer { try? first.close() }
    let second = try other.url.open(.checking, otherKey.encryption())
    defer { try? second.close() }
    let sink = StandardOutput.sink()
    var count = 0
    try first.forEachDifference(from: second) { difference in
      count += 1
      try sink.write(difference.description.escapedForDisplay + "\n")
      return count != limit
    }
    if count == limit { try sink.write("there may be more\n") }
    try sink.flush()
    if count > 0 { throw ExitCode.failure }
  }
}
