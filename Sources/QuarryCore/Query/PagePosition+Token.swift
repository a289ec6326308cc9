import Foundation
import QuarryBackend
import QuarryQuery

extension PagePosition {
  /// The position as text for a URL: letters, digits, `-` and `_`.
  ///
  /// ```swift
  /// let page = try store.page(query, size: 20)
  /// let link = page.next.map { "/books?after=\($0.token)" }
  /// ```
  ///
  /// The text is neither encrypted nor signed: it has the sort values and the key of the last object of the page.
  public var token: String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    // A position is encoded as numbers and strings, which JSON has for every value.
    guard let data = try? encoder.encode(self) else { return "" }
    return data.base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
  }

  /// The position that a ``token`` stands for.
  ///
  /// Its query is checked when the position is used, as for every position.
  ///
  /// - Parameter token: The text of a position.
  /// - Throws: `invalidQuery` for a text that is not a token.
  public init(token: String) throws {
    var text = token.replacing("-", with: "+").replacing("_", with: "/")
    text += String(repeating: "=", count: (4 - text.utf8.count % 4) % 4)
    guard let data = Data(base64Encoded: text) else { throw Self.malformed(nil) }
    do {
      self = try JSONDecoder().decode(PagePosition.self, from: data)
    } catch {
      throw Self.malformed(error)
    }
  }

  private static func malformed(_ cause: (any Error)?) -> StorageError {
    StorageError(.invalidQuery, "the text is not the token of a page's position", cause: cause)
  }
}
