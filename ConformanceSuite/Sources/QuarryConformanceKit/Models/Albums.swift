package import QuarryBackend
package import QuarryCore

/// A model with links: to songs, each once; to songs, as often as one likes; and to its own model, which it needs.
package struct Album: Model, Equatable {
  package var id: Int
  var title: String

  package var songs: Links<Song> { Links(of: self, "songs") }
  package var played: Links<Song> { Links(of: self, "played") }
  package var likes: Links<Album> { Links(of: self, "likes") }
  package var likedBy: Many<Album> { Many(of: self, inverse: \Album.likes) }

  package static let modelDefinition = ModelDefinition<Album>(
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

  package struct Columns: ModelColumns {
    package let id = Column<Int>("id", 0)
    package var title = Column<String>("title", 1)
    package let songs = ManyColumn<Song>("songs")
    package let played = ManyColumn<Song>("played")
    let likedBy = ManyColumn<Album>("likedBy")

    package init() {}
  }

  package var primaryKeyValue: Int { id }

  package init(_ id: Int, _ title: String = "") { (self.id, self.title) = (id, title) }

  package init(reading row: ModelReader) throws(StorageError) { (id, title) = (try row.get(0), try row.get(1)) }

  package func write(to row: ModelWriter) throws(StorageError) {
    try row.set(0, id)
    try row.set(1, title)
  }
}

/// What albums are linked with, whose keys are texts.
package struct Song: Model, Equatable {
  package var name: String
  package var seconds: Int

  package var albums: Many<Album> { Many(of: self, inverse: \Album.songs) }

  package static let modelDefinition = ModelDefinition<Song>(
    name: "Song",
    properties: [
      PropertyDefinition("name", \Song.name, String.self), PropertyDefinition("seconds", \Song.seconds, Int.self),
    ], primaryKey: "name", relations: [RelationDefinition("albums", inverse: \Album.songs)])

  package struct Columns: ModelColumns {
    package let name = Column<String>("name", 0)
    package var seconds = Column<Int>("seconds", 1)
    package let albums = ManyColumn<Album>("albums")

    package init() {}
  }

  package var primaryKeyValue: String { name }

  package init(_ name: String, _ seconds: Int = 0) { (self.name, self.seconds) = (name, seconds) }

  package init(reading row: ModelReader) throws(StorageError) { (name, seconds) = (try row.get(0), try row.get(1)) }

  package func write(to row: ModelWriter) throws(StorageError) {
    try row.set(0, name)
    try row.set(1, seconds)
  }
}

/// A model whose links need a name that another model has.
package struct Taking: Model, Equatable {
  var id: Int

  package var names: Links<Song> { Links(of: self, "names") }

  package static let modelDefinition = ModelDefinition<Taking>(
    name: "Taking", properties: [PropertyDefinition("id", \Taking.id, Int.self)], primaryKey: "id",
    relations: [RelationDefinition("names", links: \Taking.names)])

  package struct Columns: ModelColumns {
    let id = Column<Int>("id", 0)

    package init() {}
  }

  package var primaryKeyValue: Int { id }

  package init(_ id: Int) { self.id = id }

  package init(reading row: ModelReader) throws(StorageError) { id = try row.get(0) }

  package func write(to row: ModelWriter) throws(StorageError) { try row.set(0, id) }
}

/// That model by another name.
package struct Took: Model, Equatable {
  var id: Int

  package var names: Links<Song> { Links(of: self, "names") }

  package static let modelDefinition = ModelDefinition<Took>(
    name: "Took", properties: [PropertyDefinition("id", \Took.id, Int.self)], primaryKey: "id",
    relations: [RelationDefinition("names", links: \Took.names)], originalName: "Taking")

  package struct Columns: ModelColumns {
    let id = Column<Int>("id", 0)

    package init() {}
  }

  package var primaryKeyValue: Int { id }

  package init(_ id: Int) { self.id = id }

  package init(reading row: ModelReader) throws(StorageError) { id = try row.get(0) }

  package func write(to row: ModelWriter) throws(StorageError) { try row.set(0, id) }
}

/// The model that has the name.
package struct TakenName: Model, Equatable {
  var id: Int

  package static let modelDefinition = ModelDefinition<TakenName>(
    name: "Taking_names", properties: [PropertyDefinition("id", \TakenName.id, Int.self)], primaryKey: "id")

  package struct Columns: ModelColumns {
    let id = Column<Int>("id", 0)

    package init() {}
  }

  package var primaryKeyValue: Int { id }

  package init(reading row: ModelReader) throws(StorageError) { id = try row.get(0) }

  package func write(to row: ModelWriter) throws(StorageError) { try row.set(0, id) }
}

/// A model whose links have a rule that links have not.
package struct CascadingLinks: Model, Equatable {
  var id: Int

  var songs: Links<Song> { Links(of: self, "songs") }

  package static let modelDefinition = ModelDefinition<CascadingLinks>(
    name: "CascadingLinks", properties: [PropertyDefinition("id", \CascadingLinks.id, Int.self)], primaryKey: "id",
    relations: [RelationDefinition("songs", links: \CascadingLinks.songs, deleteRule: .cascade)])

  package struct Columns: ModelColumns {
    let id = Column<Int>("id", 0)

    package init() {}
  }

  package var primaryKeyValue: Int { id }

  package init(reading row: ModelReader) throws(StorageError) { id = try row.get(0) }

  package func write(to row: ModelWriter) throws(StorageError) { try row.set(0, id) }
}
