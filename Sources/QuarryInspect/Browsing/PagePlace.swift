import Foundation
import QuarryBackend
import QuarryQuery

/// The edge of a page, as a text that a URL carries.
///
/// It has the values of the sort keys and the primary key of a row, so that a page far into a model costs as much as the first.
public struct PagePlace: Sendable, Hashable {
  /// Which side of the row the page is on.
  public enum Side: String, Sendable, Codable {
    /// Whether the page follows the row or precedes it.
    case after, before
  }

  private enum Mark: Hashable, Codable {
    case position(QueryTree.PagePosition)
    /// The number of rows before it, where the order is not of the model's own short values.
    case offset(Int)
  }

  /// The longest text of a place.
  static let mostBytes = 4_096

  /// The side of the row that the page is on.
  public let side: Side
  private let mark: Mark

  /// Reads a place from its text.
  ///
  /// - Parameters:
  ///   - side: Whether the page begins after the place or ends before it.
  ///   - text: The text of a place, base64 in the alphabet of URLs.
  /// - Throws: `invalidQuery` for a text that is not a place.
  public init(_ side: Side, text: String) throws {
    let invalid = StorageError(.invalidQuery, "the place of the page cannot be read")
    guard text.utf8.count <= Self.mostBytes else { throw invalid }
    var base64 = text.replacingOccurrences(of: "-", with: "+").replacingOccurrences(of: "_", with: "/")
    base64 += String(repeating: "=", count: (4 - base64.utf8.count % 4) % 4)
    guard let data = Data(base64Encoded: base64), let mark = try? JSONDecoder().decode(Mark.self, from: data) else {
      throw invalid
    }
    if case .offset(let offset) = mark, offset < 0 { throw invalid }
    self.side = side
    self.mark = mark
  }

  init(_ side: Side, position: QueryTree.PagePosition) {
    self.side = side
    mark = .position(position)
  }

  init(_ side: Side, offset: Int) {
    self.side = side
    mark = .offset(offset)
  }

  /// The text, of letters, digits, `-` and `_`; nil when it is too long for a URL.
  public var text: String? {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    guard let data = try? encoder.encode(mark) else { return nil }
    let text = data.base64EncodedString().replacingOccurrences(of: "+", with: "-")
      .replacingOccurrences(of: "/", with: "_").replacingOccurrences(of: "=", with: "")
    return text.utf8.count <= Self.mostBytes ? text : nil
  }

  /// Makes a query one of the rows on this side.
  func apply(to query: inout QueryTree, limit: Int) {
    switch mark {
    case .position(let position): query.position = position
    case .offset(let offset) where side == .after: query.offset = offset
    case .offset(let offset): query.offset = max(0, offset - limit)
    }
  }

  /// The number of rows before the page, where the place knows it.
  func offset(limit: Int) -> Int? {
    guard case .offset(let offset) = mark else { return nil }
    return side == .after ? offset : max(0, offset - limit)
  }

  /// Whether the rows are read from the far end, in the opposite order.
  var readsBackwards: Bool {
    guard case .position = mark else { return false }
    return side == .before
  }
}
