import Foundation

/// A text about what several commands have in common: `quarry help urls` prints it.
struct HelpTopic {
  /// The name, as it is typed.
  let name: String
  /// One sentence for the list of topics.
  let abstract: String
  let text: String

  /// Every topic, in the order of their names.
  static let all = [conditions, exitCodes, formats, keys, urls]

  /// The names of all topics, for the help of the command.
  static var names: String { all.map(\.name).joined(separator: ", ") }

  /// The text of the topic that a command line asks for; nil when it asks for no topic.
  ///
  /// - Parameter arguments: What follows the name of the program. `help topics` lists the topics.
  static func text(for arguments: [String]) -> String? {
    guard arguments.count == 2, arguments[0] == "help" else { return nil }
    if arguments[1] == "topics" {
      let width = all.map(\.name.count).max() ?? 0
      return all.map { $0.name.padding(toLength: width + 2, withPad: " ", startingAt: 0) + $0.abstract }
        .joined(separator: "\n")
    }
    return all.first { $0.name == arguments[1] }?.text
  }
}
