import ArgumentParser
import QuarryBackend
import QuarryCore
import QuarryData

struct UndoCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "undo", abstract: "Undoes a change set of a store's history.",
    discussion: """
      A new write stores the objects as they were before the change set; "quarry history" prints positions. If later writes \
      have changed the same properties of the same objects, nothing is undone, and the error is "conflict".
      """)

  @OptionGroup var store: StoreArgument
  @Argument(help: "The position of the change set.")
  var position: String

  func run() throws {
    guard let place = HistoryPosition(position) else {
      throw ValidationError("\(position.excerpt) is not a position of a history")
    }
    let store = try store.open(.changing)
    defer { try? store.close() }
    let undone = try store.undo(place, author: "quarry undo")
    try StandardOutput.print(undone.map { "undone at position \($0)" } ?? "there was nothing to undo")
  }
}
