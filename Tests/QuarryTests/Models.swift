import Foundation
public import Quarry

/// A model with options and indexes.
@Model
struct Volume: Identifiable, Equatable {
  let id: UUID
  @Attribute(.unique) var isbn: String
  @Attribute(.indexed) var year: Int
  var title: String
  var blurb: String?
  var tags: [String] = []
  @Transient var isOpen = false

  #Index<Volume>([\.title, \.year])
  #Index<Volume>([.reverse(\.year), .forward(\.title)])
  #Unique<Volume>([\.title, \.isbn])
}

/// A model with everything that a property can look like.
@Model(name: "samples")
struct Sample: Equatable {
  enum Genre: String, Storable {
    case fiction, science, none
  }

  static let limit = 3
  static var count: Int { 5 }

  @Attribute(.primaryKey) let number: Int64
  var id = UUID()
  var bool = true, int = -5, double = 60 * 0.5
  var int8: Int8 = 8
  var uint64: UInt64 = .max
  var float: Float = 2.5
  var string = """
    a "quoted"
    line
    """
  var `class`: String?
  var date = Date(timeIntervalSinceReferenceDate: 0)
  var past: Date = .distantPast
  var data = Data()
  var decimal: Decimal = 0.5
  var url: URL?
  var genre = Genre.fiction
  var noGenre: Genre = .none
  var genres: [Genre] = [.science, .fiction]
  var maybe: Optional<Genre> = nil
  var numbers: [Int]? = [1, 2]
  var lifted: Int!
  var watched = 0 { didSet { changes += 1 } }
  @Attribute(originalName: "oldName") var newName = ""
  @Transient var changes = 0
  @Transient var cache: [String: Int] = [:]
  @Transient lazy var length = string.count
  var `self`: Int { 5 }
  var computed: Int {
    get { int }
    set { int = newValue }
  }

  static func == (left: Sample, right: Sample) -> Bool {
    left.number == right.number && left.string == right.string
  }
}

/// A model among other types that are named as Quarry's are.
enum Crowded {
  struct Column {}
  struct StorageError {}
  struct ModelDefinition {}
  struct PropertyDefinition {}
  struct ModelReader {}

  @Model
  struct Item {
    let id: Int
    var name = "name"

    #Unique<Item>([\.name])
  }
}

/// A model with a nested value.
@Model
struct Person: Equatable {
  struct Address: Codable, Equatable, Storable {
    var street = ""
    var floor: Int?
  }

  let id: Int
  var address = Address()
}

/// Nested models, one of them with the type of the struct around and one of the extension around.
public enum Library {
  enum Kind: Int, Storable {
    case novel = 1
    case essay
  }

  @Model
  public struct Shelf: Identifiable, Hashable {
    public let id: Int
    var kind: Kind
    var kinds: [Kind] = [.novel]
    fileprivate var note = "note"

    init(id: Int) {
      self.id = id
      kind = .essay
    }
  }
}

extension Library {
  @Model
  fileprivate struct Room {
    let id: String
  }
}

@Model
private struct Hidden {
  private enum State: Int, Storable { case on }
  let id: Int
  private var state: State = .on
  private var other = 5

  init(id: Int) { self.id = id }
}

/// What is private to the file, for the tests.
enum HiddenModels {
  static var all: [any Model.Type] { [Hidden.self, Library.Room.self] }
}
