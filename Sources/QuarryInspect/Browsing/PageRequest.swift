import Foundation
public import QuarryBackend
import QuarryCore
public import QuarryQuery

/// The objects that a person asks for, as texts: a condition, an order, and a place in the result.
public struct PageRequest: Sendable, Hashable {
  /// The greatest number of objects of a page.
  public static let mostObjects = 1_000

  /// The name of the model.
  public var model: String
  /// A condition in the language of ``PredicateParser``; empty for every object.
  public var condition: String
  /// An order as ``SortParser`` reads it; empty for the order of the primary key.
  public var order: String
  /// The columns to read; all properties when nil.
  public var columns: [String]?
  /// The number of objects of a page, from 1 to ``mostObjects``.
  public var limit: Int
  /// The place where the page begins or ends; nil for the first page.
  public var place: PagePlace?
  /// The words that the searchable properties of the objects have, as a user types them; empty for no search.
  ///
  /// Without an order the best hits come first.
  public var search: String

  /// A request for the first page.
  ///
  /// - Parameters:
  ///   - model: The name of the model.
  ///   - condition: A condition in the language of `PredicateParser`; empty for every object.
  ///   - order: An order as `SortParser` reads it; empty for the order of the primary key.
  ///   - columns: The columns to read; all properties when nil.
  ///   - limit: The number of objects of a page, from 1 to ``mostObjects``.
  ///   - place: The place where the page begins or ends; nil for the first page.
  ///   - search: The words to search for, as a user types them; empty for no search.
  public init(
    model: String, condition: String = "", order: String = "", columns: [String]? = nil, limit: Int = 50,
    place: PagePlace? = nil, search: String = ""
  ) {
    self.model = model
    self.condition = condition
    self.order = order
    self.columns = columns
    self.limit = limit
    self.place = place
    self.search = search
  }

  /// Whether the objects come in the order of their scores.
  var isRanked: Bool { !search.isBlank && order.isBlank }

  /// The query of the condition and the order, without limit, place and search.
  ///
  /// - Throws: ``QueryTextError`` where a text cannot be read.
  public func query() throws -> QueryTree {
    var query = QueryTree(model: model)
    if !condition.isBlank {
      do {
        query.predicate = try PredicateParser.parse(condition)
      } catch {
        throw QueryTextError(.condition, condition, error.with(model: model))
      }
    }
    do {
      query.order = try SortParser.parse(order)
    } catch {
      throw QueryTextError(.order, order, error.with(model: model))
    }
    return query
  }
}

extension String {
  /// Whether the text has spaces alone.
  var isBlank: Bool { utf8.allSatisfy { $0 == UInt8(ascii: " ") } }
}

/// A text of a query that cannot be read, with the place of the mistake.
public struct QueryTextError: Error, Sendable {
  /// The text with the mistake.
  public enum Text: String, Sendable {
    /// The text that cannot be read.
    case condition, order
  }

  /// The text with the mistake.
  public let text: Text
  /// The column of the mistake, counted in characters from 1, where it is known.
  public let column: Int?
  /// The message, without the column.
  public let message: String
  /// The error of the parser or of the binder.
  public let error: StorageError

  init(_ text: Text, _ source: String, _ error: StorageError) {
    self.text = text
    self.error = error
    let prefix = "at column "
    let rest = error.message.dropFirst(prefix.count)
    if error.message.hasPrefix(prefix), let colon = rest.firstIndex(of: ":"), let column = Int(rest[..<colon]) {
      self.column = column
      message = String(rest[colon...].dropFirst().drop { $0 == " " })
    } else {
      // An unknown name is in the message, any other one is the error's property.
      let name = error.property ?? Self.unknownName(error.message)
      column = name.flatMap { source.range(of: $0) }.map {
        source.distance(from: source.startIndex, to: $0.lowerBound) + 1
      }
      message = error.message
    }
  }

  /// The name in `Book has no property titel; did you mean title?`.
  private static func unknownName(_ message: String) -> String? {
    guard let words = message.range(of: " has no property ") else { return nil }
    return String(message[words.upperBound...].prefix { $0 != ";" })
  }
}
