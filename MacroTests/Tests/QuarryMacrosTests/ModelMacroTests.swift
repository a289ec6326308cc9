import Testing

@testable import QuarryMacros

@Suite("What @Model generates")
struct ModelMacroTests {
  @Test("The conformance of the struct of the README")
  func readme() {
    expectExpansion(
      of: #"""
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
        """#,
      to: #"""
        struct Book: Identifiable {
          let id: UUID
          var isbn: String
          var year: Int
          var title: String
          var blurb: String?
          var tags: [String] = []
          var isOpen = false

          nonisolated static let modelDefinition = QuarryCore.ModelDefinition<Book>(
            name: "Book",
            properties: [
              QuarryCore.PropertyDefinition("id", \Book.id, UUID.self),
              QuarryCore.PropertyDefinition("isbn", \Book.isbn, String.self),
              QuarryCore.PropertyDefinition("year", \Book.year, Int.self),
              QuarryCore.PropertyDefinition("title", \Book.title, String.self),
              QuarryCore.PropertyDefinition("blurb", \Book.blurb, String?.self),
              QuarryCore.PropertyDefinition("tags", \Book.tags, [String].self, default: []),
            ],
            primaryKey: "id",
            indexes: [
              QuarryCore.IndexDefinition(["isbn"], isUnique: true),
              QuarryCore.IndexDefinition(["year"]),
            ]
          )

          nonisolated struct Columns: QuarryCore.ModelColumns {
            nonisolated let id = QuarryCore.Column<UUID>("id", 0)
            nonisolated var isbn = QuarryCore.Column<String>("isbn", 1)
            nonisolated var year = QuarryCore.Column<Int>("year", 2)
            nonisolated var title = QuarryCore.Column<String>("title", 3)
            nonisolated var blurb = QuarryCore.Column<String?>("blurb", 4)
            nonisolated var tags = QuarryCore.Column<[String]>("tags", 5)
            nonisolated init() {
            }
          }

          nonisolated var primaryKeyValue: UUID {
            self.id
          }

          nonisolated func write(to row: QuarryCore.ModelWriter) throws(QuarryCore.StorageError) {
            try row.set(0, self.id)
            try row.set(1, self.isbn)
            try row.set(2, self.year)
            try row.set(3, self.title)
            try row.set(4, self.blurb)
            try row.set(5, self.tags)
          }
        }

        extension Book: nonisolated QuarryCore.Model {
          nonisolated init(reading row: QuarryCore.ModelReader) throws(QuarryCore.StorageError) {
            self.id = try row.get(0)
            self.isbn = try row.get(1)
            self.year = try row.get(2)
            self.title = try row.get(3)
            self.blurb = try row.get(4)
            self.tags = try row.get(5)
          }
        }
        """#)
  }

  @Test("A public struct, nested, with a name of its own, has public members and an extension of the full name")
  func publicNested() {
    expectExpansion(
      of: #"""
        public struct Library {
          @Model(name: "books")
          public struct Book {
            public let id: Int
            package var shelf: Int
            var `class`: String
          }
        }
        """#,
      to: #"""
        public struct Library {
          public struct Book {
            public let id: Int
            package var shelf: Int
            var `class`: String

            public nonisolated static let modelDefinition = QuarryCore.ModelDefinition<Book>(
              name: "books",
              properties: [
                QuarryCore.PropertyDefinition("id", \Book.id, Int.self),
                QuarryCore.PropertyDefinition("shelf", \Book.shelf, Int.self),
                QuarryCore.PropertyDefinition("class", \Book.`class`, String.self),
              ],
              primaryKey: "id"
            )

            public nonisolated struct Columns: QuarryCore.ModelColumns {
              public nonisolated let id = QuarryCore.Column<Int>("id", 0)
              package nonisolated var shelf = QuarryCore.Column<Int>("shelf", 1)
              nonisolated var `class` = QuarryCore.Column<String>("class", 2)
              public nonisolated init() {
              }
            }

            public nonisolated var primaryKeyValue: Int {
              self.id
            }

            public nonisolated func write(to row: QuarryCore.ModelWriter) throws(QuarryCore.StorageError) {
              try row.set(0, self.id)
              try row.set(1, self.shelf)
              try row.set(2, self.`class`)
            }
          }
        }

        extension Library.Book: nonisolated QuarryCore.Model {
          public nonisolated init(reading row: QuarryCore.ModelReader) throws(QuarryCore.StorageError) {
            self.id = try row.get(0)
            self.shelf = try row.get(1)
            self.`class` = try row.get(2)
          }
        }
        """#)
  }

  @Test("An access level of the extension around is that of the struct")
  func publicExtension() {
    let expansion = Expansion("public extension Library { @Model struct Book { let id: Int } }")
    #expect(expansion.text.contains("public nonisolated static let modelDefinition"))
  }

  @Test(
    "A column is visible as far as its property",
    arguments: [
      ("public struct B { public let id: Int }", "public nonisolated let id ="),
      ("public struct B { let id: Int }", "  nonisolated let id ="),
      ("public struct B { public private(set) var id: Int }", "public nonisolated let id ="),
      ("package struct B { public let id: Int }", "package nonisolated let id ="),
      ("struct B { public let id: Int }", "  nonisolated let id ="),
      ("struct B { package let id: Int }", "  nonisolated let id ="),
      ("struct B { fileprivate let id: Int }", "fileprivate nonisolated let id ="),
      ("struct B { private let id: Int }", "fileprivate nonisolated let id ="),
      ("struct B { private enum K: Int, Storable { case a }; private let id: K }", " private nonisolated let id ="),
    ])
  func columnAccess(source: String, column: String) {
    let expansion = Expansion("@Model " + source)
    #expect(expansion.messages == [])
    #expect(expansion.text.contains(column))
  }

  @Test(
    "A column can be assigned to where the program may set the property",
    arguments: [
      ("struct B { let id: Int; var a: Int }", "  nonisolated var a ="),
      ("struct B { let id: Int; var a = 1 }", "  nonisolated var a ="),
      ("struct B { let id: Int; let a: Int }", "  nonisolated let a ="),
      ("struct B { let id: Int; private(set) var a: Int }", "  nonisolated let a ="),
      ("struct B { let id: Int; fileprivate(set) var a: Int }", "  nonisolated let a ="),
      ("public struct B { public let id: Int; public private(set) var a: Int }", "public nonisolated let a ="),
      ("public struct B { public let id: Int; private(set) public var a: Int }", "public nonisolated let a ="),
      ("struct B { let id: Int; var a: Int { didSet { } } }", "  nonisolated let a ="),
      ("struct B { let id: Int; var a = 1 { willSet { } } }", "  nonisolated let a ="),
      ("struct B { let id: Int; private var a: Int }", "fileprivate nonisolated var a ="),
      (
        "public struct B { public let id: Int; public internal(set) var a: Int }",
        "public internal(set) nonisolated var a ="
      ),
      (
        "public struct B { public let id: Int; public package(set) var a: Int }",
        "public package(set) nonisolated var a ="
      ),
      ("struct B { let id: Int; public internal(set) var a: Int }", "  nonisolated var a ="),
    ])
  func columnSetter(source: String, column: String) {
    let expansion = Expansion("@Model " + source)
    #expect(expansion.messages == [])
    #expect(expansion.text.contains(column))
  }

  @Test(
    "Types are read from annotations",
    arguments: [
      ("var a: Int?", "Int?"), ("var a: Optional<Int>", "Int?"), ("var a: Swift.Optional<Int>", "Int?"),
      ("var a: Int!", "Int?"), ("var a: [Int]", "[Int]"), ("var a: Array<Int>", "[Int]"),
      ("var a: Swift.Array<Int?>", "[Int?]"), ("var a: (Int)", "Int"), ("var a: Foundation.UUID", "Foundation.UUID"),
      ("var a: Self.Genre", "B.Genre"), ("var a: [Self.Genre]?", "[B.Genre]?"), ("var a: Tagged<Int>", "Tagged<Int>"),
      ("var b, a: Int", "Int"), ("var a, b: Int", "Int"), ("var b = 1, a: String", "String"),
      ("var a: Int { didSet { } }", "Int"), ("var a: Int = 1 { willSet { } }", "Int"),
    ])
  func writtenTypes(source: String, type: String) {
    let expansion = Expansion("@Model struct B { let id: Int; \(source) }")
    #expect(expansion.messages == [])
    #expect(expansion.spelledOut.contains(#"\B.a, \#(type).self"#))
    #expect(expansion.spelledOut.contains(" a = QuarryCore.Column<\(type)>"))
  }

  @Test(
    "Types are read from values",
    arguments: [
      ("5", "Int"), ("-5", "Int"), ("0x1F", "Int"), ("5.0", "Double"), ("-5.0", "Double"), ("\"x\"", "String"),
      ("\"\\(x)\"", "String"), ("true", "Bool"), ("!true", "Bool"), ("(5)", "Int"), ("60 * 60", "Int"),
      ("60 * 0.5", "Double"), ("[1, 2]", "[Int]"), ("[1, 2.5]", "[Double]"), ("[[\"a\"]]", "[[String]]"),
      ("UUID()", "UUID"), ("Date()", "Date"), ("Date.now", "Date"), ("Foundation.Date()", "Foundation.Date"),
      ("Date(timeIntervalSince1970: 0)", "Date"), ("UUID.init()", "UUID"), ("[String]()", "[String]"),
      ("Array<String>()", "[String]"), ("Tagged<Int>()", "Tagged<Int>"), ("Genre.fiction", "Genre"),
      ("Outer.Genre.fiction", "Outer.Genre"), ("Int64(5)", "Int64"), ("5 as Int64", "Int64"),
      ("x as? Int64", "Int64?"), ("URL(string: \"x\")!", "URL"), ("Int?.none", "Int?"), ("Int.max", "Int"),
      ("Address(street: \"x\")", "Address"), ("String(5)", "String"),
    ])
  func visibleTypes(value: String, type: String) {
    let expansion = Expansion("@Model struct B { let id: Int; var a = \(value) }")
    #expect(expansion.messages == [])
    #expect(expansion.spelledOut.contains(#"\B.a, \#(type).self"#))
  }

  @Test(
    "Constants are defaults",
    arguments: [
      ("Int = 5", "5"), ("Int = -5", "-5"), ("Double = 1e3", "1e3"), ("Bool = false", "false"),
      ("Int = 60 * 60", "60 * 60"), ("Int = (1 + 2) * -3", "(1 + 2) * -3"), ("String = \"a\\n\"", #""a\n""#),
      ("String = #\"a\"b\\\"#", #""a\"b\\""#), ("[Int] = [1, -2]", "[1, -2]"), ("[String] = []", "[]"),
      ("Genre = .fiction", ".fiction as Genre"), ("Genre? = .none", ".none as Genre?"),
      ("Genre = Genre.fiction", "Genre.fiction"), ("[Genre] = [.a, .b]", "[.a, .b]"), ("Int = Int.max", "Int.max"),
      ("Date = .distantPast", ".distantPast as Date"), ("[String] = [String]()", "[]"),
      ("String = String()", "String()"),
      ("Int64 = 5 as Int64", "(5 as Int64)"), ("Int? = 5", "5"), ("Decimal = 0.1", "0.1"),
    ])
  func constants(declaration: String, constant: String) {
    let expansion = Expansion("@Model struct B { let id: Int; var a: \(declaration) }")
    #expect(expansion.messages == [])
    #expect(expansion.text.contains(".self, default: \(constant)),"))
  }

  @Test("A constant string of several lines is repeated on one")
  func multilineConstant() {
    let expansion = Expansion(
      #"""
      @Model struct B {
        let id: Int
        var a = """
          one
            "two"
          """
      }
      """#)
    #expect(expansion.text.contains(#"default: "one\n  \"two\"")"#))
  }

  @Test(
    "What is no constant is no default",
    arguments: [
      "UUID = UUID()", "Date = Date()", "Date = .now", "Date = Date.now", "String? = nil", "String = \"\\(x)\"",
      "Int = other", "Int = Self.start", "Int = Settings.start", "[Date] = [.now]", "Address = Address(street: \"x\")",
      "Int = 5 + other", "Int = .random(in: 1...6)", "Bool = !other", "[UUID] = [UUID()]",
    ])
  func noConstants(declaration: String) {
    let expansion = Expansion("@Model struct B { let id: Int; var a: \(declaration) }")
    #expect(expansion.messages == [])
    #expect(expansion.text.contains(#"PropertyDefinition("a", "#))
    #expect(!expansion.text.contains("default:"))
  }

  @Test(
    "What is not stored in an object is left alone",
    arguments: [
      "static let a = 5", "static var a: Int = 5", "var a: Int { 5 }", "var a: Int { get { 5 } set { } }",
      "@Transient var a = 5", "@Transient var a: Int?", "@Transient let a = 5", "@Transient lazy var a = 5",
      "@Transient var a: [String: Int] = [:]", "@Transient @Published var a: Int", "func a() {}", "enum a {}",
      "@Quarry.Transient var a = 5", "static func a() { #if DEBUG\n print(1)\n #endif\n }",
      "#if DEBUG\n func a() {}\n var b: Int { 5 }\n static let c = 5\n #endif\n",
    ])
  func unstored(member: String) {
    let expansion = Expansion("@Model struct B { let id: Int; \(member) }")
    #expect(expansion.messages == [])
    #expect(expansion.text.contains(#"PropertyDefinition("id", "#))
    #expect(!expansion.text.contains(#"PropertyDefinition("a", "#))
  }

  @Test(
    "Attributes of the language do not matter",
    arguments: ["@available(*, deprecated)", "@usableFromInline", "@_spi(Testing)"])
  func languageAttributes(attribute: String) {
    let expansion = Expansion("@Model struct B { let id: Int; \(attribute) var a: Int }")
    #expect(expansion.messages == [])
    #expect(expansion.text.contains(#"PropertyDefinition("a", "#))
  }

  @Test("A marked property is the primary key before `id`")
  func primaryKey() {
    let expansion = Expansion("@Model struct B { let id: Int; @Attribute(.primaryKey) let isbn: String }")
    #expect(expansion.messages == [])
    #expect(expansion.text.contains(#"primaryKey: "isbn""#))
    #expect(expansion.text.contains("var primaryKeyValue: String"))
  }

  @Test(
    "A generated key is part of the definition",
    arguments: [
      "var id = 0", "var id: Int32 = 0", "let id: UInt64", "var id: UUID = .missing", "var id: Foundation.UUID",
      "var id: Number",
    ])
  func generatedKey(property: String) {
    let expansion = Expansion("@Model(originalName: \"A\") struct B { @Attribute(.generated) \(property) }")
    #expect(expansion.messages == [])
    #expect(expansion.text.contains("generatesKey: true,\n"))
    #expect(!expansion.text.contains("IndexDefinition"))
    #expect(!Expansion("@Model struct B { \(property) }").text.contains("generatesKey"))
  }

  @Test("An original name is part of the definition")
  func originalName() {
    let expansion = Expansion(#"@Model struct B { let id: Int; @Attribute(originalName: "jahr") var year: Int }"#)
    #expect(expansion.messages == [])
    #expect(expansion.text.contains(#"PropertyDefinition("year", \B.year, Int.self, originalName: "jahr")"#))
  }

  @Test("The original name of a model is in its definition")
  func originalNameOfModel() {
    let plain = Expansion(#"@Model(originalName: "Buch") struct B { let id: Int }"#)
    #expect(plain.messages.isEmpty)
    #expect(plain.text.contains("primaryKey: \"id\",\n"))
    #expect(plain.text.contains(#"originalName: "Buch""#))
    let indexed = Expansion(
      #"@Model(name: "Book", originalName: "Buch") struct B { let id: Int; @Attribute(.indexed) var year: Int }"#)
    #expect(indexed.text.contains(#"originalName: "Buch""#))
    #expect(indexed.text.contains("],\n"))
    #expect(!Expansion("@Model(originalName: nil) struct B { let id: Int }").text.contains("originalName"))
  }

  @Test("A search has the weight and the language that its attribute says")
  func searches() {
    let expansion = Expansion(
      """
      @Model struct B {
        let id: Int
        @Attribute(.searchable) var a: String
        @Attribute(.searchable(weight: 3)) var b: String
        @Attribute(.searchable(language: .english)) var c: String
        @Attribute(.searchable(weight: 3, language: SearchLanguage.english)) var d: String
      }
      """)
    #expect(expansion.messages == [])
    #expect(expansion.text.contains(#"("a", \B.a, String.self, search: .init(weight: 1))"#))
    #expect(expansion.text.contains(#"("b", \B.b, String.self, search: .init(weight: 3))"#))
    #expect(expansion.text.contains(#"("c", \B.c, String.self, search: .init(weight: 1, language: .english))"#))
    #expect(
      expansion.text.contains(
        #"("d", \B.d, String.self, search: .init(weight: 3, language: SearchLanguage.english))"#))
    for wrong in ["weight: 0", "weight: 1001", "weight: w", "weight: 1, language: english", "language: \"english\""] {
      let expansion = Expansion("@Model struct B { let id: Int; @Attribute(.searchable(\(wrong))) var a: String }")
      #expect(expansion.messages.count == 1, "\(wrong)")
    }
  }

  @Test("A raw identifier is stored without its backticks")
  func rawIdentifier() {
    let expansion = Expansion("@Model struct B { let `id`: Int; var `first name`: String }")
    #expect(expansion.messages == [])
    #expect(expansion.text.contains(#"PropertyDefinition("first name", \B.`first name`, String.self)"#))
    #expect(expansion.text.contains(#"primaryKey: "id""#))
  }
}
