// Every shape of a property and of a relation, in a module with any settings.
import Foundation
import Quarry

@Nested
struct Point {
  var x = 0.0
  var y: Double?
}

@Nested
struct Place: Hashable {
  enum Kind: String, Codable, Storable {
    case home
    case work
  }

  var city: String
  var kind = Kind.home
  var kinds: [Kind] = [.work]
  var point = Point()
  var corners: [Point] = []
  var notes: [String: Int] = [:]
  @Transient var isShown = false

  static func == (left: Place, right: Place) -> Bool { left.city == right.city }
  func hash(into hasher: inout Hasher) { hasher.combine(city) }
}

@Nested
struct Named {
  enum CodingKeys: String, CodingKey {
    case text = "t"
  }

  var text = ""
  var left = 1
}

@Model
struct Person: Identifiable {
  let id: UUID
  @Attribute(.unique) var mail: String
  @Attribute(.indexed, originalName: "old") var born: Int?
  var place: Place
  var places: [Place] = []
  var second: Place?
  var boss: Ref<Person>?
  @Relationship(deleteRule: .cascade, inverse: \Note.author) var notes: Many<Note>
  @Relationship(inverse: \Person.boss) var staff: Many<Person>
  @Relationship(.allowsDuplicates) var friends: Links<Person>
  var tags: Links<Tag>
  @Transient var isShown = false
  @Transient lazy var length = mail.count

  #Index<Person>([\.mail, \.born])
  #Index<Person>([.reverse(\.born), .forward(\.mail)])
  #Unique<Person>([\.born, \.mail])
}

@Model(name: "notes", originalName: "Memo")
struct Note {
  let id: Int
  var text = ""
  var author: Ref<Person>
}

@Model
struct Tag {
  @Attribute(.primaryKey) var name: String
  @Relationship(inverse: \Person.tags) var people: Many<Person>
}

@Model
struct Loan: Identifiable {
  let reader: Ref<Person>
  var tag: String
  let `case`: Kind
  var due: Int
  var renewed: Ref<Loan>?
  @Relationship(inverse: \Loan.renewed) var renewals: Many<Loan>
  var tags: Links<Tag>
  var id: Key { primaryKeyValue }

  enum Kind: String, Storable { case book, film }

  #PrimaryKey<Loan>([\.reader, \.tag, \.`case`])
  #Index<Loan>([\.due])
}

func useCompoundKeys(_ tx: WriteTransaction) throws {
  let key = Loan.Key(reader: Ref(UUID()), tag: "a", case: .film)
  let loan = Loan(reader: key.reader, tag: key.tag, case: .book, due: 3, renewed: Ref(key))
  try tx.insert(loan)
  _ = try tx.get(Loan.self, .init(reader: loan.reader, tag: "b", case: .book))
  _ = try tx.get(Loan.self, keys: [key, loan.id].sorted())
  _ = try tx.fetch(Loan.where { $0.reader == loan.reader && $0.due > 2 })
  _ = try tx.delete(Loan.self, key)
}

func useShapes(_ tx: WriteTransaction) throws {
  let person = Person(id: UUID(), mail: "a@b", born: 3, place: Place(city: "Oslo"))
  try tx.insert(person)
  let query = Person.where { $0.place.city == "Oslo" && $0.place.point.x > 1 && $0.boss.born < 3 && $0.born != nil }
    .sorted(by: \.mail)
  for found in try tx.fetch(query) { try found.tags.append(Tag(name: found.mail), in: tx) }
  try tx.assign(query) { $0.mail = "x" }
  _ = try JSONEncoder().encode(person.place)
  _ = try tx.count(Note.where { $0.author.place.kind == .home })
}

@Model(synced: true, init: .package)
struct Ware: Identifiable {
  let id: UUID
  @Merge(.lww) var title: String
  @Merge(.counter) var views = 0
  @Merge(.set) var marks: [String] = []
  @Merge(.set) var kinds: [Place.Kind] = []
  @Merge(.max) var best: Int?
  @Merge(.min) var seen: Date
  @Merge(.row("price")) var amount: Decimal
  @Merge(MergeOption.row("price")) @Attribute(.indexed) var currency: String
  @Merge(.row("owner")) var owner: Ref<Person>?
  @Merge(.row("owner")) var since: Date?
}
