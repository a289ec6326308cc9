import ArgumentParser
import QuarryBackend
import QuarryCore
import QuarryText

struct SearchCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "search", abstract: "Prints the objects whose texts have some words, the best first.",
    discussion: """
      The text is what a user types: words and "phrases" that must all be there, -words that must not, and begin*. It is \
      searched for in the searchable properties of the model, each word in any of them. No text is an error. Write -- \
      before a text that begins with a minus sign.
      """)

  @OptionGroup var store: StoreArgument
  @Argument(help: "The name of the model.")
  var model: String
  @Argument(help: "The words.")
  var text: String

  @Option(
    name: .customLong("in"),
    help: ArgumentHelp("The searchable properties to search in; all by default.", valueName: "properties"))
  var properties: String?
  @Option(help: ArgumentHelp("The maximum number of objects.", valueName: "n"))
  var limit = 20
  @OptionGroup var display: DisplayOptions

  /// The names in a list with commas.
  static func names(_ list: String?) -> [String] {
    list?.split(separator: ",").map { String($0.drop { $0 == " " }) } ?? []
  }

  func validate() throws {
    if limit < 0 { throw ValidationError("--limit is negative") }
  }

  func run() throws {
    let store = try store.open(.reading)
    defer { try? store.close() }
    let hits = try store.records.ranked(
      in: model, by: SearchQuery(typed: text), properties: Self.names(properties), limit: limit)
    let columns = try store.model(named: model).propertyNames
    var writer = display.writer()
    try writer.begin(["score"] + columns)
    for (record, score) in hits { try writer.write([.double(score)] + columns.map { record[$0] ?? .null }) }
    try writer.finish()
  }
}
