import Foundation
import QuarryBackend
import QuarryQuery

@testable import QuarryCore

enum Genre: String, Codable, CaseIterable {
  case novel, essay
}

enum Rank: String, Codable, Comparable {
  case low, high
  // By meaning, not by raw value.
  static func < (left: Rank, right: Rank) -> Bool { left == .low && right == .high }
}

struct Publisher: Codable, Equatable {
  var name: String
  var founded: Int
}

struct SampleBook {
  var title = ""
  var year = 0
  var pages: Int16 = 0
  var copies: UInt64 = 0
  var price = 0.0
  var weight: Float = 0
  var blurb: String?
  var rating: Int?
  var isLent = false
  var isSigned: Bool?
  var tags: [String] = []
  var scores: [Double] = []
  var notes: [String?] = []
  var reviews: [String]?
  var labels: Set<String> = []
  var names: [String: Int] = [:]
  var genre = Genre.novel
  var rank = Rank.low
  var publisher = Publisher(name: "", founded: 0)
  var owner: Publisher?
  var cover = Data()
  var printed = Date(timeIntervalSinceReferenceDate: 0)
  var cost = Decimal(0)
  var key = UUID(uuidString: "00112233-4455-6677-8899-AABBCCDDEEFF")!
  var link = URL(string: "https://example.org")!

  /// Not stored.
  var shelf: Int { year % 10 }

  // Key paths are not Sendable, and these never change.
  nonisolated(unsafe) private static let stored: [PartialKeyPath<SampleBook>: String] = [
    \.title: "title", \.year: "year", \.pages: "pages", \.copies: "copies", \.price: "price", \.weight: "weight",
    \.blurb: "blurb", \.rating: "rating", \.isLent: "isLent", \.isSigned: "isSigned", \.tags: "tags",
    \.scores: "scores", \.notes: "notes", \.reviews: "reviews", \.labels: "labels", \.names: "names",
    \.genre: "genre", \.rank: "rank", \.publisher: "publisher", \.owner: "owner", \.cover: "cover",
    \.printed: "printed", \.cost: "cost", \.key: "key", \.link: "link",
  ]

  static func name(_ path: PartialKeyPath<SampleBook>) -> String? { stored[path] }

  /// The stored values by name.
  var row: [String: Value] {
    var row: [String: Value] = [:]
    for (path, name) in Self.stored { row[name] = storedConstant(self[keyPath: path])! }
    return row
  }
}

typealias BookPredicate = Foundation.Predicate<SampleBook>

func tree(_ predicate: BookPredicate) throws(StorageError) -> PredicateTree {
  try predicateTree(predicate, name: SampleBook.name)
}

extension PredicateTree {
  static func test(_ property: String, _ comparison: QuarryBackend.Comparison, _ value: Value) -> PredicateTree {
    .compare(.property(PropertyPath(property)), comparison, .value(value))
  }
}
