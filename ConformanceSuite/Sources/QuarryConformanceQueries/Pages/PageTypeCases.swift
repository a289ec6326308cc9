import Foundation
import QuarryBackend
import QuarryConformanceKit
import QuarryCore
import QuarryQuery

/// Pages in the order of each type, in both directions: each object once, and a position outlives its object.
enum PageTypeCases {
  static let all: [ConformanceCase] = Samples.orderedTypes.flatMap { type in
    [false, true].flatMap { [paged(type, $0), removed(type, $0)] }
  }

  /// Objects whose property of the type has these values, two of each. Everything has a property of each type's name.
  private static func store(_ kit: ConformanceContext, _ type: PropertyType) throws -> (store: Store, count: Int) {
    let values = Samples.few(type, 6)
    let store = try kit.store(Everything.self)
    try store.write { tx in
      try tx.insert(contentsOf: (0..<values.count * 2).map { Everything($0) })
      for (place, value) in (values + values).enumerated() {
        try tx.records.assign(
          QueryTree(
            model: "Everything", predicate: .compare(.named("id"), .equal, .value(.int(Int64(place))))),
          [.init(type.name, .set, value)])
      }
    }
    return (store, values.count * 2)
  }

  private static func query(_ type: PropertyType, _ isDescending: Bool) throws -> Query<Everything> {
    try Everything.all.sorted((isDescending ? "-" : "") + type.name)
  }

  private static func paged(_ type: PropertyType, _ isDescending: Bool) -> ConformanceCase {
    ConformanceCase(
      "PAGE.\(type.name).\(isDescending ? "falling" : "rising")", ["PAGE-2", "SORT-2", "SORT-3"],
      "The pages in the order of a \(type.name) are together the query's objects, each once.",
      without: ConformanceVariant.ofWrites
    ) { kit in
      let (store, count) = try store(kit, type)
      let query = try query(type, isDescending)
      try store.read { tx in
        let whole = try tx.keys(query)
        try expectEqual(whole.count, count)
        for size in [1, 4, count] {
          var seen: [Int] = []
          var page = try tx.page(query, size: size)
          seen += page.elements.map(\.id)
          while let next = page.next, seen.count <= count {
            page = try tx.page(query.after(next), size: size)
            seen += page.elements.map(\.id)
          }
          try expectEqual(seen, whole, "pages of \(size)")
        }
      }
    }
  }

  private static func removed(_ type: PropertyType, _ isDescending: Bool) -> ConformanceCase {
    ConformanceCase(
      "PAGE.\(type.name).removed-\(isDescending ? "falling" : "rising")", ["PAGE-2", "PAGE-3"],
      "A position in the order of a \(type.name) means its place, though its object was removed.",
      without: ConformanceVariant.ofReads
    ) { kit in
      let (store, _) = try store(kit, type)
      let query = try query(type, isDescending)
      let whole = try store.keys(query)
      let page = try store.page(query, size: 3)
      try expectEqual(page.elements.map(\.id), Array(whole[..<3]))
      try store.delete(Everything.self, whole[2])
      try store.delete(Everything.self, whole[4])
      let next = try store.page(query.after(page.next), size: 100)
      try expectEqual(next.elements.map(\.id), [whole[3]] + whole[5...])
      try expect(next.next == nil, "a page after the last")
    }
  }
}
