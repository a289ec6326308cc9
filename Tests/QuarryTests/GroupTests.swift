import Foundation
import Quarry
import QuarryEngines
import Testing

enum TomeKind: String, Storable, Codable {
  case novel, poem
}

@Model
struct TomeLand: Equatable {
  @Attribute(.primaryKey) let code: String
  var name: String
}

@Model
struct Tome: Equatable {
  let id: Int
  var title: String
  var kind: TomeKind
  var price: Double?
  var pages: Int
  var cost: Decimal
  var land: Ref<TomeLand>
  var patron: Ref<TomeLand>?
}

@Model
struct TomeShelf: Equatable {
  let id: Int
  @Relationship(.allowsDuplicates) var volumes: Links<Tome>
}

@Model
struct TomeSale: Equatable {
  let id: Int
  var sold: Date
}

@Model
struct TomeReturn: Equatable {
  let id: Int
  var sale: Ref<TomeSale>?
}

@Model
struct TomeLedger: Equatable {
  let id: Int
  var sales: Links<TomeSale>
}

@Suite("Groups with typed figures, on every engine")
struct GroupTests {
  private func withStore(_ scheme: String, _ body: (Store) throws -> Void) throws {
    try EveryEngine.withStore(scheme, [TomeLand.self, Tome.self, TomeShelf.self]) { store in
      try store.write { tx in
        try tx.insert(contentsOf: [TomeLand(code: "CH", name: "Switzerland"), TomeLand(code: "NO", name: "Norway")])
        try tx.insert(contentsOf: [
          Tome(id: 1, title: "a", kind: .novel, price: 1, pages: 10, cost: 1, land: Ref("CH"), patron: Ref("NO")),
          Tome(id: 2, title: "b", kind: .novel, price: 2, pages: 10, cost: 2, land: Ref("CH"), patron: nil),
          Tome(id: 3, title: "c", kind: .poem, price: nil, pages: 30, cost: 4, land: Ref("CH"), patron: nil),
          Tome(id: 4, title: "d", kind: .novel, price: 6, pages: 40, cost: 8, land: Ref("NO"), patron: Ref("NO")),
        ])
        try tx.insert(TomeShelf(id: 1))
      }
      try body(store)
    }
  }

  // GRP-1, GRP-2, GRP-3, GRP-4
  @Test("Several columns, paths among them, and every figure", arguments: EveryEngine.schemes)
  func everyFigure(_ scheme: String) throws {
    try withStore(scheme) { store in
      let rows = try store.grouped(Tome.all, by: \.kind, \.land.name) {
        (
          count: $0.count(), priced: $0.count(\.price), pages: $0.distinct(\.pages), sum: $0.sum(\.pages),
          mean: $0.average(\.price), low: $0.min(\.price), high: $0.max(\.title), middle: $0.median(\.pages),
          exact: $0.median(\.cost), p50: $0.percentile(\.price, 50), deviation: $0.standardDeviation(\.price),
          first: $0.first(\.title, by: \.pages), last: $0.last(\.price, by: \.title, .reverse)
        )
      }
      #expect(rows.map(\.key.0) == [.novel, .novel, .poem])
      #expect(rows.map(\.key.1) == ["Norway", "Switzerland", "Switzerland"])
      #expect(rows.map(\.count) == [1, 2, 1])
      #expect(rows.map(\.priced) == [1, 2, 0])
      #expect(rows.map(\.pages) == [1, 1, 1])
      #expect(rows.map(\.sum) == [40, 20, 30])
      #expect(rows.map(\.mean) == [6, 1.5, nil])
      #expect(rows.map(\.low) == [6, 1, nil])
      #expect(rows.map(\.high) == ["d", "b", "c"])
      #expect(rows.map(\.middle) == [40, 10, 30])
      #expect(rows.map(\.exact) == [8, 1.5, 4])
      #expect(rows.map(\.p50) == [6, 1, nil])
      #expect(rows.map(\.deviation) == [nil, 0.5.squareRoot(), nil])
      #expect(rows.map(\.first) == ["d", "a", "c"])
      #expect(rows.map(\.last) == [6, 1, nil])
    }
  }

  // GRP-1
  @Test("Figures of the engine alone, one figure alone, and all objects", arguments: EveryEngine.schemes)
  func engineFigures(_ scheme: String) throws {
    try withStore(scheme) { store in
      let counts = try store.grouped(Tome.where { $0.pages < 40 }, by: \.kind) { $0.count() }
      #expect(counts.map(\.key) == [.novel, .poem])
      #expect(counts.map(\.value) == [2, 1])
      let best = try store.grouped(Tome.all, by: \.kind) { (count: $0.count(), sum: $0.sum(\.cost)) }
        .filter { $0.count > 1 }.sorted { $0.sum ?? 0 > $1.sum ?? 0 }.prefix(1)
      #expect(best.map(\.sum) == [11])
      #expect("\(best[0])" == "novel, count: 3, sum: Optional(11)")
      let all = try store.figures(of: Tome.all) { (count: $0.count(), p90: $0.percentile(\.pages, 90)) }
      #expect(all.count == 4 && all.p90 == 40)
      let none = try store.figures(of: Tome.where { $0.id > 9 }) {
        (count: $0.count(), p90: $0.percentile(\.pages, 90))
      }
      #expect(none.count == 0 && none.p90 == nil)
      #expect(try store.grouped(Tome.where { $0.id > 9 }, by: \.kind) { $0.count() }.isEmpty)
      let patrons = try store.grouped(Tome.all, by: \.patron.name) { $0.count() }
      #expect(patrons.map(\.key) == [nil, "Norway"] && patrons.map(\.value) == [2, 2])
    }
  }

  // GRP-8
  @Test("Spans of dates, through references and in lists", arguments: EveryEngine.schemes)
  func spans(_ scheme: String) throws {
    try EveryEngine.withStore(scheme, [TomeSale.self, TomeReturn.self, TomeLedger.self]) { store in
      try store.write { tx in
        for (id, days) in [(1, 0.0), (2, 30.9), (3, 31), (4, 59)] {
          try tx.insert(TomeSale(id: id, sold: Date(timeIntervalSinceReferenceDate: days * 86_400)))
          try tx.insert(TomeReturn(id: id, sale: id == 4 ? nil : Ref(id)))
        }
        try tx.insert(TomeLedger(id: 1))
        let sales = try #require(try tx.get(TomeLedger.self, 1)).sales
        try sales.append(contentsOf: [Ref(3), Ref(1), Ref(2)], in: tx)
      }
      let february = Date(timeIntervalSinceReferenceDate: 31 * 86_400)
      let january = Date(timeIntervalSinceReferenceDate: 0)
      let march = Date(timeIntervalSinceReferenceDate: 59 * 86_400)
      let months: [GroupRow<Date, Figure<Int>>] = try store.grouped(TomeSale.all, by: \.sold.month) { $0.count() }
      #expect(months.map(\.key) == [january, february, march] && months.map(\.value) == [2, 1, 1])
      let returned = try store.grouped(TomeReturn.all, by: \.sale.sold.month) { $0.count() }
      #expect(returned.map(\.key) == [nil, january, february] && returned.map(\.value) == [1, 2, 1])
      let sales = try #require(try store.get(TomeLedger.self, 1)).sales
      let listed = try store.grouped(sales, by: \.sold.month) { (count: $0.count(), days: $0.distinct(\.sold.day)) }
      #expect(listed.map(\.key) == [january, february] && listed.map(\.days) == [2, 1])
    }
  }

  // GRP-6
  @Test("Lists count an object as often as it is there", arguments: EveryEngine.schemes)
  func lists(_ scheme: String) throws {
    try withStore(scheme) { store in
      let volumes = try #require(try store.get(TomeShelf.self, 1)).volumes
      try store.write { tx in try volumes.append(contentsOf: [Ref(4), Ref(1), Ref(4)], in: tx) }
      #expect(try store.count(volumes) == 3)
      #expect(try store.sum(volumes, of: \.pages) == 90)
      #expect(try store.average(volumes, of: \.price) == 13.0 / 3)
      #expect(try store.max(volumes, of: \.title) == "d")
      #expect(try store.distinct(volumes, \.pages) == [10, 40])
      #expect(try store.count(volumes, by: \.land).map(\.value) == [1, 2])
      #expect(try store.grouped(volumes, by: \.land).map { $0.elements.map(\.id) } == [[1], [4, 4]])
      #expect(try store.select(volumes, \.title) == ["d", "a", "d"])
      #expect(try store.frozen(volumes).map { try $0.thawed().id } == [4, 1, 4])
      let rows = try store.grouped(volumes, by: \.land.name) { (count: $0.count(), middle: $0.median(\.pages)) }
      #expect(rows.map(\.key) == ["Norway", "Switzerland"] && rows.map(\.count) == [2, 1])
      #expect(rows.map(\.middle) == [40, 10])
      #expect(throws: StorageError.self) { try store.page(volumes, size: 2) }
      #expect(try store.page(volumes.query, size: 1).elements.map(\.id) == [1])
      #expect(try store.assign(volumes) { $0.pages += 1 } == 2)
      #expect(try store.update(volumes) { $0.pages += 1 } == 2)
      #expect(try store.select(volumes, \.pages) == [42, 12, 42])
    }
  }

  // GRP-5, GRP-7
  @Test("Records have the same figures, conditions and orders on groups", arguments: EveryEngine.schemes)
  func records(_ scheme: String) throws {
    try withStore(scheme) { store in
      let query = QueryTree(model: "Tome")
      let rows = try store.records.grouped(
        query, by: ["kind", "land.name"], "count, median(pages) as middle", having: "sum(pages) < 40",
        sortedBy: "-middle",
        limit: 1)
      #expect(rows.map(\.values) == [[.string("poem"), .string("Switzerland"), .int(1), .double(30)]])
      #expect(rows[0]["middle"] == .double(30))
      #expect(try store.records.grouped(query, "p90(cost)").map(\.values) == [[.decimal(8)]])
      for text in [
        "", "counts", "sum", "sum(title)", "percentile(pages, 101)", "first(title)", "sum(pages", "count, count",
      ] {
        let error = #expect(throws: StorageError.self, "\(text)") { try store.records.grouped(query, text) }
        #expect(error?.code == .invalidQuery, "\(text)")
      }
      for (having, order) in [("nothing > 1", nil), ("count >", nil), (nil, "-nothing")] as [(String?, String?)] {
        let error = #expect(throws: StorageError.self) {
          try store.records.grouped(query, by: ["kind"], "count", having: having, sortedBy: order)
        }
        #expect(error?.code == .invalidQuery)
      }
      #expect(throws: StorageError.self) { try store.records.grouped(query, "count", limit: -1) }
    }
  }

  // GRP-7
  @Test("Wrong groups and figures are errors", arguments: EveryEngine.schemes)
  func wrongFigures(_ scheme: String) throws {
    try withStore(scheme) { store in
      for percent in [-1, 100.5, .nan, .infinity, 1e300] {
        let error = #expect(throws: StorageError.self) {
          try store.figures(of: Tome.all) { $0.percentile(\.pages, percent) }
        }
        #expect(error?.code == .invalidQuery)
      }
      try store.write { tx in
        try tx.insert(
          Tome(id: 5, title: "e", kind: .poem, price: nil, pages: .max, cost: 1, land: Ref("CH"), patron: nil))
      }
      let error = #expect(throws: StorageError.self) { try store.figures(of: Tome.all) { $0.sum(\.pages) } }
      #expect(error?.code == .invalidValue)
      try store.write { tx in
        try tx.records.assign(QueryTree(model: "Tome"), AssignmentParser.parse("kind = 'essay'"))
      }
      let refused = #expect(throws: StorageError.self) { try store.grouped(Tome.all, by: \.kind) { $0.count() } }
      #expect(refused?.code == .invalidValue && refused?.property == "kind")
    }
  }

  // GRP-9
  @Test("Groups beyond the memory that the options allow", arguments: EveryEngine.schemes)
  func littleMemory(_ scheme: String) throws {
    try EveryEngine.withStore(scheme, [TomeSale.self], options: "?memory=64KB") { store in
      let count = 5000
      try store.write { tx in
        try tx.insert(
          contentsOf: (0..<2 * count).map {
            TomeSale(id: $0, sold: Date(timeIntervalSinceReferenceDate: Double($0 &* 7919 % count)))
          })
      }
      let rows = try store.grouped(TomeSale.all, by: \.sold) {
        (count: $0.count(), least: $0.min(\.id), middle: $0.median(\.id))
      }
      let engine = try store.grouped(TomeSale.all, by: \.sold) { (count: $0.count(), least: $0.min(\.id)) }
      #expect(rows.map(\.key) == (0..<count).map { Date(timeIntervalSinceReferenceDate: Double($0)) })
      #expect(engine.map(\.key) == rows.map(\.key))
      #expect(engine.allSatisfy { $0.count == 2 } && rows.allSatisfy { $0.count == 2 })
      #expect(engine.map(\.least) == rows.map(\.least) && Set(engine.map(\.least)) == Set(0..<count))
    }
  }

  @Test("The asynchronous forms", arguments: EveryEngine.schemes)
  func asynchronous(_ scheme: String) async throws {
    try await EveryEngine.withStore(scheme, [TomeLand.self]) { store in
      try await store.insert(TomeLand(code: "CH", name: "Switzerland"))
      let rows = try await store.grouped(TomeLand.all, by: \.name) { (count: $0.count(), last: $0.max(\.code)) }
      #expect(rows.map(\.key) == ["Switzerland"] && rows[0].last == "CH")
    }
  }
}
