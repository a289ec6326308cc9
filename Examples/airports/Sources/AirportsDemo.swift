import Foundation
import Quarry
import QuarryEngines

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

/// Opens stores that `quarry import` filled with airports, one of each engine, copies the first into memory, asks all of
/// them the same questions, and compares the answers.
///
///     airports-demo URL…
@main
struct AirportsDemo {
  static func main() async throws {
    guard CommandLine.arguments.count > 1 else {
      print("usage: airports-demo URL…")
      exit(64)
    }
    var stores = try CommandLine.arguments.dropFirst().map { try Store(for: Airport.self, url: $0) }
    let memory = try Store(for: Airport.self, in: .memory)
    let airports = try await stores[0].fetch(Airport.all)
    try await memory.insert(contentsOf: airports)
    print("\(airports.count) airports in \(stores[0].manifest.name), copied into memory")
    stores.append(memory)

    var comparison = Comparison(stores)
    try questions(&comparison)
    try plans(stores)
    try changes(&comparison)
    try await snapshots(&comparison)
    try comparison.conclude()
    for store in stores { try store.close() }
  }

  static func questions(_ all: inout Comparison) throws {
    let norway = Airport.where { $0.country == "NO" && $0.elevation > 1000 }.sorted(by: \.elevation, order: .reverse)
    try all.ask("the five highest airports of Norway") { store in
      try store.fetch(norway.limit(5)).map { "\($0.name) \($0.elevation) ft" }
    }
    try all.ask("countries with the most airports") { store in
      try store.read { tx in try tx.count(Airport.all, by: \.country) }
        .sorted { ($1.value, $0.key) < ($0.value, $1.key) }.prefix(5).map { "\($0.key) \($0.value)" }
    }
    try all.ask("mean elevation of Switzerland") { store in
      try store.read { tx in try tx.average(Airport.where { $0.country == "CH" }, of: \.elevation) }
    }
    try all.ask("names with SÃO, whatever case and accents") { store in
      try store.fetch(Airport.where { $0.name.contains("são", options: [.caseInsensitive, .diacriticInsensitive]) })
        .prefix(3).map(\.name)
    }
    try all.ask("by the string front: OSL, and everything near the north pole") { store in
      try store.fetch(Airport.where("iata == %@ OR lat > 78", "OSL")).map(\.icao)
    }
    try all.ask("by Foundation's #Predicate: Iceland above 500 ft") { store in
      try store.fetch(Airport.where(#Predicate { $0.country == "IS" && $0.elevation > 500 })).map(\.icao)
    }
    try all.ask("below the sea, in pages of four, as another type") { store in
      var page = try store.page(Airport.where { $0.elevation < -200 }.sorted(by: \.elevation), size: 4)
      var codes = page.elements.map { Place(stored: $0).code }
      while let next = page.next {
        page = try store.page(Airport.where { $0.elevation < -200 }.sorted(by: \.elevation).after(next), size: 4)
        codes += page.elements.map { Place(stored: $0).code }
      }
      return codes
    }
    try all.ask("two columns only", show: false) { store in
      try store.read { tx in try tx.select(Airport.where { $0.country == "FI" }, \.icao, \.tz).map { "\($0.0) \($0.1)" }
      }
    }
  }

  static func plans(_ stores: [Store]) throws {
    let query = Airport.where { $0.country == "NO" && $0.name.contains("fjord", options: .caseInsensitive) }
    for store in stores {
      print("\nthe plan for a country and a part of a name:")
      print(try store.explain(query).description.split(separator: "\n").map { "  \($0)" }.joined(separator: "\n"))
    }
    print("")
  }

  static func changes(_ all: inout Comparison) throws {
    struct ChangedMyMind: Error {}
    try all.ask("raise Oslo by a closure; what is stored now") { store in
      try store.update(Airport.self, "ENGM") { $0.elevation += 1 }.elevation
    }
    try all.ask("raise all of Norway by an assignment") { store in
      try store.assign(Airport.where { $0.country == "NO" }) { $0.elevation += 10 }
    }
    try all.ask("delete Norway, then change our mind: airports left there") { store in
      do {
        try store.write { tx in
          try tx.delete(Airport.where { $0.country == "NO" })
          throw ChangedMyMind()
        }
      } catch is ChangedMyMind {}
      return try store.count(Airport.where { $0.country == "NO" })
    }
    try all.ask("insert an airport twice") { store in
      do {
        try store.insert(try store.first(Airport.all) ?? Airport(stored: ()))
        return "inserted"
      } catch let error as StorageError {
        return "\(error.code)"
      }
    }
    // As it was, so that the demo can be run again.
    try all.ask("and back again", show: false) { store in
      try store.assign(Airport.where { $0.country == "NO" }) { $0.elevation -= 10 }
      return try store.update(Airport.self, "ENGM") { $0.elevation -= 1 }.elevation
    }
  }

  static func snapshots(_ all: inout Comparison) async throws {
    try all.ask("freeze, delete everything, look at both; then roll back") { store in
      let frozen = try store.freeze()
      defer { frozen.close() }
      let oslo = try frozen.frozen(Airport.self, "ENGM")
      struct Undo: Error {}
      var during = 0
      do {
        try store.write { tx in
          try tx.delete(Airport.all)
          during = try tx.count(Airport.all)
          throw Undo()
        }
      } catch is Undo {}
      return "frozen \(try frozen.count(Airport.all)), inside the write \(during), Oslo is still \(oslo?.name ?? "?")"
    }
    try await all.askAsync("streamed without blocking: names of more than 60 letters") { store in
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

/// Asks several stores the same and counts where they differ.
struct Comparison {
  let stores: [Store]
  private(set) var asked = 0
  private(set) var different: [String] = []

  init(_ stores: [Store]) {
    self.stores = stores
  }

  mutating func ask<R: Equatable>(_ question: String, show: Bool = true, _ answer: (Store) throws -> R) throws {
    compare(question, show, try stores.map(answer))
  }

  mutating func askAsync<R: Equatable>(_ question: String, _ answer: (Store) async throws -> R) async throws {
    var answers: [R] = []
    for store in stores { answers.append(try await answer(store)) }
    compare(question, true, answers)
  }

  private mutating func compare<R: Equatable>(_ question: String, _ show: Bool, _ answers: [R]) {
    asked += 1
    guard let first = answers.first else { return }
    if show { print("\(question): \(first)") }
    for (store, answer) in zip(stores, answers) where answer != first {
      different.append(question)
      print("  DIFFERENT in \(store.manifest.name): \(answer)")
    }
  }

  func conclude() throws {
    let names = stores.map(\.manifest.name).joined(separator: ", ")
    guard different.isEmpty else {
      print("\n\(different.count) answers to \(asked) questions differ between \(names)")
      exit(1)
    }
    let airports = try stores.map { try $0.fetch(Airport.all) }
    let areEqual = airports.allSatisfy { $0 == airports.first }
    print("\n\(names) gave the same \(asked) answers, and hold the same airports: \(areEqual)")
    if !areEqual { exit(1) }
  }
}
