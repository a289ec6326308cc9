package import QuarryBackend
package import QuarryCore

/// A model of whose key one member refers to an object with a compound key, and which has links.
package struct Pitch: Model, Equatable {
  let stall: Ref<Stall>
  let number: Int
  package var note: String

  package var songs: Links<Song> { Links(of: self, "songs") }

  package static let modelDefinition = ModelDefinition<Pitch>(
    name: "Pitch",
    properties: [
      PropertyDefinition("stall", \Pitch.stall, Ref<Stall>.self), PropertyDefinition("number", \Pitch.number, Int.self),
      PropertyDefinition("note", \Pitch.note, String.self),
      PropertyDefinition("_key", \Pitch.primaryKeyValue, Key.self),
    ], primaryKey: "_key", keyMembers: ["stall", "number"],
    relations: [RelationDefinition("songs", links: \Pitch.songs)])

  package struct Columns: ModelColumns {
    package let stall = Column<Ref<Stall>>("stall", 0)
    let number = Column<Int>("number", 1)
    var note = Column<String>("note", 2)
    let songs = ManyColumn<Song>("songs")

    package init() {}
  }

  package struct Key: CompoundKey {
    var stall: Ref<Stall>
    var number: Int

    package static var memberTypes: [any Storable.Type] { [Ref<Stall>.self, Int.self] }

    package init(_ stall: Stall.Key, _ number: Int) { (self.stall, self.number) = (Ref(stall), number) }

    package init(reading key: inout KeyMemberReader) throws(StorageError) {
      stall = try key.next()
      number = try key.next()
    }

    package func write(to key: KeyMemberWriter) throws(StorageError) {
      try key.append(stall)
      try key.append(number)
    }
  }

  package var primaryKeyValue: Key { Key(stall.key, number) }

  package init(_ stall: Stall.Key, _ number: Int, _ note: String = "") {
    (self.stall, self.number, self.note) = (Ref(stall), number, note)
  }

  package init(reading row: ModelReader) throws(StorageError) {
    stall = try row.get(0)
    number = try row.get(1)
    note = try row.get(2)
  }

  package func write(to row: ModelWriter) throws(StorageError) {
    try row.set(0, stall)
    try row.set(1, number)
    try row.set(2, note)
    try row.set(3, primaryKeyValue)
  }
}
