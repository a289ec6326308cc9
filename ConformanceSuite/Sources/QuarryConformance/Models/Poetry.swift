import QuarryBackend
import QuarryCore

/// A model that refers to itself, and that others refer to.
struct Poet: Model, Equatable {
  var id: Int
  var name: String
  var teacher: Ref<Poet>?

  var poems: Many<Poem> { Many(of: self, inverse: \Poem.poet) }
  var edited: Many<Poem> { Many(of: self, inverse: \Poem.editor) }
  var pupils: Many<Poet> { Many(of: self, inverse: \Poet.teacher) }

  static let modelDefinition = ModelDefinition<Poet>(
    name: "Poet",
    properties: [
      PropertyDefinition("id", \Poet.id, Int.self), PropertyDefinition("name", \Poet.name, String.self),
      PropertyDefinition("teacher", \Poet.teacher, Ref<Poet>?.self),
    ], primaryKey: "id",
    relations: [
      RelationDefinition("poems", inverse: \Poem.poet, deleteRule: .cascade),
      RelationDefinition("edited", inverse: \Poem.editor), RelationDefinition("pupils", inverse: \Poet.teacher),
    ])

  struct Columns: ModelColumns {
    let id = Column<Int>("id", 0)
    var name = Column<String>("name", 1)
    var teacher = Column<Ref<Poet>?>("teacher", 2)
    let poems = ManyColumn<Poem>("poems")
    let edited = ManyColumn<Poem>("edited")
    let pupils = ManyColumn<Poet>("pupils")
  }

  var primaryKeyValue: Int { id }

  init(_ id: Int, _ name: String = "", teacher: Int? = nil) {
    (self.id, self.name, self.teacher) = (id, name, teacher.map { Ref($0) })
  }

  init(reading row: ModelReader) throws(StorageError) {
    (id, name, teacher) = (try row.get(0), try row.get(1), try row.get(2))
  }

  func write(to row: ModelWriter) throws(StorageError) {
    try row.set(0, id)
    try row.set(1, name)
    try row.set(2, teacher)
  }
}

/// A model with three references: one that its other side rules, one that denies, and one to its own model that may be nil
/// and of which nobody says anything.
struct Poem: Model, Equatable {
  var id: Int
  var title: String
  var poet: Ref<Poet>?
  var editor: Ref<Poet>?
  var answers: Ref<Poem>?

  static let modelDefinition = ModelDefinition<Poem>(
    name: "Poem",
    properties: [
      PropertyDefinition("id", \Poem.id, Int.self), PropertyDefinition("title", \Poem.title, String.self),
      PropertyDefinition("poet", \Poem.poet, Ref<Poet>?.self),
      PropertyDefinition("editor", \Poem.editor, Ref<Poet>?.self, deleteRule: .deny),
      PropertyDefinition("answers", \Poem.answers, Ref<Poem>?.self),
    ], primaryKey: "id", indexes: [IndexDefinition(["poet", "title"])])

  struct Columns: ModelColumns {
    let id = Column<Int>("id", 0)
    var title = Column<String>("title", 1)
    var poet = Column<Ref<Poet>?>("poet", 2)
    var editor = Column<Ref<Poet>?>("editor", 3)
    var answers = Column<Ref<Poem>?>("answers", 4)
  }

  var primaryKeyValue: Int { id }

  init(_ id: Int, _ title: String = "", poet: Int? = nil, editor: Int? = nil, answers: Int? = nil) {
    (self.id, self.title) = (id, title)
    (self.poet, self.editor) = (poet.map { Ref($0) }, editor.map { Ref($0) })
    self.answers = answers.map { Ref($0) }
  }

  init(reading row: ModelReader) throws(StorageError) {
    (id, title, poet) = (try row.get(0), try row.get(1), try row.get(2))
    (editor, answers) = (try row.get(3), try row.get(4))
  }

  func write(to row: ModelWriter) throws(StorageError) {
    try row.set(0, id)
    try row.set(1, title)
    try row.set(2, poet)
    try row.set(3, editor)
    try row.set(4, answers)
  }
}

/// A poem as another type of the program has it.
struct PoemCard: Mapped {
  var poem: Poem

  init(_ poem: Poem) { self.poem = poem }
  init(stored: Poem) { poem = stored }
  func stored() -> Poem { poem }
}
