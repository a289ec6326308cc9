import ArgumentParser
import Foundation
import QuarryBackend
import QuarryCore
import QuarryData
import QuarryInspect

struct HistoryCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "history", abstract: "Prints the change sets of a store.",
    discussion: """
      A store keeps a history when it was opened with history=30d, history=64MB or both in its URL. Each change set is one \
      write. In text a line has its position, date and author, and a line follows for each object that was added (+), \
      removed (-) or changed (~). In jsonl each line is a change set with "position", "date", "author", and "changes". A \
      change set with "unknown" may have changed anything, a migration for example.
      """)

  enum Format: String, CaseIterable, ExpressibleByArgument { case text, jsonl }

  @OptionGroup var store: StoreArgument

  @Option(help: "The model whose changes are printed; all by default.")
  var model: String?

  @Option(
    parsing: .unconditional, help: "The primary key of the object whose changes are printed. It needs --model.")
  var key: String?

  @Option(
    help: ArgumentHelp(
      "The position after which the printed change sets begin, or a date such as 2026-01-31 or 2026-01-31T12:00:00Z.",
      valueName: "time"))
  var since: String?

  @Option(help: "The maximum number of change sets.")
  var limit: Int?

  @Option(name: .long, help: "The output format: \(Format.allCases.map(\.rawValue).joined(separator: ", ")).")
  var format = Format.text

  func validate() throws {
    if key != nil, model == nil { throw ValidationError("--key needs --model") }
    if let limit, limit < 0 { throw ValidationError("--limit is negative") }
    if let since, HistoryPosition(since) == nil, Self.date(since) == nil {
      throw ValidationError("--since is neither a position nor a date: \(since.excerpt)")
    }
  }

  private static func date(_ text: String) -> Date? {
    let full = text.utf8.contains(UInt8(ascii: "T")) ? text : text + "T00:00:00Z"
    guard case .date(let date)? = TextConversion.value(full.utf8, as: PropertySchema(name: "since", type: .date)) else {
      return nil
    }
    return date
  }

  func run() throws {
    let store = try store.open(.reading)
    defer { try? store.close() }
    let wanted = try wantedKey(in: store)
    let position = since.flatMap { HistoryPosition($0) }
    let date = position == nil ? since.flatMap { Self.date($0) } : nil
    let lines = HistoryLines(StandardOutput.sink(), isJSON: format == .jsonl)
    var left = limit ?? .max
    struct Enough: Error {}
    do {
      try store.history.forEach(after: position) { set in
        guard left > 0 else { throw Enough() }
        if let date, set.date < date { return }
        guard model == nil || set.isUnknown || set.models.contains(where: { $0.utf8.elementsEqual((model ?? "").utf8) })
        else { return }
        if try lines.write(set, model: model, key: wanted) { left -= 1 }
      }
    } catch is Enough {}
    try lines.flush()
  }

  private func wantedKey(in store: Store) throws -> Value? {
    guard let model else { return nil }
    let schema = try store.model(named: model)
    return try key.map { try FieldText.key($0, of: schema) }
  }
}
