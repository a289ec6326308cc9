import Foundation
import QuarryBackend
import QuarryConformanceKit
import QuarryCore

enum PageCases {
  /// Rows with ties, nil, NaN and both zeros in what they are sorted by.
  private static let figures: [Figure] = {
    let values: [Double?] = [nil, -.infinity, -1, -0.0, 0.0, 2.5, .infinity, .nan, -.nan]
    let groups: [String?] = [nil, "", "a\0", "a", "\u{E9}", "e\u{301}"]
    let prices: [Decimal?] = [nil, Samples.decimal("0.1"), Samples.decimal("12345678901234567890.5"), -3]
    return (0..<70).map {
      Figure(
        $0, group: groups[$0 * 5 % 6], number: $0 % 4 == 0 ? nil : $0 % 7,
        unsigned: $0 % 3 == 0 ? .max : UInt64($0 % 5),
        value: values[$0 * 7 % 9], ratio: values[$0 % 9].map { Float($0) }, price: prices[$0 % 4])
    }
  }()

  /// The objects of all pages of a query, and where each page but the last ended.
  private static func pages(
    _ store: some ReadableStore, _ query: Query<Figure>, size: Int,
    between: (PagePosition) throws -> PagePosition = { $0 }
  ) throws -> [Int] {
    var result: [Int] = []
    var position: PagePosition?
    repeat {
      let page = try store.page(query.after(position), size: size)
      try expect(page.elements.count == size || page.next == nil && page.elements.count < size, "a short page")
      result += page.elements.map(\.id)
      position = try page.next.map(between)
    } while position != nil && result.count < 1000
    return result
  }

  private static let orders = [
    "", "id", "-id", "value", "-value", "group", "-group", "number,-value", "-group,number", "price", "-price",
    "-unsigned,ratio", "ratio", "-ratio", "group,-number,value", "small", "-small",
  ]

  static let all: [ConformanceCase] =
    orders.map { order in
      ConformanceCase(
        "PAGE.order-\(order.isEmpty ? "none" : order)", ["PAGE-2", "SORT-2"],
        "The pages of the order \(order) are together the query's objects."
      ) { kit in
        let store = try kit.store(Figure.self)
        var random = kit.random(11)
        try store.insert(contentsOf: figures.shuffled(using: &random))
        for query in [Figure.all, Figure.where { $0.number != 3 }, Figure.where { $0.value > -1 || $0.group == nil }] {
          let query = try order.isEmpty ? query : query.sorted(order)
          let whole = try store.keys(query)
          for size in [1, 3, 7, 70, 71] { try expectEqual(try pages(store, query, size: size), whole, "size \(size)") }
        }
      }
    } + limits + positions

  private static let limits: [ConformanceCase] = [
    ConformanceCase("PAGE.negative", ["PAGE-1"], "A negative limit or offset is invalidQuery, whatever is done.") {
      kit in
      let store = try kit.store(Item.self)
      try store.insert(Item(1))
      for query in [Item.all.limit(-1), Item.all.offset(-1), Item.all.limit(.min), Item.all.offset(.min)] {
        try expectError(.invalidQuery) { try store.fetch(query) }
        try expectError(.invalidQuery) { try store.count(query) }
        try expectError(.invalidQuery) { try store.keys(query) }
        try expectError(.invalidQuery) { try store.exists(query) }
        try expectError(.invalidQuery) { try store.first(query) }
        try expectError(.invalidQuery) { try store.read { try $0.sum(query, of: \.rank) } }
        try expectError(.invalidQuery) { try store.delete(query) }
        try expectError(.invalidQuery) { try store.assign(query) { $0.rank = 1 } }
      }
      try expectEqual(try store.fetch(Item.all), [Item(1)])
    },
    ConformanceCase("PAGE.empty", ["PAGE-2"], "The one page of nothing is empty.") { kit in
      let store = try kit.store(Figure.self)
      let page = try store.page(Figure.all, size: 5)
      try expect(page.elements.isEmpty && page.next == nil)
    },
    ConformanceCase("PAGE.exact", ["PAGE-2"], "A page that takes the last object has none after it.") { kit in
      let store = try kit.store(Figure.self)
      try store.insert(contentsOf: figures)
      try expect(try store.page(Figure.all, size: 70).next == nil)
      try expect(try store.page(Figure.all, size: 69).next != nil)
      try expectEqual(try store.page(Figure.all, size: .max).elements.count, 70)
      try expectError(.invalidQuery) { try store.page(Figure.all, size: 0) }
      try expectError(.invalidQuery) { try store.page(Figure.all, size: -1) }
    },
  ]

  private static let positions: [ConformanceCase] = [
    ConformanceCase("PAGE.inserted-between", ["PAGE-2"], "Objects that are added between pages disturb no other.") {
      kit in
      let store = try kit.store(Figure.self)
      try store.insert(contentsOf: figures)
      let query = try Figure.all.sorted("-value,number")
      let before = try store.keys(query)
      var next = 1000
      let seen = try pages(store, query, size: 6) { position in
        try store.insert(
          contentsOf: [nil, .infinity, 0, .nan].map { value in
            next += 1
            return Figure(next, number: next % 5, value: value)
          })
        return position
      }
      try expectEqual(seen.filter { $0 < 1000 }, before)
      try expectEqual(Set(seen).count, seen.count)
    },
    ConformanceCase("PAGE.deleted-between", ["PAGE-2"], "Objects that are removed between pages disturb no other.") {
      kit in
      let store = try kit.store(Figure.self)
      try store.insert(contentsOf: figures)
      let query = try Figure.all.sorted("group,-value")
      let before = try store.keys(query)
      var place = 0
      // The last object of the page, which the position names, and one that comes later.
      let seen = try pages(store, query, size: 5) { position in
        place += 5
        try store.write { _ = try $0.delete(Figure.self, keys: [before[place - 1]]) }
        return position
      }
      try expectEqual(seen, before)
      let rest = try store.keys(query)
      let first = try store.page(query, size: 4)
      try store.write { _ = try $0.delete(Figure.self, keys: Array(rest[6..<9])) }
      let second = try store.page(query.after(first.next), size: 6)
      try expectEqual(second.elements.map(\.id), Array(rest[4..<6] + rest[9..<13]))
    },
    ConformanceCase("PAGE.of-another", ["PAGE-3"], "The position of another query is invalidQuery.") { kit in
      let store = try kit.store(Figure.self, Item.self)
      try store.insert(contentsOf: figures)
      let position = try unwrap(try store.page(Figure.where { $0.small == 0 }.sorted("value"), size: 5).next)
      for other in try [
        Figure.all, Figure.where { $0.small == 1 }.sorted("value"), Figure.where { $0.small == 0 },
        Figure.where { $0.small == 0 }.sorted("-value"), Figure.where { $0.small == 0 }.sorted("value,group"),
        Figure.where { $0.small != 0 }.sorted("value"), Figure.where { $0.small == 0 }.sorted("ratio"),
      ] {
        try expectError(.invalidQuery, "\(other.tree)") { try store.page(other.after(position), size: 5) }
        try expectError(.invalidQuery, "\(other.tree)") { try store.count(other.after(position)) }
      }
      try expectError(.invalidQuery) { try store.page(Item.where { $0.id == 0 }.after(position), size: 5) }
    },
    ConformanceCase("PAGE.stored", ["PAGE-3"], "A position goes through JSON and means the same.") { kit in
      let store = try kit.store(Figure.self)
      try store.insert(contentsOf: figures)
      for order in orders where !order.isEmpty {
        let query = try Figure.all.sorted(order)
        let seen = try pages(store, query, size: 2) { position in
          let data = try JSONEncoder().encode(position)
          let decoded = try JSONDecoder().decode(PagePosition.self, from: data)
          try expectEqual(decoded, position, order)
          return decoded
        }
        try expectEqual(seen, try store.keys(query), order)
      }
    },
    ConformanceCase("PAGE.frozen", ["PAGE-2", "SNAP-1"], "Pages of a frozen store stay as they were.") { kit in
      let store = try kit.store(Figure.self)
      try store.insert(contentsOf: figures)
      let frozen = try store.freeze()
      defer { frozen.close() }
      let query = try Figure.all.sorted("-ratio")
      let before = try store.keys(query)
      let seen = try pages(frozen, query, size: 9) { position in
        try store.delete(Figure.all.limit(9))
        return position
      }
      try expectEqual(seen, before)
    },
    ConformanceCase("PAGE.in-write", ["PAGE-2", "TXN-2"], "Pages inside a write show what it has written.") { kit in
      let store = try kit.store(Figure.self)
      try store.insert(contentsOf: figures.prefix(30))
      try store.write { tx in
        try tx.insert(contentsOf: figures.dropFirst(30))
        let query = try Figure.all.sorted("value")
        let first = try tx.page(query, size: 30)
        let second = try tx.page(query.after(first.next), size: 100)
        try expectEqual(first.elements.map(\.id) + second.elements.map(\.id), try tx.keys(query))
        try expectEqual(second.elements.count, 40)
      }
    },
    ConformanceCase("PAGE.count-after", ["PAGE-2", "AGG-5"], "Counting after a position counts what is left.") { kit in
      let store = try kit.store(Figure.self)
      try store.insert(contentsOf: figures)
      let query = try Figure.all.sorted("group,value")
      let page = try store.page(query, size: 11)
      try expectEqual(try store.count(query.after(page.next)), 59)
      try expectEqual(try store.keys(query.after(page.next)), Array(try store.keys(query).dropFirst(11)))
    },
  ]
}
