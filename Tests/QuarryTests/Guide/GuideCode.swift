import Foundation
import Quarry
import QuarryEngines

// The code of README.md and of docs/guide, in places where it compiles and runs. DocumentationTests compares them.

enum GuideCode {
  static func fiveMinutes(at folder: String) throws -> [String] {
    let before = FileManager.default.currentDirectoryPath
    _ = FileManager.default.changeCurrentDirectoryPath(folder)
    defer { _ = FileManager.default.changeCurrentDirectoryPath(before) }
    let verse = try Store(for: Poet.self, Poem.self, in: .sqlite(at: "poems.db"))
    let token = try verse.observe(Poem.all) { change in print("\(change.objects.count) poems") }
    try verse.insert(Poet(id: 1, name: "Sappho"))
    try verse.insert(contentsOf: (1...3).map { Poem(id: $0, title: "Ode \($0)", poet: Ref(1)) })
    try verse.update(Poem.self, 1) { $0.title = "To Aphrodite" }
    let odes = try verse.fetch(Poem.where { $0.poet.name == "Sappho" && $0.title.hasPrefix("Ode") }.sorted(by: \.title))
    for (poet, poems) in try verse.fetch(Poet.all, with: \.poems) { print(poet.name, poems.map(\.title)) }
    token.cancel()
    try verse.close()
    return odes.map(\.title)
  }

  static func readme(at folder: String) throws -> [Book] {
    let before = FileManager.default.currentDirectoryPath
    _ = FileManager.default.changeCurrentDirectoryPath(folder)
    defer { _ = FileManager.default.changeCurrentDirectoryPath(before) }
    let store = try Store(for: Book.self, in: .sqlite(at: "library.db"))
    try store.write { tx in try tx.insert(Book(id: UUID(), isbn: "0-345-39180-2", year: 1979, title: "The Guide")) }

    let recent = try store.fetch(
      Book.where { $0.year >= 1970 && $0.title.hasPrefix("The") }.sorted(by: \.year, order: .reverse).limit(20))
    print(recent.map(\.title))
    try store.close()
    return recent
  }

  static func opening(_ path: String) throws -> [Store] {
    let store = try Store(for: Author.self, in: .sqlite(at: path))
    let cache = try Store(for: Author.self, in: .memory)
    let shared = try Store(for: Author.self, in: .memory(named: "shared"))
    let file = try Store(for: Author.self, in: .flatFile(at: path + ".quarry"))
    let large = try Store(for: Author.self, in: .lmdb(at: path + ".lmdb"))
    return [store, cache, shared, file, large]
  }

  static func byURL(_ path: String) throws -> Store {
    let configured = try Store(for: Author.self, url: "lmdb:\(path).lmdb?readers=64&durability=processCrash")
    return configured
  }

  static func byDefault(_ path: String) throws -> Store {
    StoreConfiguration.default = StoreConfiguration(.sqlite(at: path))
    let standard = try Store(for: Author.self, Lending.self)
    return standard
  }

  static func readOnly(_ path: String) throws -> Store {
    var options = OpenOptions()
    options.isReadOnly = true
    let reader = try Store(for: Author.self, in: .sqlite(at: path), options: options)
    return reader
  }

  static func tidying(_ path: String) throws -> Store {
    var tidy = OpenOptions()
    tidy.compaction = .when { total, used in total > 100 << 20 && used * 2 < total }
    let tidied = try Store(for: Author.self, in: .sqlite(at: path), options: tidy)
    print(tidied.openingReport.compacted?.bytesAfter ?? "not compacted")
    return tidied
  }

  static func startingOver(_ place: some BackendProvider) throws -> Store {
    let begun = try Store(for: Author.self, in: place, migration: .startOver(keeping: .quarantine))
    if let old = begun.openingReport.quarantine { print("the store of before is \(old)") }
    return begun
  }

  static func migrations(_ places: [any BackendProvider]) throws -> [[String]] {
    typealias Item = ShopV2.Item

    let migration = Migration.to(2) { m in
      if m.storedVersion < 2 {
        try m.rename("title", to: "name", in: "Item")
        try m.convert("price", in: "Item") { (old: String?) in old.flatMap { Decimal(string: $0) } }
        try m.enumerate("Item") { old, new in
          if old["note"] == "sold out" { new = nil } else { new["name"] = "\(old["name"]) (\(old["id"]))" }
        }
      }
      try m.afterwards { tx in try tx.assign(Item.where { $0.price > 100 }) { $0.stock = 1 } }
    }
    let linking = Migration.to(3) { m in try m.convertToLinks("tags", in: "Article") }
    let unlinking = Migration.to(4) { m in try m.convertFromLinks("tags", in: "Article") }
    _ = (linking, unlinking)
    func byBody(_ place: some BackendProvider) throws -> Store {
      let shop = try Store(for: Item.self, in: place, migration: migration)
      return shop
    }
    func byPlan(_ place: some BackendProvider) throws -> Store {
      let planned = try Store(plan: ShopPlan.self, in: place)
      return planned
    }
    func rehearsed(_ place: some BackendProvider) throws -> MigrationReport {
      let report = try Store.rehearse(plan: ShopPlan.self, in: place)
      for loss in report.losses { print("\(loss.count) values of \(loss.model).\(loss.property ?? "") would go") }
      return report
    }
    _ = Migration.dropping("Item.note", "Draft")

    var names: [[String]] = []
    for place in places {
      for isPlanned in [false, true] {
        let old = try Store(models: [ShopV1.Item.self], in: place, migration: .to(1))
        try old.insert(contentsOf: [
          ShopV1.Item(id: 1, title: "Pen", price: "1.50"), ShopV1.Item(id: 2, title: "Desk", price: "250", note: "new"),
          ShopV1.Item(id: 3, title: "Lamp", price: "30", note: "sold out"),
        ])
        try old.close()
        let report = try rehearsed(place)
        guard report.error == nil, report.rowsWritten == 3, report.losses.first?.count == 2 else { throw Rejected() }
        let shop = isPlanned ? try byPlan(place) : try byBody(place)
        guard shop.schemaVersion == 2, shop.openingReport.schemaChanges.isEmpty == false else { throw Rejected() }
        names.append(try shop.fetch(Item.all).map { "\($0.name) \($0.price) \($0.stock)" })
        try shop.destroy()
      }
    }
    return names
  }
}
