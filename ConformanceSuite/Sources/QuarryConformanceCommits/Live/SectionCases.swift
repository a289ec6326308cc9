import QuarryBackend
import QuarryConformanceKit
import QuarryCore

/// Lists in sections, and the changes that their observers receive.
enum SectionCases {
  /// The sections that an observer receives, and those that it must receive.
  private typealias Sections = [GroupedObjects<Int?, Item>]
  private typealias Due = [(key: Int?, elements: [Item])]

  static let all: [ConformanceCase] =
    [
      ConformanceCase(
        "LIVE.sections", ["LIVE-3"], "Each value of the column is one section, in the order of the query."
      ) {
        kit in
        let store = try kit.store(Item.self)
        try fill(store)
        for query in queries {
          for order in [SortDirection.forward, .reverse] {
            let changes = Pulled(store.changes(of: query, sectionedBy: \.rank, order: order))
            let first = try unwrap(try changes.next())
            try expect(first.isInitial, "the first change is the initial list")
            try expectDue(first.sections, try sections(store, query, order))
          }
        }
      },
      ConformanceCase("LIVE.limit", ["LIVE-3"], "A limit counts objects in the order of the sections.") { kit in
        let store = try kit.store(Item.self)
        try fill(store)
        let query = Item.where { $0.rank != nil }.sorted(by: \.score, order: .reverse)
        let all = try sections(store, query, .reverse)
        for limit in [0, 1, 4, 7, 100] {
          let changes = Pulled(store.changes(of: query.limit(limit), sectionedBy: \.rank, order: .reverse))
          let found = try unwrap(try changes.next()).sections
          try expectEqual(found.flatMap(\.elements), Array(all.flatMap(\.elements).prefix(limit)), "\(limit)")
          try expect(found.allSatisfy { !$0.elements.isEmpty }, "an empty section")
        }
      },
      ConformanceCase(
        "LIVE.moved", ["LIVE-4"],
        "An object that goes to another section is deleted in the one and inserted in the other."
      ) { kit in
        let store = try kit.store(Item.self)
        try store.insert(contentsOf: (1...6).map { Item($0, rank: $0 % 2, name: "\($0)") })
        let changes = Pulled(store.changes(of: Item.all.sorted(by: \.name), sectionedBy: \.rank))
        var list = try unwrap(try changes.next()).sections
        try expectEqual(list.map { $0.elements.map(\.id) }, [[2, 4, 6], [1, 3, 5]])
        // With another name, too, so that the object is an update of the whole list.
        try store.update(Item.self, 4) { ($0.rank, $0.name) = (1, "2") }
        var change = try unwrap(try changes.next())
        try expectEqual(change.sections.map { $0.elements.map(\.id) }, [[2, 6], [1, 4, 3, 5]])
        try expectEqual(change.updates.map(\.place), [0, 1])
        try expectEqual(change.updates.map { $0.change.deletions.map(\.object.id) }, [[4], []])
        try expectEqual(change.updates.map { $0.change.insertions.map(\.object.id) }, [[], [4]])
        try expect(change.updates.allSatisfy { $0.change.updates.isEmpty }, "the moved object is an update")
        try expectAlike(change.applied(to: list), change.sections)
        list = change.sections
        // It stays where it is in the whole list.
        try store.update(Item.self, 6) { ($0.rank, $0.name) = (1, "0") }
        change = try unwrap(try changes.next())
        try expectEqual(change.sections.map { $0.elements.map(\.id) }, [[2], [6, 1, 4, 3, 5]])
        try expectEqual(change.updates.map { $0.change.deletions.map(\.object.id) }, [[6], []])
        try expectEqual(change.updates.map { $0.change.insertions.map(\.object.id) }, [[], [6]])
        try expectAlike(change.applied(to: list), change.sections)
        list = change.sections
        // To a section that is new, from one that ends.
        try store.assign(Item.self, 2) { $0.rank = 7 }
        change = try unwrap(try changes.next())
        try expectEqual(change.sections.map(\.key), [1, 7])
        try expectEqual(change.deletions.map(\.place), [0])
        try expectEqual(change.insertions.map(\.place), [1])
        try expectEqual(change.updates.count, 0)
        try expectAlike(change.applied(to: list), change.sections)
      },
    ] + [SortDirection.forward, .reverse].map(random)

  private static let queries = [
    Item.all, Item.all.sorted(by: \.name), Item.all.sorted(by: \.score, order: .reverse),
    Item.where { $0.name != "b" }.sorted(by: \.name, order: .reverse).sorted(by: \.rank),
  ]

  private static func fill(_ store: Store) throws {
    try store.insert(
      contentsOf: (1...20).map {
        Item($0, rank: $0 % 5 == 0 ? nil : $0 % 3, name: ["a", "b", "c", "d"][$0 % 4], score: Double(($0 * 7) % 11))
      })
  }

  /// The sections of a list by their meaning: the objects of each value in the order of the query.
  private static func sections(_ store: Store, _ query: Query<Item>, _ order: SortDirection) throws -> Due {
    let objects = try store.fetch(query)
    var keys: [Int?] = []
    for item in try store.fetch(Item.all.sorted(by: \.rank, order: order)) where keys.last != .some(item.rank) {
      keys.append(item.rank)
    }
    var due: Due = []
    for key in keys {
      let own = objects.filter { $0.rank == key }
      if !own.isEmpty { due.append((key, own)) }
    }
    return due
  }

  private static func expectDue(_ found: Sections, _ due: Due, line: Int = #line) throws {
    try expectEqual(found.map(\.key), due.map(\.key), "the sections", line: line)
    try expectEqual(found.map(\.elements), due.map(\.elements), "the objects", line: line)
  }

  private static func expectAlike(_ found: Sections, _ due: Sections, line: Int = #line) throws {
    try expectEqual(found.map(\.key), due.map(\.key), "the sections", line: line)
    try expectEqual(found.map(\.elements), due.map(\.elements), "the objects", line: line)
  }

  /// Random commits, of which each change leads from the old sections to the new ones.
  private static func random(_ order: SortDirection) -> ConformanceCase {
    ConformanceCase(
      "LIVE.random-\(order == .forward ? "forward" : "reverse")", ["LIVE-3", "LIVE-4"],
      "The steps of random commits make the new sections of the old ones.", within: .seconds(60)
    ) { kit in
      var random = kit.random(order == .forward ? 5_300 : 5_301)
      let store = try kit.store(Item.self)
      let query = Item.where { $0.name != "hidden" }.sorted(by: \.name)
      let changes = Pulled(store.changes(of: query, sectionedBy: \.rank, order: order))
      var list = try unwrap(try changes.next()).sections
      try expect(list.isEmpty)
      for round in 0..<40 {
        try store.write { tx in
          for _ in 0..<Int.random(in: 1...4, using: &random) {
            let (id, rank) = (Int.random(in: 0..<12, using: &random), Int.random(in: 0..<5, using: &random))
            guard Int.random(in: 0..<4, using: &random) > 0 else {
              try tx.delete(Item.self, id)
              continue
            }
            let name = ["a", "b", "c", "hidden"].randomElement(using: &random) ?? ""
            try tx.upsert(Item(id, rank: rank == 4 ? nil : rank, name: name))
          }
        }
        let due = try sections(store, query, order)
        guard due.map(\.elements) != list.map(\.elements) else { continue }
        // With many writers, commits that follow each other closely may be one change.
        var change = try unwrap(try changes.next())
        try expectAlike(change.applied(to: list), change.sections)
        try check(change, list, "round \(round)")
        list = change.sections
        while list.map(\.elements) != due.map(\.elements) {
          change = try unwrap(try changes.next())
          try expectAlike(change.applied(to: list), change.sections)
          list = change.sections
        }
        try expectDue(list, due)
      }
    }
  }

  /// What is no step is as it was, and each step says what differs.
  private static func check(_ change: SectionsChange<Int?, Item>, _ old: Sections, _ about: String) throws {
    let (oldKeys, newKeys) = (old.map(\.key), change.sections.map(\.key))
    try expectEqual(
      change.deletions.map(\.place), oldKeys.indices.filter { !newKeys.contains(oldKeys[$0]) }, "\(about): deletions")
    try expectEqual(
      change.insertions.map(\.place), newKeys.indices.filter { !oldKeys.contains(newKeys[$0]) }, "\(about): insertions")
    let differing = newKeys.indices.filter { place in
      guard let before = oldKeys.firstIndex(of: newKeys[place]) else { return false }
      return old[before].elements != change.sections[place].elements
    }
    try expectEqual(change.updates.map(\.place), differing, "\(about): updates")
    for update in change.updates {
      let form = ListForm<Item>.items
      let (before, after) = (old[update.oldPlace].elements, change.sections[update.place].elements)
      try form.check(update.change, from: before, to: after)
    }
  }
}
