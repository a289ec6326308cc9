import Foundation
import QuarryBackend
import Testing

@testable import QuarryCore

/// Translations choose the same objects as `Predicate.evaluate`.
@Suite struct FoundationPredicateEvaluationTests {
  /// Objects of few values each, so that conditions meet often.
  private static let books: [SampleBook] = {
    var state: UInt64 = 42
    func next(_ count: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(state >> 33) % count
    }
    let texts = ["", "a", "ab", "b", "ba"]
    return (0..<150).map { _ in
      var book = SampleBook()
      book.title = texts[next(5)]
      book.blurb = [nil, "", "a", "ab", "b"][next(5)]
      book.year = next(4)
      book.rating = [nil, 0, 1, 2][next(4)]
      book.price = [0.0, -0.0, 1.5, .nan, .infinity][next(5)]
      book.isLent = next(2) == 0
      book.isSigned = [nil, true, false][next(3)]
      book.tags = (0..<next(4)).map { _ in texts[next(5)] }
      book.scores = (0..<next(3)).map { _ in [0.5, 1, .nan][next(3)] }
      book.notes = (0..<next(3)).map { _ in [nil, "a"][next(2)] }
      book.reviews = next(3) == 0 ? nil : (0..<next(3)).map { _ in texts[next(5)] }
      book.labels = Set((0..<next(3)).map { _ in texts[next(5)] })
      book.names = next(2) == 0 ? [:] : ["k": next(3)]
      book.genre = Genre.allCases[next(2)]
      return book
    }
  }()

  private static let nothing: Int? = nil
  private static let words = ["a", "b"]
  private static let essay = Genre.essay
  private static let labels: Set = ["a", "b"]

  private static let predicates: [BookPredicate] = {
    let (nothing, words, essay, labels) = (Self.nothing, Self.words, Self.essay, Self.labels)
    let (prices, flags, ratings, years, nan) = ([0.0, Double.nan], [true], [nil, 1], [1, 2], Double.nan)
    // One by one: the compiler gives up on a list of them.
    var list: [BookPredicate] = []
    list.append(#Predicate { $0.rating == 1 })
    list.append(#Predicate { $0.rating != 1 })
    list.append(#Predicate { !($0.rating == 1) })
    list.append(#Predicate { $0.rating == nothing })
    list.append(#Predicate { ($0.rating ?? 1) > 0 })
    list.append(#Predicate { ($0.rating ?? 0) != 0 })
    list.append(#Predicate { !(($0.rating ?? 1) > 0) })
    list.append(#Predicate { ($0.rating ?? $0.year) == 2 })
    list.append(#Predicate { $0.rating.flatMap { $0 > 0 } ?? true })
    list.append(#Predicate { $0.rating.flatMap { $0 > 0 } != false })
    list.append(#Predicate { $0.blurb?.contains("a") ?? false })
    list.append(#Predicate { !($0.blurb?.contains("a") ?? false) })
    list.append(#Predicate { $0.blurb?.contains("a") != true })
    list.append(#Predicate { $0.blurb?.starts(with: "a") == false })
    list.append(#Predicate { $0.blurb?.isEmpty ?? true })
    list.append(#Predicate { ($0.blurb ?? $0.title).starts(with: "a") })
    list.append(#Predicate { ($0.blurb ?? $0.title) < "b" })
    list.append(#Predicate { $0.blurb != nil && $0.blurb! > "a" })
    list.append(#Predicate { book in if let blurb = book.blurb { blurb > "a" || book.isLent } else { book.year == 1 } })
    list.append(#Predicate { $0.isSigned ?? true })
    list.append(#Predicate { !($0.isSigned ?? true) })
    list.append(#Predicate { $0.isSigned == false })
    list.append(#Predicate { $0.isSigned != true })
    list.append(#Predicate { $0.isLent == ($0.year > 1) })
    list.append(#Predicate { $0.isLent != ($0.year > 1) })
    list.append(#Predicate { ($0.year > 1) == ($0.rating == nil) })
    list.append(#Predicate { ($0.isLent ? $0.isSigned : nil) ?? ($0.year > 2) })
    list.append(#Predicate { ($0.isLent ? $0.year : 2) >= ($0.rating ?? 1) })
    list.append(#Predicate { $0.price > 0 })
    list.append(#Predicate { !($0.price > 0) })
    list.append(#Predicate { $0.price == 0 })
    list.append(#Predicate { $0.price != $0.price })
    list.append(#Predicate { prices.contains($0.price) })
    list.append(#Predicate { (0.0...1.5).contains($0.price) })
    list.append(#Predicate { ($0.year...3).contains(2) })
    list.append(#Predicate { words.contains($0.title) })
    list.append(#Predicate { words.contains($0.blurb ?? "a") })
    list.append(#Predicate { words.contains($0.isLent ? $0.title : "b") })
    list.append(#Predicate { book in words.contains { book.title.contains($0) } })
    list.append(#Predicate { book in words.allSatisfy { book.title.contains($0) } })
    list.append(#Predicate { book in years.contains { $0 > book.year || book.tags.count == $0 } })
    list.append(#Predicate { flags.contains($0.year > 2) })
    list.append(#Predicate { ratings.contains($0.rating) })
    list.append(#Predicate { $0.tags.contains("a") })
    list.append(#Predicate { $0.tags.contains { words.contains($0) } })
    list.append(#Predicate { $0.tags.contains { $0.starts(with: "a") && $0 != "ab" } })
    list.append(#Predicate { $0.tags.allSatisfy { !$0.isEmpty } })
    list.append(#Predicate { $0.tags.isEmpty || $0.tags.count > 2 })
    list.append(#Predicate { $0.scores.contains(1) })
    list.append(#Predicate { !$0.scores.contains(nan) && $0.scores.contains { !($0 > 0) } })
    list.append(#Predicate { $0.notes.contains(nil) })
    list.append(#Predicate { $0.notes.allSatisfy { $0?.starts(with: "a") ?? false } })
    list.append(#Predicate { $0.reviews?.contains("a") ?? false })
    list.append(#Predicate { $0.reviews?.allSatisfy { $0 == "a" } ?? false })
    list.append(#Predicate { $0.reviews?.count != 1 })
    list.append(#Predicate { ($0.reviews?.count ?? 5) > 1 })
    list.append(#Predicate { $0.reviews?.isEmpty == false })
    list.append(#Predicate { $0.labels == labels })
    list.append(#Predicate { $0.labels.contains("a") })
    list.append(#Predicate { $0.names["k"] == 1 })
    list.append(#Predicate { $0.names["k"] != 1 })
    list.append(#Predicate { $0.names["k", default: 2] == 2 })
    list.append(#Predicate { $0.genre == essay })
    return list + overElements
  }()

  private static let overElements: [BookPredicate] = {
    var list: [BookPredicate] = []
    list.append(#Predicate { $0.tags.max() == "b" })
    list.append(#Predicate { $0.tags.min() != "a" })
    list.append(#Predicate { $0.tags.min() == nil })
    list.append(#Predicate { ($0.tags.max() ?? "c") > "b" })
    list.append(#Predicate { "ab" <= ($0.tags.min() ?? "") })
    list.append(#Predicate { $0.tags.max().flatMap { $0 < "b" } ?? false })
    list.append(#Predicate { !$0.tags.isEmpty && $0.tags.max()! <= "ab" })
    list.append(#Predicate { !$0.tags.isEmpty && $0.tags.min()! > "a" })
    list.append(#Predicate { $0.reviews?.max() == "a" })
    list.append(#Predicate { $0.tags.filter { $0 == "b" }.count > 0 })
    list.append(#Predicate { $0.tags.filter { $0 > "a" }.count == 0 })
    list.append(#Predicate { 1 <= $0.tags.filter { $0.starts(with: "a") }.count })
    list.append(#Predicate { $0.tags.filter { $0 != "a" }.isEmpty })
    list.append(#Predicate { ($0.reviews?.filter { $0 == "a" }.count ?? 1) != 0 })
    return list
  }()

  private static let rows = books.map { ReferenceEvaluation(row: $0.row) }

  /// The compiler has given closures of one function the code of others.
  @Test func thePredicatesDiffer() {
    let descriptions = Self.predicates.map { predicate in
      "\(predicate.expression)".replacing(/Variable\([0-9]+\)/, with: "Variable")
    }
    #expect(Set(descriptions).count == Self.predicates.count)
  }

  @Test(arguments: predicates.indices)
  func choosesTheSameObjects(_ index: Int) throws {
    let predicate = Self.predicates[index]
    let translation = try tree(predicate)
    var chosen = 0
    for (book, row) in zip(Self.books, Self.rows) {
      let expected = try predicate.evaluate(book)
      if expected { chosen += 1 }
      #expect(row.matches(translation) == expected, "\(translation) of \(row)")
    }
    // A condition that no object or every object fulfils would prove little.
    #expect(chosen > 0 && chosen < Self.books.count)
  }
}
