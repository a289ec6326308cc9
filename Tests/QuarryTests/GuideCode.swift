import Foundation
import Quarry
import QuarryDump
import QuarryEncryption
import QuarryEngines
import Synchronization

// The code of docs/guide and README.md, in places where it compiles and runs. DocumentationTests compares them.

@Model
struct Book: Identifiable {
  let id: UUID
  @Attribute(.unique) var isbn: String
  @Attribute(.indexed) var year: Int
  var title: String
  var blurb: String?
  var tags: [String] = []
  @Transient var isOpen = false
}

@Model
struct Author: Identifiable, Equatable {
  let id: Int
  @Attribute(.unique) var email: String
  @Attribute(.indexed) var born: Int?
  var name: String
  var rating: Double = 0
  var kind: Kind = .person
  var address: Address?
  var tags: [String] = []
  var revision: Int = 0
  @Transient var isSelected = false

  enum Kind: String, Storable { case person, company }
  @Nested struct Address: Equatable { var city: String, country = "GB" }

  #Index<Author>([\.name, \.born])
}

@Model
struct Artist: Identifiable, Equatable {
  let id: Int
  var name: String
  var teacher: Ref<Artist>?
  @Relationship(deleteRule: .cascade, inverse: \Work.artist) var works: Many<Work>
  @Relationship(inverse: \Artist.teacher) var pupils: Many<Artist>
}

@Model
struct Work: Identifiable, Equatable {
  let id: Int
  var title: String
  var artist: Ref<Artist>
  @Relationship(deleteRule: .deny) var copyOf: Ref<Work>?
}

@Model
struct Show: Identifiable, Equatable {
  let id: Int
  var place: String
  var rooms: Links<Picture>
  @Relationship(.allowsDuplicates) var tour: Links<Picture>
}

@Model
struct Picture: Identifiable, Equatable {
  let id: String
  var year: Int
  @Relationship(inverse: \Show.rooms) var shows: Many<Show>
}

@Model(name: "Loan")
struct Lending: Equatable {
  @Attribute(.primaryKey) let number: String
  var isbn: String
  var reader: Int
  @Attribute(originalName: "date") var due: Date
  var isExtended: Bool = false

  #Unique<Lending>([\.isbn, \.reader])
}

enum ShopV1: VersionedSchema {
  static let version = 1
  static let models: [any Model.Type] = [Item.self]
  @Model struct Item: Equatable {
    let id: Int
    var title: String
    var price: String
    var note: String?
  }
}

enum ShopV2: VersionedSchema {
  static let version = 2
  static let models: [any Model.Type] = [Item.self]
  @Model struct Item: Equatable {
    let id: Int
    @Attribute(originalName: "title") var name: String
    var price: Decimal
    var stock: Int = 0
  }
}

enum ShopPlan: MigrationPlan {
  static let schemas: [any VersionedSchema.Type] = [ShopV1.self, ShopV2.self]
  static let stages: [MigrationStage] = [
    .custom(from: ShopV1.self, to: ShopV2.self) { m in
      try m.transform(ShopV1.Item.self, to: ShopV2.Item.self) { old in
        ShopV2.Item(id: old.id, name: old.title, price: Decimal(string: old.price) ?? 0)
      }
    }
  ]
}

func titles(of query: Query<Author>, in scope: some ReadScope) throws -> [String] {
  try scope.fetch(query).map(\.name)
}

struct Card: Mapped {
  var title: String
  var author: Author
  init(stored: Author) { (title, author) = (stored.name.uppercased(), stored) }
  func stored() -> Author { author }
}

struct Rejected: Error {}

@Model
struct Poet: Identifiable {
  let id: Int
  var name: String
  @Relationship(inverse: \Poem.poet) var poems: Many<Poem>
}
@Model
struct Poem: Identifiable {
  let id: Int
  var title: String
  var poet: Ref<Poet>
}

enum GuideCode {
  static func fiveMinutes(at folder: String) throws -> [String] {
    let before = FileManager.default.currentDirectoryPath
    _ = FileManager.default.changeCurrentDirectoryPath(folder)
    defer { _ = FileManager.default.changeCurrentDirectoryPath(before) }
    let store = try Store(for: Poet.self, Poem.self, in: .sqlite(at: "poems.db"))
    let token = try store.observe(Poem.all) { change in print("\(change.objects.count) poems") }
    try store.insert(Poet(id: 1, name: "Sappho"))
    try store.insert(contentsOf: (1...3).map { Poem(id: $0, title: "Ode \($0)", poet: Ref(1)) })
    try store.update(Poem.self, 1) { $0.title = "To Aphrodite" }
    let odes = try store.fetch(Poem.where { $0.poet.name == "Sappho" && $0.title.hasPrefix("Ode") }.sorted(by: \.title))
    for (poet, poems) in try store.fetch(Poet.all, with: \.poems) { print(poet.name, poems.map(\.title)) }
    token.cancel()
    try store.close()
    return odes.map(\.title)
  }

  static func readme(at folder: String) throws -> [Book] {
    let before = FileManager.default.currentDirectoryPath
    _ = FileManager.default.changeCurrentDirectoryPath(folder)
    defer { _ = FileManager.default.changeCurrentDirectoryPath(before) }
    let store = try Store(for: Book.self, in: .sqlite(at: "library.db"))
    try store.write { tx in try tx.insert(Book(id: UUID(), isbn: "0-345-39180-2", year: 1979, title: "The Guide")) }

    let recent = try store.read { tx in
      try tx.fetch(
        Book.where { $0.year >= 1970 && $0.title.hasPrefix("The") }.sorted(by: \.year, order: .reverse).limit(20))
    }
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
    let patterned = Author.where { $0.name.like("A?a*") }
    let short = Author.where { $0.tags.any { $0.hasPrefix("c") } && $0.tags.all { $0 != "draft" } }
    let extended = Lending.where { $0.isExtended.isTrue }
    _ = extended
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

  /// - Returns: The names that were shown, what was noted, and how often the closure was called.
  static func observation() async throws -> (shown: [String], log: [String], calls: Int) {
    let store = try Store(for: Author.self, in: .memory)
    var shown: [String] = []
    var log: [String] = []
    try await store.insert(Author(id: 1, email: "a@example.org", born: 1912, name: "Alan"))
    let writer = Task {
      while !Task.isCancelled {
        try await store.upsert(Author(id: 2, email: "g@example.org", born: 1906, name: "Grace"))
        try await store.update(Author.self, 2) { $0.name = "Grace Hopper" }
        try await store.delete(Author.self, 2)
      }
    }
    for try await change in store.changes(of: Author.where { $0.born >= 1900 }.sorted(by: \.name)) {
      if change.isInitial {
        shown = change.objects.map(\.name)
      } else {
        for deletion in change.deletions.reversed() { shown.remove(at: deletion.place) }
        for insertion in change.insertions { shown.insert(insertion.object.name, at: insertion.place) }
        for update in change.updates { log.append("\(update.old.name): \(update.properties)") }
      }
      if shown == ["Alan", "Grace"] { break }
    }
    for try await change in store.changes(of: Author.self, 2, keyPaths: \.name) {
      if case .changed(let old, let new, _) = change { log.append("\(old.name) is \(new.name)") }
      if case .deleted = change { break }
    }
    for try await commit in store.commits() {
      log.append("\(commit["Author"]?.inserted ?? []) were added")
      break
    }
    writer.cancel()
    _ = await writer.result
    return (shown, log, try told(store))
  }

  /// Adds numbers up on whatever thread.
  final class Counts: Sendable {
    private let sum = Mutex((numbers: 0, total: 0))
    var numbers: Int { sum.withLock { $0.numbers } }
    func add(_ number: Int) {
      sum.withLock { $0 = ($0.numbers + 1, $0.total + number) }
    }
  }

  private static func told(_ store: Store) throws -> Int {
    let counts = Counts()
    let token = try store.observe(Author.all.limit(10)) { change in
      counts.add(change.objects.count)
    }
    try store.write(withoutNotifying: [token]) { tx in
      try tx.insert(Author(id: 3, email: "m@example.org", name: "Mary"))
    }
    token.cancel()
    return counts.numbers
  }

  static func cached(_ store: Store) throws -> Int {
    let authors = try store.cached(Author.all.sorted(by: \.name), for: .seconds(300))
    return authors.count
  }

  static func care(_ path: String) throws -> Int {
    let aside = try Store(for: Author.self, in: .flatFile(at: path + ".aside.quarry"))
    let defects = try aside.check()
    let models = try aside.statistics().models
    try aside.compact()
    try aside.backup(to: path + ".backup.quarry")
    try aside.destroy()
    return defects.count + models.count
  }

  /// Puts the backup of `care` where the destroyed store was.
  static func restoringBackup(_ path: String) throws -> Bool {
    let done = try Store.restoreBackup(
      path + ".backup.quarry", to: .flatFile(at: path + ".aside.quarry"), replacing: true)
    if let old = done.quarantine { print("the store of before is kept as \(old)") }
    return done.quarantine == nil
  }

  static func repairing(_ path: String) throws -> [String] {
    let damaged = try Store(for: Author.self, in: .flatFile(at: path + ".damaged.quarry"))
    let repaired = try damaged.repair(quarantine: path + ".unreadable.jsonl")
    for action in repaired.actions { print(action) }
    return repaired.defects
  }

  static func moving(_ path: String) throws -> Int {
    let library = try Store(for: Author.self, in: .flatFile(at: path + ".library.quarry"))
    let copied = try library.copy(to: .sqlite(at: path + ".library.db"))
    for model in copied.models { print("\(model.name): \(model.rows) objects, sum \(model.digest)") }

    try library.dump(to: path + ".library.jsonl")
    try Store.restore(path + ".library.jsonl", to: .lmdb(at: path + ".library.lmdb"))

    let database = try Store(for: Author.self, in: .sqlite(at: path + ".library.db"))
    for difference in try library.differences(from: database) { print(difference) }
    let seeded = try Store(
      for: Author.self, in: .sqlite(at: path + ".seeded.db", seededFrom: path + ".library.db"))
    return try library.differences(from: seeded).count + copied.models.count
  }

  /// What relations give, in numbers that a test knows.
  static func relations() throws -> [Int] {
    let store = try Store(for: Artist.self, in: .memory)
    return try store.write { tx in
      let verrocchio = Artist(id: 1, name: "Verrocchio")
      let leonardo = Artist(id: 2, name: "Leonardo", teacher: Ref(verrocchio))
      try tx.insert(contentsOf: [leonardo, verrocchio])
      try tx.insert(Work(id: 1, title: "Ginevra", artist: Ref(2)))

      let teacher = try tx.get(leonardo.teacher)
      let works = try tx.fetch(leonardo.works.sorted(by: \.title))
      let number = try tx.count(verrocchio.pupils)
      let same = try tx.fetch(Work.where { $0.artist == Ref(leonardo) })
      for (artist, teacher, works) in try tx.fetch(Artist.all, with: \.teacher, \.works) {
        print(artist.name, teacher?.name ?? "nobody", works.count)
      }

      let frozen = try tx.frozen(Work.all, with: \.artist)
      let columns = ["title", "artist.name", "artist.teacher.name"]
      let rows = try tx.records.fetch(in: "Work", sortedBy: "title", columns: columns)
      print(frozen.map { "\($0.0.title) by \($0.1.name)" }, rows.compactMap { $0["artist.teacher.name"] })

      let leonardos = try tx.fetch(Work.where { $0.artist.name == "Leonardo" })
      let taught = try tx.count(Work.where("artist.teacher.name == 'Verrocchio'"))
      let busy = try tx.fetch(Artist.where { $0.works.any { $0.title.hasPrefix("G") } && $0.works.count < 3 })
      let byArtist = try tx.fetch(Work.all.sorted(by: \.artist.name))
      print(try tx.explain(Work.where { $0.artist.name != "Leonardo" }), leonardos, taught, busy, byArtist)

      try tx.deferringReferences {
        try tx.insert(Work(id: 2, title: "Ginevra, copied", artist: Ref(3), copyOf: Ref(1)))
        try tx.insert(Artist(id: 3, name: "A pupil"))
      }

      do {
        try tx.delete(Artist.self, 2)
      } catch let error as StorageError where error.code == .referenced {
        print("copied: \(error.message)")
      }
      return [teacher?.id ?? 0, works.count, number, same.count, try tx.count(Work.all), try tx.count(Artist.all)]
    }
  }

  /// What links give, in texts that a test knows.
  static func links() throws -> [String] {
    let store = try Store(for: Show.self, in: .memory)
    return try store.write { tx in
      let show = Show(id: 1, place: "Vinci")
      try tx.insert(show)
      try tx.insert(contentsOf: [Picture(id: "Ginevra", year: 1478), Picture(id: "Ermine", year: 1490)])
      try show.rooms.append(Ref("Ermine"), in: tx)
      try show.rooms.insert(Ref("Ginevra"), at: 0, in: tx)
      try show.rooms.move(from: 0, to: 1, in: tx)
      let hung = try tx.fetch(show.rooms)
      let old = try tx.fetch(show.rooms.where { $0.year < 1480 })
      for (picture, shows) in try tx.fetch(Picture.all, with: \.shows) { print(picture.id, shows.map(\.place)) }
      let early = try tx.fetch(Show.where { $0.rooms.any { $0.year < 1480 } })
      return hung.map(\.id) + old.map(\.id) + early.map(\.place)
    }
  }

  static func encryption(_ path: String) throws {
    let key = try FileKeyStore().key(named: "library", orCreate: true)
    let store = try Store(for: Book.self, in: .sqlite(at: path + ".sealed.db"), encryption: .init(key))
    try store.rekey(to: EncryptionKey.passphrase("correct horse battery staple"))
  }

  static func errors(_ store: Store) throws {
    do {
      try store.insert(Author(id: 12, email: "a@example.org", name: "Twin"))
    } catch let error as StorageError where error.code == .uniqueViolation {
      print("taken: \(error.property ?? "")")
    }
    let readable = try store.fetch(Author.all, onUnreadable: { _, error in print("cannot read: \(error)") })
    print(readable.count)
  }
}

@MainActor
final class Authors {
  let list: LiveQuery<Author>
  let first: Live<Author>

  init(_ store: Store) throws {
    list = try store.live(Author.all.sorted(by: \.name))
    first = try store.live(Author.self, 1)
  }

  var titles: [String] { list.map(\.name) + [first.name ?? "nobody"] }
}
