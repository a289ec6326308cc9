package import QuarryBackend
package import QuarryCore

/// A model that refers to itself, and that others refer to.
package struct Poet: Model, Equatable {
  package var id: Int
  package var name: String
  package var teacher: Ref<Poet>?

  package var poems: Many<Poem> { Many(of: self, inverse: \Poem.poet) }
  package var edited: Many<Poem> { Many(of: self, inverse: \Poem.editor) }
  package var pupils: Many<Poet> { Many(of: self, inverse: \Poet.teacher) }

  package static let modelDefinition = ModelDefinition<Poet>(
    name: "Poet",
    properties: [
      PropertyDefinition("id", \Poet.id, Int.self), PropertyDefinition("name", \Poet.name, String.self),
      PropertyDefinition("teacher", \Poet.teacher, Ref<Poet>?.self),
    ], primaryKey: "id",
    relations: [
      RelationDefinition("poems", inverse: \Poem.poet, deleteRule: .cascade),
      RelationDefinition("edited", inverse: \Poem.editor), RelationDefinition("pupils", inverse: \Poet.teacher),
    ])

  package struct Columns: ModelColumns {
    package let id = Column<Int>("id", 0)
    package var name = Column<String>("name", 1)
    package var teacher = Column<Ref<Poet>?>("teacher", 2)
    package let poems = ManyColumn<Poem>("poems")
    package let edited = ManyColumn<Poem>("edited")
    package let pupils = ManyColumn<Poet>("pupils")

    package init() {}
  }

  package var primaryKeyValue: Int { id }

  package init(_ id: Int, _ name: String = "", teacher: Int? = nil) {
    (self.id, self.name, self.teacher) = (id, name, teacher.map { Ref($0) })
  }

  package init(reading row: ModelReader) throws(StorageError) {
    (id, name, teacher) = (try row.get(0), try row.get(1), try row.get(2))
  }

  package func write(to row: ModelWriter) throws(StorageError) {
    try row.set(0, id)
    try row.set(1, name)
    try row.set(2, teacher)
  }
}

/// A model with three references: one that its other side rules, one that denies, and one to its own model that may be nil
/// and of which nobody says anything.
package struct Poem: Model, Equatable {
  package var id: Int
  package var title: String
  package var poet: Ref<Poet>?
  package var editor: Ref<Poet>?
  package var answers: Ref<Poem>?

  package static let modelDefinition = ModelDefinition<Poem>(
    name: "Poem",
    properties: [
      PropertyDefinition("id", \Poem.id, Int.self), PropertyDefinition("title", \Poem.title, String.self),
      PropertyDefinition("poet", \Poem.poet, Ref<Poet>?.self),
      PropertyDefinition("editor", \Poem.editor, Ref<Poet>?.self, deleteRule: .deny),
      PropertyDefinition("answers", \Poem.answers, Ref<Poem>?.self),
    ], primaryKey: "id", indexes: [IndexDefinition(["poet", "title"])])

  package struct Columns: ModelColumns {
    package let id = Column<Int>("id", 0)
    package var title = Column<String>("title", 1)
    package var poet = Column<Ref<Poet>?>("poet", 2)
    package var editor = Column<Ref<Poet>?>("editor", 3)
    package var answers = Column<Ref<Poem>?>("answers", 4)

    package init() {}
  }

  package var primaryKeyValue: Int { id }

  package init(_ id: Int, _ title: String = "", poet: Int? = nil, editor: Int? = nil, answers: Int? = nil) {
    (self.id, self.title) = (id, title)
    (self.poet, self.editor) = (poet.map { Ref($0) }, editor.map { Ref($0) })
    self.answers = answers.map { Ref($0) }
  }

  package init(reading row: ModelReader) throws(StorageError) {
    (id, title, poet) = (try row.get(0), try row.get(1), try row.get(2))
    (editor, answers) = (try row.get(3), try row.get(4))
  }

  package func write(to row: ModelWriter) throws(StorageError) {
    try row.set(0, id)
    try row.set(1, title)
    try row.set(2, poet)
    try row.set(3, editor)
    try row.set(4, answers)
  }
}

/// A poem as another type of the program has it.
package struct PoemCard: Mapped {
  var poem: Poem

  package init(_ poem: Poem) { self.poem = poem }
  package init(stored: Poem) { poem = stored }
  package func stored() -> Poem { poem }
}
