import Quarry
import QuarryEngines

// The code of docs/guide/search.md, in places where it compiles and runs.

@Model struct Letter {
  var id: Int
  @Attribute(.searchable(weight: 3)) var title: String
  @Attribute(.searchable) var body: String?
  @Attribute(.searchable) var labels: [String]
  var year: Int
}

@Model struct Recipe {
  var id: Int
  @Attribute(.searchable(weight: 3, language: .english)) var name: String
  @Attribute(.searchable(language: .english)) var steps: String
}

enum GuideSearch {
  static func finding(_ store: Store, _ field: String) throws -> [Int] {
    let found = try store.fetch(Letter.where { $0.search(field) && $0.year > 2000 })
    return found.map(\.id)
  }

  static func conditions(_ store: Store) throws -> [Int] {
    let titles = try store.fetch(Letter.where { $0.title.search("swift") || $0.labels.search("language") })
    let built = try store.count(Letter.where { $0.search(.all("swift", .prefix("conc"), .not("java"))) })
    let near = try store.fetch(Letter.where { $0.body.search(.near("unit", "work", within: 3)) })
    let inText = try store.fetch(Letter.where("title SEARCH 'swift -java' AND year > 2000"))
    return [titles.count, built, near.count, inText.count]
  }

  static func ranking(_ store: Store, _ field: String) throws -> [String] {
    let hits = try store.ranked(Letter.where { $0.year > 2000 }, by: SearchQuery(typed: field), limit: 20)
    for hit in hits { print(hit.score, hit.object.title) }
    let search = try TextSearch(SearchQuery(typed: field))
    let marks = hits.map { search.highlights(in: $0.object.title) }
    let part = hits.first?.object.body.flatMap { search.snippet(of: $0, words: 12) }
    return zip(hits, marks).map { hit, marks in marks.map { String(hit.object.title[$0]) }.joined(separator: "+") }
      + [part.map { "\($0.highlights.count)" } ?? ""]
  }
}
