import QuarryBackend

/// The place of a store as it stands on the command line: `memory:` or `sqlite:PATH`.
enum StoreURL: Hashable, Sendable {
  /// A store in memory, which is gone when the tool ends.
  case memory
  case sqlite(path: String)

  /// The forms that are known, for messages and help.
  static let forms = "memory:, sqlite:PATH"

  struct ParseError: Error, CustomStringConvertible {
    var description: String
  }

  /// The path is everything after the first colon, as it stands: nothing is decoded.
  init(parsing text: String) throws(ParseError) {
    guard let colon = text.firstIndex(of: ":") else {
      throw ParseError(
        description: "\(text.excerpt) names no kind of store; write one of \(StoreURL.forms)")
    }
    let scheme = text[..<colon]
    let rest = String(text[text.index(after: colon)...])
    switch scheme {
    case "memory":
      guard rest.isEmpty else { throw ParseError(description: "memory: takes nothing after the colon") }
      self = .memory
    case "sqlite":
      guard !rest.isEmpty else { throw ParseError(description: "sqlite: needs a path after the colon") }
      self = .sqlite(path: rest)
    default:
      throw ParseError(
        description: "\(String(scheme).excerpt) is no kind of store that is known; known are \(StoreURL.forms)")
    }
  }
}
