import Foundation
import Quarry
import QuarryMemory
import QuarrySQLite

/// An airport of the table that `quarry import` stored.
@Model
struct Airport: Equatable {
  @Attribute(.primaryKey) let icao: String
  @Attribute(.indexed) var iata: String
  var name: String
  var city: String
  var subd: String
  @Attribute(.indexed) var country: String
  var elevation: Double
  var lat: Double
  var lon: Double
  var tz: String
  var lid: String
}

/// What a client of the program sees of an airport.
struct Place: Mapped, Equatable {
  var code: String
  var title: String

  init(stored airport: Airport) {
    code = airport.icao
    title = "\(airport.name), \(airport.city) (\(airport.country))"
  }

  func stored() throws -> Airport {
    throw StorageError(.unsupported, "places are only read")
  }
}

/// Opens the airports that `quarry import` put into an SQLite database, copies them into memory, asks both engines the
/// same questions, and compares the answers.
///
///     airports-demo DATABASE
@main
struct AirportsDemo {
  static func main() async throws {
    guard CommandLine.arguments.count == 2 else {
      print("usage: airports-demo DATABASE")
      exit(64)
    }
    let sqlite = try Store(for: Airport.self, in: .sqlite(at: CommandLine.arguments[1]))
    let memory = try Store(for: Airport.self, in: .memory)

    let airports = try sqlite.fetch(Airport.self)
    try memory.insert(contentsOf: airports)
    print("\(airports.count) airports in \(sqlite.manifest.name), copied into \(memory.manifest.name)")

    var comparison = Comparison(sqlite: sqlite, memory: memory)
    try questions(&comparison)
    try plans(sqlite, memory)
    try changes(&comparison)
    try await snapshots(&comparison)
    try comparison.conclude()
    try memory.close()
    try sqlite.close()
  }

  static func questions(_ both: inout Comparison) throws {
    let norway = Airport.where { $0.country == "NO" && $0.elevation > 1000 }.sorted(by: \.elevation, order: .reverse)
    try both.ask("the five highest airports of Norway") { store in
      try store.fetch(norway.limit(5)).map { "\($0.name) \($0.elevation) ft" }
    }
    try both.ask("countries with the most airports") { store in
      try store.read { tx in try tx.count(Airport.all, by: \.country) }
        .sorted { ($1.value, $0.key) < ($0.value, $1.key) }.prefix(5).map { "\($0.key) \($0.value)" }
    }
    try both.ask("mean elevation of Switzerland") { store in
      try store.read { tx in try tx.average(Airport.where { $0.country == "CH" }, of: \.elevation) }
    }
    try both.ask("names with SÃO, whatever case and accents") { store in
      try store.fetch(Airport.where { $0.name.contains("são", options: [.caseInsensitive, .diacriticInsensitive]) })
        .prefix(3).map(\.name)
    }
    try both.ask("by the string front: OSL, and everything near the north pole") { store in
      try store.fetch(Airport.where("iata == %@ OR lat > 78", "OSL")).map(\.icao)
    }
    try both.ask("by Foundation's #Predicate: Iceland above 500 ft") { store in
      try store.fetch(Airport.where(#Predicate { $0.country == "IS" && $0.elevation > 500 })).map(\.icao)
    }
    try both.ask("below the sea, in pages of four, as another type") { store in
      var page = try store.page(Airport.where { $0.elevation < -200 }.sorted(by: \.elevation), size: 4)
      var codes = page.elements.map { Place(stored: $0).code }
      while let next = page.next {
        page = try store.page(Airport.where { $0.elevation < -200 }.sorted(by: \.elevation).after(next), size: 4)
        codes += page.elements.map { Place(stored: $0).code }
      }
      return codes
    }
    try both.ask("two columns only", show: false) { store in
      try store.read { tx in try tx.select(Airport.where { $0.country == "FI" }, \.icao, \.tz).map { "\($0.0) \($0.1)" }
      }
    }
  }

  static func plans(_ sqlite: Store, _ memory: Store) throws {
    let query = Airport.where { $0.country == "NO" && $0.name.contains("fjord", options: .caseInsensitive) }
    for store in [sqlite, memory] {
      print("\nthe plan for a country and a part of a name:")
      print(try store.explain(query).description.split(separator: "\n").map { "  \($0)" }.joined(separator: "\n"))
    }
    print("")
  }

  static func changes(_ both: inout Comparison) throws {
    struct ChangedMyMind: Error {}
    try both.ask("raise Oslo by a closure; what is stored now") { store in
      try store.update(Airport.self, "ENGM") { $0.elevation += 1 }.elevation
    }
    try both.ask("raise all of Norway by an assignment") { store in
      try store.update(Airport.where { $0.country == "NO" }, set: { $0.elevation += 10 })
    }
    try both.ask("delete Norway, then change our mind: airports left there") { store in
      do {
        try store.write { tx in
          try tx.delete(Airport.where { $0.country == "NO" })
          throw ChangedMyMind()
        }
      } catch is ChangedMyMind {}
      return try store.count(Airport.where { $0.country == "NO" })
    }
    try both.ask("insert an airport twice") { store in
      do {
        try store.insert(try store.first(Airport.all) ?? Airport(stored: ()))
        return "inserted"
      } catch let error as StorageError {
        return "\(error.code)"
      }
    }
    // As it was, so that the demo can be run again.
    try both.ask("and back again", show: false) { store in
      try store.update(Airport.where { $0.country == "NO" }, set: { $0.elevation -= 10 })
      return try store.update(Airport.self, "ENGM") { $0.elevation -= 1 }.elevation
    }
  }

  static func snapshots(_ both: inout Comparison) async throws {
    try both.ask("freeze, delete everything, look at both; then roll back") { store in
      let frozen = try store.freeze()
      defer { frozen.close() }
      let oslo = try frozen.frozen(Airport.self, "ENGM")
      struct Undo: Error {}
      var during = 0
      do {
        try store.write { tx in
          try tx.deleteAll(Airport.self)
          during = try tx.count(Airport.self)
          throw Undo()
        }
      } catch is Undo {}
      return "frozen \(try frozen.count(Airport.self)), inside the write \(during), Oslo is still \(oslo?.name ?? "?")"
    }
    try await both.askAsync("streamed without blocking: names of more than 60 letters") { store in
      var found: [String] = []
      for try await airport in store.stream(Airport.all) where airport.name.count > 60 { found.append(airport.icao) }
      return found
    }
  }
}

extension Airport {
  /// An airport without anything, for an empty table.
  init(stored: Void) {
    self.init(
      icao: "", iata: "", name: "", city: "", subd: "", country: "", elevation: 0, lat: 0, lon: 0, tz: "", lid: "")
  }
}

/// Asks two stores the same and counts where they differ.
struct Comparison {
  let sqlite: Store
  let memory: Store
  private(set) var asked = 0
  private(set) var different: [String] = []

  init(sqlite: Store, memory: Store) {
    self.sqlite = sqlite
    self.memory = memory
  }

  mutating func ask<R: Equatable>(_ question: String, show: Bool = true, _ answer: (Store) throws -> R) throws {
    try compare(question, show, answer(sqlite), answer(memory))
  }

  mutating func askAsync<R: Equatable>(_ question: String, _ answer: (Store) async throws -> R) async throws {
    try compare(question, true, await answer(sqlite), await answer(memory))
  }

  private mutating func compare<R: Equatable>(_ question: String, _ show: Bool, _ left: R, _ right: R) throws {
    asked += 1
    if show { print("\(question): \(left)") }
    guard left == right else {
      different.append(question)
      print("  DIFFERENT in memory: \(right)")
      return
    }
  }

  func conclude() throws {
    guard different.isEmpty else {
      print("\n\(different.count) of \(asked) answers differ")
      exit(1)
    }
    let stored = try sqlite.fetch(Airport.self) == memory.fetch(Airport.self)
    print("\nboth engines gave the same \(asked) answers, and hold the same airports: \(stored)")
    if !stored { exit(1) }
  }
}
