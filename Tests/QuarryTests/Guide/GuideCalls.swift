import Foundation
import Quarry
import QuarryEngines

// Code of the guide's pages on models, objects and queries that needs a model of its own.

@Model
struct Rating: Equatable {
  var id: UUID = .generated()
  var stars: Int
}

@Model
struct Rental: Equatable {
  let reader: Int
  let book: String
  var days = 14

  #PrimaryKey<Rental>([\.reader, \.book])
}

@Model
struct Ticket: Equatable {
  @Attribute(.generated) var id = 0
  var title: String
}

enum GuideCalls {
  static func savepoint(_ store: Store) throws {
    try store.write { tx in
      try tx.write { inner in try inner.insert(Rating(stars: 1)) }
    }
  }

  static func keys(_ store: Store) throws -> [Int] {
    let ticket = try store.insert(Ticket(title: "No sound"))
    let more = try store.insertAndFetch(contentsOf: [Ticket(title: "Blank page"), Ticket(title: "Typo")])
    return [ticket.id] + more.map(\.id)
  }

  static func compound(_ store: Store) throws -> [Int] {
    try store.insert(contentsOf: [
      Rental(reader: 1, book: "Persuasion", days: 21), Rental(reader: 1, book: "Emma"),
    ])
    let key = Rental.Key(reader: 1, book: "Emma")
    let rental = try store.get(Rental.self, key)
    let extended = try store.get(Rental.self, .init(reader: 1, book: "Persuasion"))?.days
    return [rental?.days ?? 0, extended ?? 0]
  }

  static func run(_ store: Store) throws -> [Int] {
    let rating = Rating(stars: 4)
    try store.insert(rating)
    let id = rating.id
    try store.upsert(Rating.self, id, default: Rating(id: id, stars: 0)) { $0.stars += 1 }
    try store.insert(Rating(stars: 1))
    let page = try store.page(Rating.all, size: 1)
    let link = page.next.map { "/authors?after=\($0.token)" }
    let token = String(link?.dropFirst("/authors?after=".count) ?? "")
    let position = try PagePosition(token: token)
    let next = try store.fetch(Rating.all.after(position))
    return [rating.stars, try store.get(Rating.self, id)?.stars ?? 0] + (next.count == 1 ? [] : [-1])
  }
}
