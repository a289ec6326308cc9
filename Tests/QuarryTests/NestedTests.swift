import Foundation
import Quarry
import QuarryBackend
import QuarryMemory
import QuarrySQLite
import Testing

/// A nested type with everything that its members can be.
@Nested
struct Venue: Equatable {
  enum Kind: String, Codable, Storable { case hall, club }
  @Nested struct Point: Equatable { var lat: Double, lon = 0.5 }

  var name: String
  var index = 3, count = 1
  var kind = Kind.club
  var point: Point
  var entrance: Point?
  var others: [Point] = []
  var seats: [String: Int] = [:]
  var `in` = true
  var `Type`: Int = 7
  @Transient var visits = 0
}

/// A nested type with names of its own in the store.
@Nested
struct Fee: Equatable {
  var amount: Decimal
  var note = "none"
  var cached = 5

  private enum CodingKeys: String, CodingKey {
    case amount = "sum"
    case note
  }
}

/// A nested type whose keys are in an extension, and which says what the macro says too.
@Nested
struct Tree: Codable, Storable, Equatable {
  var label: String
  var children: [Tree] = []
}

extension Tree {
  enum CodingKeys: String, CodingKey {
    case label = "l"
    case children = "c"
  }
}

@Model
struct Concert: Equatable {
  let id: Int
  var venue: Venue
  var fallback: Venue?
  var fees: [Fee] = []
  var tree: Tree?
  var `self` = 1
  var `init` = 2
  var `Protocol` = 3
  var `Type` = 4
}

@Suite("Nested types that @Nested writes")
struct NestedTests {
  private static func stores() throws -> [Store] {
    let folder = FileManager.default.temporaryDirectory.appending(path: "quarry-nested-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    return [
      try Store(for: Concert.self, in: .memory),
      try Store(for: Concert.self, in: .sqlite(at: folder.appending(path: "c.db").path)),
    ]
  }

  private static let concerts = [
    Concert(
      id: 1, venue: Venue(name: "Mono", point: .init(lat: 55)),
      fees: [Fee(amount: 5), Fee(amount: 7, note: "late")],
      tree: Tree(label: "a", children: [Tree(label: "b", children: [Tree(label: "c")])])),
    Concert(
      id: 2, venue: Venue(name: "Hall", kind: .hall, point: .init(lat: 60), entrance: .init(lat: 1, lon: 2), in: false),
      fallback: Venue(name: "Mono", point: .init(lat: 55), visits: 9)),
  ]

  @Test("Members are named by their types in all fronts, whatever they are called")
  func paths() throws {
    for store in try Self.stores() {
      try store.insert(contentsOf: Self.concerts)
      for query in try [
        Concert.where { $0.venue.name == "Mono" && $0.venue.index == 3 && $0.venue.count < 2 },
        Concert.where { $0.venue.in && $0.venue.kind == .club }, Concert.where { $0.fees.any { $0.note == "late" } },
        Concert.where { $0.fees.any { $0.amount > 6 } }, Concert.where("ANY fees.sum == 7"),
        Concert.where { $0.fallback.point.lat == nil }, Concert.where("NOT fallback.name == 'Mono'"),
        Concert.where { $0.tree.children.any { $0.children.any { $0.label == "c" } } },
        Concert.where("ANY tree.c (ANY SELF.c (SELF.l == 'c')) OR tree.l == 'a'"),
        Concert.where(#Predicate { $0.venue.name == "Mono" }),
        Concert.where(#Predicate { $0.fallback?.point.lat == nil }),
        Concert.where(#Predicate { $0.fees.contains { $0.amount == 7 } }),
        Concert.where(#Predicate { $0.venue.entrance?.lon == nil && $0.venue.point.lat < 56 }),
      ] {
        #expect(try store.keys(query) == [1], "\(query.tree)")
      }
      #expect(try store.keys(Concert.where { $0.venue.`Type` == 7 && $0.`Type` == 4 && $0.`Protocol` == 3 }) == [1, 2])
      #expect(try store.keys(Concert.where { $0.`self` == 1 && $0.`init` == 2 }.sorted(by: \.Type)) == [1, 2])
      try store.close()
    }
  }

  @Test("What is transient or no key is not stored")
  func unstored() throws {
    for store in try Self.stores() {
      var changed = Self.concerts
      changed[0].fees[0].cached = 9
      try store.insert(contentsOf: changed)
      #expect(try store.fetch(Concert.all).map { $0.fallback?.visits } == [nil, 0])
      #expect(try store.get(Concert.self, 1)?.fees.map(\.cached) == [5, 5])
      for text in ["fallback.visits == 9", "ANY fees.cached == 9", "ANY fees.amount == 5", "tree.label == 'a'"] {
        let error = #expect(throws: StorageError.self) { try store.count(Concert.where(text)) }
        #expect(error?.code == .invalidQuery)
      }
      try store.close()
    }
  }

  @Test("A member that was added has the value of its declaration in what was stored before")
  func defaults() throws {
    for store in try Self.stores() {
      let old = Value.object([
        .init("name", .string("Old")), .init("others", .array([.object([.init("lat", .double(2))])])),
        .init("point", .object([.init("lat", .double(1))])),
      ])
      try store.write {
        try $0.records.insert(
          into: "Concert",
          [
            Record([
              "id": .int(1), "venue": old, "fees": .array([.object([.init("sum", .decimal(1))])]), "self": .int(1),
              "init": .int(2), "Protocol": .int(3), "Type": .int(4),
            ])
          ])
      }
      let concert = try #require(try store.get(Concert.self, 1))
      #expect(concert.venue == Venue(name: "Old", point: .init(lat: 1), others: [.init(lat: 2)]))
      #expect(concert.fees == [Fee(amount: 1)])
      let venue = concert.venue
      for query in try [
        Concert.where { $0.venue.count == 1 && $0.venue.kind == .club && $0.venue.in && $0.venue.entrance == nil },
        Concert.where { $0.venue.point.lon == 0.5 && $0.venue.others.all { $0.lon == 0.5 } },
        Concert.where { $0.venue == venue }, Concert.where { $0.fees.any { $0.note == "none" } },
        Concert.where("venue.point.lon == 0.5 AND ANY fees.note == 'none' AND venue.Type > 6"),
        Concert.where(#Predicate { $0.venue.point.lon == 0.5 }),
      ] {
        #expect(try store.keys(query) == [1], "\(query.tree)")
      }
      try store.close()
    }
  }
}
