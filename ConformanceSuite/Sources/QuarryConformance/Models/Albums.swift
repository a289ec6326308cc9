import QuarryBackend
import QuarryCore

/// A model with links: to songs, each once; to songs, as often as one likes; and to its own model, which it needs.
struct Album: Model, Equatable {
  var id: Int
  var title: String

  var songs: Links<Song> { Links(of: self, "songs") }
  var played: Links<Song> { Links(of: self, "played") }
  var likes: Links<Album> { Links(of: self, "likes") }
  var likedBy: Many<Album> { Many(of: self, inverse: \Album.likes) }

  static let modelDefinition = ModelDefinition<Album>(
    name: "Album",
    properties: [
      PropertyDefinition("id", \Album.id, Int.self), PropertyDefinition("title", \Album.title, String.self),
    ], primaryKey: "id",
    relations: [
      RelationDefinition("songs", links: \Album.songs),
      RelationDefinition("played", links: \Album.played, allowsDuplicates: true),
      RelationDefinition("likes", links: \Album.likes, deleteRule: .deny),
      RelationDefinition("likedBy", inverse: \Album.likes),
    ])

  struct Columns: ModelColumns {
    let id = Column<Int>("id", 0)
    var title = Column<String>("title", 1)
    let songs = ManyColumn<Song>("songs")
    let played = ManyColumn<Song>("played")
    let likedBy = ManyColumn<Album>("likedBy")
  }

  var primaryKeyValue: Int { id }

  init(_ id: Int, _ title: String = "") { (self.id, self.title) = (id, title) }

  init(reading row: ModelReader) throws(StorageError) { (id, title) = (try row.get(0), try row.get(1)) }

  func write(to row: ModelWriter) throws(StorageError) {
    try row.set(0, id)
    try row.set(1, title)
  }
}

/// What albums are linked with, whose keys are texts.
struct Song: Model, Equatable {
  var name: String
  var seconds: Int

  var albums: Many<Album> { Many(of: self, inverse: \Album.songs) }

  static let modelDefinition = ModelDefinition<Song>(
    name: "Song",
    properties: [
      PropertyDefinition("name", \Song.name, String.self), PropertyDefinition("seconds", \Song.seconds, Int.self),
    ], primaryKey: "name", relations: [RelationDefinition("albums", inverse: \Album.songs)])

  struct Columns: ModelColumns {
    let name = Column<String>("name", 0)
    var seconds = Column<Int>("seconds", 1)
    let albums = ManyColumn<Album>("albums")
  }

  var primaryKeyValue: String { name }

  init(_ name: String, _ seconds: Int = 0) { (self.name, self.seconds) = (name, seconds) }

  init(reading row: ModelReader) throws(StorageError) { (name, seconds) = (try row.get(0), try row.get(1)) }

  func write(to row: ModelWriter) throws(StorageError) {
    try row.set(0, name)
    try row.set(1, seconds)
  }
}

/// A model whose links need a name that another model has.
struct Taking: Model, Equatable {
  var id: Int

  var names: Links<Song> { Links(of: self, "names") }

  static let modelDefinition = ModelDefinition<Taking>(
    name: "Taking", properties: [PropertyDefinition("id", \Taking.id, Int.self)], primaryKey: "id",
    relations: [RelationDefinition("names", links: \Taking.names)])

  struct Columns: ModelColumns {
    let id = Column<Int>("id", 0)
  }

  var primaryKeyValue: Int { id }

  init(_ id: Int) { self.id = id }

  init(reading row: ModelReader) throws(StorageError) { id = try row.get(0) }

  func write(to row: ModelWriter) throws(StorageError) { try row.set(0, id) }
}

/// That model by another name.
struct Took: Model, Equatable {
  var id: Int

  var names: Links<Song> { Links(of: self, "names") }

  static let modelDefinition = ModelDefinition<Took>(
    name: "Took", properties: [PropertyDefinition("id", \Took.id, Int.self)], primaryKey: "id",
    relations: [RelationDefinition("names", links: \Took.names)], originalName: "Taking")

  struct Columns: ModelColumns {
    let id = Column<Int>("id", 0)
  }

  var primaryKeyValue: Int { id }

  init(_ id: Int) { self.id = id }

  init(reading row: ModelReader) throws(StorageError) { id = try row.get(0) }

  func write(to row: ModelWriter) throws(StorageError) { try row.set(0, id) }
}

/// The model that has the name.
struct TakenName: Model, Equatable {
  var id: Int

  static let modelDefinition = ModelDefinition<TakenName>(
    name: "Taking_names", properties: [PropertyDefinition("id", \TakenName.id, Int.self)], primaryKey: "id")

  struct Columns: ModelColumns {
    let id = Column<Int>("id", 0)
  }

  var primaryKeyValue: Int { id }

  init(reading row: ModelReader) throws(StorageError) { id = try row.get(0) }

  func write(to row: ModelWriter) throws(StorageError) { try row.set(0, id) }
}

/// A model whose links have a rule that links have not.
struct CascadingLinks: Model, Equatable {
  var id: Int

  var songs: Links<Song> { Links(of: self, "songs") }

  static let modelDefinition = ModelDefinition<CascadingLinks>(
    name: "CascadingLinks", properties: [PropertyDefinition("id", \CascadingLinks.id, Int.self)], primaryKey: "id",
    relations: [RelationDefinition("songs", links: \CascadingLinks.songs, deleteRule: .cascade)])

  struct Columns: ModelColumns {
    let id = Column<Int>("id", 0)
  }

  var primaryKeyValue: Int { id }

  init(reading row: ModelReader) throws(StorageError) { id = try row.get(0) }

  func write(to row: ModelWriter) throws(StorageError) { try row.set(0, id) }
}
