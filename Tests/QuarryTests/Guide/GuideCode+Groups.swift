import Foundation
public import Quarry
import QuarryEngines

extension GuideCode {
  /// - Returns: Lines about the groups.
  static func groups() throws -> [String] {
    let store = try Store(for: Work.self, Artist.self, Lending.self, in: .memory)
    try store.write { tx in
      try tx.insert(contentsOf: [Artist(id: 1, name: "Ann"), Artist(id: 2, name: "Bob", teacher: Ref(1))])
      try tx.insert(contentsOf: [
        Work(id: 1, title: "B", artist: Ref(1), copyOf: nil), Work(id: 2, title: "A", artist: Ref(1), copyOf: nil),
        Work(id: 3, title: "C", artist: Ref(2), copyOf: Ref(1)),
      ])
    }
    var lines: [String] = []
    let rows = try store.grouped(Work.all, by: \.artist.name, \.copyOf) {
      (count: $0.count(), titles: $0.distinct(\.title), first: $0.first(\.title, by: \.id))
    }
    for row in rows where row.count > 1 { lines.append("\(row.key.0): \(row.count), \(row.first ?? "")") }

    let busiest = rows.sorted { $0.count > $1.count }.prefix(10)
    let all = try store.figures(of: Work.all) {
      (count: $0.count(), middle: $0.median(\.id), p90: $0.percentile(\.id, 90))
    }
    lines.append("\(busiest.count) \(all.count) \(all.middle ?? 0) \(all.p90 ?? 0)")

    try store.insert(Lending(number: "L1", isbn: "1", reader: 1, due: Date(timeIntervalSinceReferenceDate: 86_400)))
    let months = try store.grouped(Lending.all, by: \.due.month) { $0.count() }
    for month in months { lines.append("\(month.key.formatted(.iso8601)): \(month.value)") }

    let records = try store.records.grouped(
      QueryTree(model: "Work"), by: ["artist.name"], "count, max(title) as last", having: "count > 1",
      sortedBy: "-last", limit: 10)
    for record in records { lines.append("\(record["artist.name"] ?? .null): \(record["last"] ?? .null)") }

    let ann = try store.get(Artist.self, 1)
    if let works = ann?.works {
      let ids = try store.sum(works, of: \.id)
      let titles = try store.select(works, \.title)
      lines.append("\(ids ?? 0) \(titles.joined())")
    }
    return lines
  }

  /// - Returns: The titles of sections, and the names that a view model shows after a write of its own.
  @MainActor
  static func sections() async throws -> (years: [String], shown: [String]) {
    let store = try Store(for: Author.self, in: .memory)
    try await store.insert(Author(id: 1, email: "a@example.org", born: 1912, name: "Alan"))
    let years = try store.live(Author.all.sorted(by: \.name), sectionedBy: \.born, order: .reverse)
    try await store.insert(Author(id: 2, email: "g@example.org", born: 1906, name: "Grace"))
    try await years.settled()
    let titles = years.map { section in "\(section.key ?? 0): \(section.elements.map(\.name).joined(separator: ", "))" }

    var shown: [GroupedObjects<Int?, Author>] = []
    for try await change in store.changes(of: Author.all, sectionedBy: \.born) {
      shown = change.isInitial ? change.sections : change.applied(to: shown)
      break
    }

    let shelf = try AuthorShelf(store)
    try await store.insert(Author(id: 3, email: "k@example.org", born: 1938, name: "Donald"))
    try await shelf.$authors.settled()
    return (titles, shelf.authors.map(\.name) + ["\(shown.count)"])
  }

  static func configured(_ path: String) throws {
    StoreConfiguration.default = try StoreConfiguration(
      url: "sqlite:\(path)-configured.db", migration: .dropping("Author.note"))
    let standard = try Store(for: Author.self)
    try standard.close()
  }
}

@MainActor
final class AuthorShelf {
  @Fetched var authors: [Author]

  init(_ store: Store) throws {
    _authors = try Fetched(Author.all.sorted(by: \.name), in: store)
  }
}

@Model(init: .public)
public struct Track: Identifiable {
  public let id: Int
  public var title: String
  public var length: Double?
  public var tags: [String] = []
}
