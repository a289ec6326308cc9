import Foundation
import Quarry

// The models of README.md and of docs/guide.

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
