import Testing

@testable import QuarryMacros

@Suite("What the macros generate of relations")
struct RelationTests {
  @Test("A reference is a column, and its other side has a getter and no column")
  func bothSides() {
    expectExpansion(
      of: #"""
        @Model
        public struct Author {
          public let id: Int
          @Relationship(deleteRule: .nullify, originalName: "master") public var mentor: Ref<Author>?
          @Attribute(.unique) var twin: Quarry.Ref<Self>?
          @Relationship(deleteRule: .cascade, inverse: \Book.author) public var books: Many<Book>
          @Relationship(inverse: \Author.mentor) fileprivate var pupils: Quarry.Many<Author>
        }
        """#,
      to: #"""
        public struct Author {
          public let id: Int
          public var mentor: Ref<Author>?
          var twin: Quarry.Ref<Self>?
          public var books: Many<Book> {
            get {
              QuarryCore.Many(of: self, inverse: \Book.author)
            }
          }
          fileprivate var pupils: Quarry.Many<Author> {
            get {
              QuarryCore.Many(of: self, inverse: \Author.mentor)
            }
          }

          public nonisolated static let modelDefinition = QuarryCore.ModelDefinition<Author>(
            name: "Author",
            properties: [
              QuarryCore.PropertyDefinition("id", \Author.id, Int.self),
              QuarryCore.PropertyDefinition("mentor", \Author.mentor, Columns._mentorType?.self, originalName: "master", deleteRule: .nullify),
              QuarryCore.PropertyDefinition("twin", \Author.twin, Columns._twinType?.self),
            ],
            primaryKey: "id",
            indexes: [
              QuarryCore.IndexDefinition(["twin"], isUnique: true),
            ],
            relations: [
              QuarryCore.RelationDefinition("books", inverse: \Book.author, deleteRule: .cascade),
              QuarryCore.RelationDefinition("pupils", inverse: \Author.mentor),
            ]
          )

          public nonisolated struct Columns: QuarryCore.ModelColumns {
            #sourceLocation(file: "test.swift", line: 4)
              public typealias _mentorType = QuarryCore.StoredForm<Ref<Author>>.Value
            #sourceLocation()
            #sourceLocation(file: "test.swift", line: 5)
              typealias _twinType = QuarryCore.StoredForm<Quarry.Ref<Author>>.Value
            #sourceLocation()
              public nonisolated let id = QuarryCore.Column<Int>("id", 0)
              public var mentor = QuarryCore.Column<_mentorType?>("mentor", 1)
              var twin = QuarryCore.Column<_twinType?>("twin", 2)
              public nonisolated let books = QuarryCore.ManyColumn<Book>("books")
              fileprivate nonisolated let pupils = QuarryCore.ManyColumn<Author>("pupils")
              public nonisolated init() {
              }
          }

          public nonisolated var primaryKeyValue: Int {
            self.id
          }

          public nonisolated func write(to row: QuarryCore.ModelWriter) throws(QuarryCore.StorageError) {
            try row.set(0, self.id)
            try row.set(1, self.mentor as Columns._mentorType?)
            try row.set(2, self.twin as Columns._twinType?)
          }
        }

        extension Author: nonisolated QuarryCore.Model {
          public nonisolated init(reading row: QuarryCore.ModelReader) throws(QuarryCore.StorageError) {
            self.id = try row.get(0)
            self.mentor = try row.get(1, as: Columns._mentorType?.self)
            self.twin = try row.get(2, as: Columns._twinType?.self)
          }
        }
        """#)
  }

  @Test("Links have a getter, a definition and a column for conditions")
  func links() {
    let expansion = Expansion(
      """
      @Model public struct Book {
        let id: Int
        public var tags: Links<Tag>
        @Relationship(.allowsDuplicates, deleteRule: .deny) var read: Quarry.Links<Book>
      }
      """)
    #expect(expansion.messages == [])
    for line in [
      #"QuarryCore.Links(of: self, "tags")"#, #"QuarryCore.Links(of: self, "read")"#,
      #"QuarryCore.RelationDefinition("tags", links: \Book.tags),"#,
      #"QuarryCore.RelationDefinition("read", links: \Book.read, allowsDuplicates: true, deleteRule: .deny),"#,
      #"public nonisolated let tags = QuarryCore.ManyColumn<Tag>("tags")"#,
      #"nonisolated let read = QuarryCore.ManyColumn<Book>("read")"#,
    ] { #expect(expansion.text.contains(line), "\(line)") }
  }

  @Test(
    "What links cannot be is said",
    arguments: [
      ("let tags: Links<Tag>", "'tags' is computed"), ("var tags: Links<Tag>?", "'tags' is never nil"),
      ("@Relationship(deleteRule: .cascade) var tags: Links<Tag>", "links have no delete rule 'cascade'"),
      ("@Relationship(inverse: \\Tag.books) var tags: Links<Tag>", "the inverse is declared on the other side"),
      ("@Attribute(.indexed) var tags: Links<Tag>", "'tags' has no column"),
    ])
  func refusedLinks(member: String, message: String) {
    let messages = Expansion("@Model struct Book { let id: Int; \(member) }").messages
    #expect(messages.count == 1 && messages[0].text.contains(message), "\(messages)")
  }

  @Test(
    "References are like other properties",
    arguments: [
      "let author: Ref<Author>", "@Attribute(.indexed, originalName: \"a\") var author: Ref<Author>?",
      "@Relationship(deleteRule: .deny) var author: Optional<Ref<Author>>", "@Relationship() var author: Ref<Author>",
      "@Relationship(deleteRule: DeleteRule.cascade) var author: Ref<Author>",
      "var author: Ref<Author>? = nil; #Index<Book>([\\.author]); #Unique<Book>([\\.id, \\.author])",
      "@Transient var author: Ref<Author>? = nil",
      "var authors: Many<Author> { Many(of: self, inverse: \\Author.book) }",
    ])
  func accepted(member: String) {
    #expect(Expansion("@Model struct Book { let id: Int; \(member) }").messages == [])
  }
}
