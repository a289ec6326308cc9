import ArgumentParser
import QuarryBackend
import QuarryCore
import QuarryEngines

struct DiffCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "diff", abstract: "Lists what differs between two stores, of whatever engines.",
    discussion: """
      A line for each: "- Book 7" is in the first store alone, "+ Book 7" in the second, "! Book 7: title 'A' → 'B'" has \
      other values there. Models, properties and indexes that differ come before the objects. Exit code 0 when the stores \
      have the same, 1 when they differ.
      """)

  @OptionGroup var store: StoreArgument

  @Argument(
    help: ArgumentHelp("The store that it is compared with.", valueName: "other"),
    transform: { try StoreURL(argument: $0) })
  var other: StoreURL

  @OptionGroup var otherKey: OtherKeyOptions

  @Option(help: ArgumentHelp("How many differences are listed at most.", valueName: "count"))
  var limit: Int?

  func validate() throws {
    if let limit, limit < 1 { throw ValidationError("--limit is below 1") }
  }

  func run() throws {
    let first = try store.open(.checking)
    defer { try? first.close() }
    let second = try other.open(.checking, otherKey.encryption())
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
