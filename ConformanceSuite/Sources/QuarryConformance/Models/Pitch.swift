import QuarryBackend
import QuarryCore

/// A model of whose key one member refers to an object with a compound key, and which has links.
struct Pitch: Model, Equatable {
  let stall: Ref<Stall>
  let number: Int
  var note: String

  var songs: Links<Song> { Links(of: self, "songs") }

  static let modelDefinition = ModelDefinition<Pitch>(
    name: "Pitch",
    properties: [
      PropertyDefinition("stall", \Pitch.stall, Ref<Stall>.self), PropertyDefinition("number", \Pitch.number, Int.self),
      PropertyDefinition("note", \Pitch.note, String.self),
      PropertyDefinition("_key", \Pitch.primaryKeyValue, Key.self),
    ], primaryKey: "_key", keyMembers: ["stall", "number"],
    relations: [RelationDefinition("songs", links: \Pitch.songs)])

  struct Columns: ModelColumns {
    let stall = Column<Ref<Stall>>("stall", 0)
    let number = Column<Int>("number", 1)
    var note = Column<String>("note", 2)
    let songs = ManyColumn<Song>("songs")
  }

  struct Key: CompoundKey {
    var stall: Ref<Stall>
    var number: Int

    static var memberTypes: [any Storable.Type] { [Ref<Stall>.self, Int.self] }

    init(_ stall: Stall.Key, _ number: Int) { (self.stall, self.number) = (Ref(stall), number) }

    init(reading key: inout KeyMemberReader) throws(StorageError) {
      stall = try key.next()
      number = try key.next()
    }

    func write(to key: KeyMemberWriter) throws(StorageError) {
      try key.append(stall)
      try key.append(number)
    }
  }

  var primaryKeyValue: Key { Key(stall.key, number) }

  init(_ stall: Stall.Key, _ number: Int, _ note: String = "") {
    (self.stall, self.number, self.note) = (Ref(stall), number, note)
  }

  init(reading row: ModelReader) throws(StorageError) {
    stall = try row.get(0)
    number = try row.get(1)
    note = try row.get(2)
  }

  func write(to row: ModelWriter) throws(StorageError) {
    try row.set(0, stall)
    try row.set(1, number)
    try row.set(2, note)
    try row.set(3, primaryKeyValue)
  }
}
