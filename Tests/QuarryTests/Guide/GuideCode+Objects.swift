import Foundation
import Quarry

extension GuideCode {
  static func objects(_ store: Store, _ more: [Author]) throws -> [Author?] {
    try store.insert(Author(id: 1, email: "a@example.org", born: 1815, name: "Ada"))
    try store.insert(contentsOf: more)
    try store.upsert(Author(id: 2, email: "c@example.org", born: 1791, name: "Charles"))

    try store.upsert(Author(id: 2, email: "c@example.org", born: 1791, name: "Babbage"), updating: \.name)

    let ada = try store.get(Author.self, 1)
    let isThere = try store.exists(Author.self, 99)
    let several = try store.get(Author.self, keys: [2, 99, 1])
    let found = try store.getOrInsert(Author.self, 7) { Author(id: 7, email: "g@example.org", name: "Grace") }

    try store.update(Author.self, 1) { $0.rating = 5 }
    try store.assign(Author.self, 1) { $0.rating = 5 }
    try store.assign(Author.where { $0.born < 1900 }) { $0.rating += 1 }
    try store.update(Author.where { $0.rating > 9 }) { $0.tags.append("classic") }

    try store.delete(Author.self, 2)
    try store.delete(Author.where { $0.name.hasPrefix("Z") })
    return [ada, found] + several + (isThere ? [ada] : [])
  }

  static func locking(_ store: Store, _ original: Author) throws {
    var changed = original
    changed.name = "Ada Lovelace"
    try store.update(changed, ifUnchangedFrom: original)

    var next = changed
    next.revision += 1
    try store.update(next, ifStored: \.revision, is: changed.revision)
  }

  static func queries(_ store: Store) throws -> (Int, Int, String, [Query<Author>]) {
    let query = Author.where { $0.born >= 1800 && ($0.name.contains("a") || $0.address == nil) }
      .sorted(by: \.born, order: .reverse).sorted(by: \.name).limit(20)
    let authors = try store.fetch(query)
    let number = try store.count(query)
    let plan = try store.explain(query)

    let byPredicate = try Author.where(#Predicate { $0.name == "Ada" && $0.rating > 3 })
    let byString = try Author.where("name == %@ AND rating > %@", "Ada", 3.0)

    let (ids, minimum) = ([1, 4], 3)
    let held = Author.where { ids.contains($0.id) && (1800...).contains($0.born) }
    let lengths = Author.where { !$0.name.isEmpty && $0.name.count < 40 && $0.rating > minimum }
    let calculated = Author.where { $0.rating * 2 > 9 && $0.born % 10 == 5 }
    let calculatedText = try Author.where("rating * 2 > 9 AND born % 10 == 5 AND name.@count < %d", 40)
    let lexical = try Author.all.sorted(by: SortDescriptor(\.name, comparator: .lexical, order: .reverse))

    let folded = Author.where { $0.name.contains("ADA", options: .caseAndDiacriticInsensitive) }
    let tagged = Author.where { $0.tags.contains("classic") || $0.tags.count > 3 }
    let placed = Author.where { $0.address.city == "London" }
    let inPredicate = try Author.where(#Predicate { $0.address?.city == "London" })
    let unknown = Author.where { $0.born == nil }
    let chosen = Author.where { $0.kind.isIn([.person, .company]) && $0.born.isIn(1800..<1900) }
    let patterned = Author.where { $0.name.like("A?a*") && !$0.name.matches("[A-Z]\\w+( [A-Z]\\.)?") }
    let ranged = try Author.where("born BETWEEN {1800, 1899} AND name MATCHES[c] '[a-m].*'")
    let short = Author.where { $0.tags.any { $0.hasPrefix("c") } && $0.tags.all { $0 != "draft" } }
    let extended = Lending.where { $0.isExtended.isTrue }
    _ = (extended, ranged)
    return (
      authors.count, number, plan.description,
      [
        byPredicate, byString, folded, tagged, placed, inPredicate, unknown, held, lengths, calculated, calculatedText,
        lexical, chosen, patterned, short,
      ]
    )
  }

  static func results(_ store: Store) throws -> Int {
    try store.read { tx in
      let best = try tx.max(Author.all, of: \.rating)
      let mean = try tx.average(Author.all, of: \.rating)
      let total = try tx.sum(Author.all, of: \.rating)
      let first = try tx.first(Author.all.sorted(by: \.name))
      let isAnyOld = try tx.exists(Author.where { $0.born < 1800 })
      let keys = try tx.keys(Author.where { $0.kind == .person })
      let years = try tx.distinct(Author.all, \.born)
      let perYear = try tx.count(Author.all, by: \.born)
      let groups = try tx.grouped(Author.all, by: \.kind)
      let names = try tx.select(Author.all, \.id, \.name)
      try tx.forEach(Author.all.sorted(by: \.name)) { author in print(author.name) }
      _ = (best, mean, total, first, isAnyOld, keys, years, perYear, groups, names)
    }

    var page = try store.page(Author.all.sorted(by: \.name), size: 50)
    while let next = page.next {
      page = try store.page(Author.all.sorted(by: \.name).after(next), size: 50)
    }
    return page.elements.count
  }

  static func transactions(_ store: Store) async throws -> [Author?] {
    try { () throws in
      try store.write { tx in
        try tx.insert(Author(id: 10, email: "x@example.org", name: "X"))
        do {
          try tx.savepoint {
            try tx.delete(Author.all)
            throw Rejected()
          }
        } catch is Rejected {}
      }
    }()
    try await store.write { tx in try tx.insert(Author(id: 11, email: "y@example.org", name: "Y")) }
    let grace = try await store.first(Author.where { $0.name == "Grace" })
    try await store.upsert(Author(id: 7, email: "g@example.org", name: "Grace Hopper"), updating: \.name)
    for try await author in store.stream(Author.all) { print(author.name) }
    try await store.write(alone: true) { tx in try tx.delete(Author.where { $0.name == "" }) }
    return [grace, try await store.get(Author.self, 7)]
  }

  static func frozen(_ store: Store) throws -> ([String], Int) {
    let frozen = try store.frozen(Author.all)
    let names = frozen.map(\.name)
    let thawed = try frozen.first?.thawed()
    let snapshot = try store.freeze()
    try store.delete(Author.all)
    let before = try snapshot.count(Author.all)
    snapshot.close()
    _ = thawed
    return (names, before)
  }

  static func mapping(_ store: Store) throws -> ([Card], Value?) {
    let cards = try store.mapped(Card.self).fetch(Author.all)
    _ = try titles(of: Author.all, in: store) + store.read { tx in try titles(of: Author.all, in: tx) }
    let records = try store.read { tx in
      try tx.records.fetch(in: "Author", where: "born > 1700", sortedBy: "-born", limit: 3)
    }
    let name = records.first?["name"]
    return (cards, name)
  }

  static func records(_ path: String) throws -> [String] {
    let anyStore = try Store(opening: .sqlite(at: path))
    let models = try anyStore.models().map(\.name)
    try anyStore.write { tx in
      try tx.records.insert(into: "Author", [Record(["id": 20, "email": "r@example.org", "name": "Rosa"])])
      try tx.records.upsert(into: "Author", [Record(["id": 20, "born": 1905])], updating: ["born"])
      try tx.records.delete(in: "Author", keys: [20])
    }
    try anyStore.close()
    return models
  }
}
