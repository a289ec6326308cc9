import Testing

@testable import QuarryMacros

@Suite("What the macros refuse of relations")
struct RelationMessageTests {
  /// A model with a key and a member. A triangle shows where the message points.
  private func expectMember(
    _ kind: ModelMessage.Kind, _ member: String, fixed: [String] = [],
    sourceLocation: Testing.SourceLocation = #_sourceLocation
  ) {
    let model = { (member: String) in "@Model struct Author { let id: Int; \(member) }" }
    expectError(kind, model(member), fixed: fixed.map(model), sourceLocation: sourceLocation)
  }

  @Test(
    "Another object in the object, which can become a reference",
    arguments: [
      ("@Relationship var mentor: ▸Author", "@Relationship var mentor: Ref<Author>"),
      ("@Relationship var city: ▸City?", "@Relationship var city: Ref<City>?"),
      (
        "@Relationship(deleteRule: .cascade) var city: ▸Place.City!",
        "@Relationship(deleteRule: .cascade) var city: Ref<Place.City>?"
      ),
    ])
  func object(source: String, fixed: String) {
    expectMember(.relationType, source, fixed: [fixed])
  }

  @Test(
    "Other types than those of relations",
    arguments: ["▸@Relationship var year: Int", "▸@Relationship var year: Date?", "▸@Relationship var year = City()"])
  func otherType(member: String) {
    expectMember(.relationType, member)
  }

  @Test(
    "Lists of objects, which can become the other side",
    arguments: [
      ("var books: ▸[Ref<Book>]", "var books: Many<Book>"),
      ("var books: ▸Array<Quarry.Ref<Book>>? = nil", "var books: Many<Book> = nil"),
      ("@Relationship var books: ▸[Book]", "@Relationship var books: Many<Book>"),
      (
        #"@Relationship(deleteRule: .cascade, inverse: \Book.author) var books: ▸[Book]"#,
        #"@Relationship(deleteRule: .cascade, inverse: \Book.author) var books: Many<Book>"#
      ),
    ])
  func list(source: String, fixed: String) {
    expectMember(.relationList, source, fixed: [fixed])
  }

  @Test(
    "An inverse on the side that is stored",
    arguments: [
      (#"@Relationship(▸inverse: \Book.author) var book: Ref<Book>"#, "@Relationship var book: Ref<Book>"),
      (
        #"@Relationship(deleteRule: .deny, ▸inverse: \Book.author) var book: Ref<Book>?"#,
        "@Relationship(deleteRule: .deny) var book: Ref<Book>?"
      ),
    ])
  func inverseOfReference(source: String, fixed: String) {
    expectMember(.relationInverse, source, fixed: [fixed])
  }

  @Test(
    "The other side without an inverse, which can be added",
    arguments: [
      ("var books: ▸Many<Book>", #"@Relationship(inverse: \Book.<#property#>) var books: Many<Book>"#),
      (
        "▸@Relationship(deleteRule: .deny) var books: Many<Book>",
        #"@Relationship(deleteRule: .deny, inverse: \Book.<#property#>) var books: Many<Book>"#
      ),
      (
        "▸@Relationship var books: Quarry.Many<Book>",
        #"@Relationship(inverse: \Book.<#property#>) var books: Quarry.Many<Book>"#
      ),
    ])
  func noInverse(source: String, fixed: String) {
    expectMember(.relationInverse, source, fixed: [fixed])
  }

  @Test(
    "An inverse that is no property",
    arguments: [#"\Book.author.key"#, "inverse", #"\Book.[0]"#])
  func inverse(path: String) {
    let expansion = Expansion("@Model struct Author { let id: Int; @Relationship(inverse: \(path)) var b: Many<Book> }")
    #expect(expansion.messages.map(\.kind) == [.relationInverse])
  }

  @Test("An inverse without a type, which can be added")
  func inverseWithoutType() {
    let expansion = Expansion(#"@Model struct A { let id: Int; @Relationship(inverse: \.a) var books: Many<Book> }"#)
    #expect(expansion.messages.map(\.kind) == [.relationInverse])
    #expect(
      expansion.messages.flatMap(\.fixed) == [
        #"@Model struct A { let id: Int; @Relationship(inverse: \Book.a) var books: Many<Book> }"#
      ])
  }

  @Test(
    "The other side as something with a value of its own",
    arguments: [
      ("▸let books: Many<Book>", "var books: Many<Book>"), ("var books: ▸Many<Book>?", "var books: Many<Book>"),
      ("var books: Many<Book> = ▸Many()", "var books: Many<Book>"),
    ])
  func form(source: String, fixed: String) {
    let attribute = #"@Relationship(inverse: \Book.author) "#
    expectMember(.relationForm, attribute + source, fixed: [attribute + fixed])
  }

  @Test(
    "The other side with what columns have",
    arguments: [
      #"@Attribute(▸.unique) @Relationship(inverse: \Book.author) var books: Many<Book>"#,
      #"@Attribute(originalName: ▸"b") @Relationship(inverse: \Book.author) var books: Many<Book>"#,
      #"@Attribute(syncName: ▸"b") @Relationship(inverse: \Book.author) var books: Many<Book>"#,
    ])
  func column(member: String) {
    let parts = member.split(separator: "▸", omittingEmptySubsequences: false)
    let expansion = Expansion("@Model struct A { let id: Int; \(parts.joined()) }")
    #expect(expansion.messages.map(\.kind) == [.relationForm])
  }

  @Test("The other side in an index")
  func index() {
    let expansion = Expansion(
      #"@Model struct A { let id: Int; @Relationship(inverse: \B.a) var bs: Many<B>; #Index<A>([\.bs]) }"#)
    #expect(expansion.messages.map(\.kind) == [.unknownIndexColumn])
  }

  @Test("A reference that is to become nil, and cannot")
  func nullify() {
    expectMember(
      .deleteRule, "@Relationship(deleteRule: ▸.nullify) var book: Ref<Book>",
      fixed: ["@Relationship(deleteRule: .nullify) var book: Ref<Book>?"])
  }

  @Test("A delete rule that would leave references to nothing")
  func noAction() {
    expectMember(
      .deleteRule, "@Relationship(deleteRule: ▸.noAction) var book: Ref<Book>?",
      fixed: [
        "@Relationship(deleteRule: .deny) var book: Ref<Book>?",
        "@Relationship(deleteRule: .nullify) var book: Ref<Book>?",
      ])
  }

  @Test("A delete rule that is no literal")
  func computedRule() {
    expectMember(.notLiteral, "@Relationship(deleteRule: ▸rule()) var book: Ref<Book>?")
  }

  @Test("A relation that is not stored")
  func transient() {
    expectMember(.transientAttribute, "@Transient ▸@Relationship var book: Ref<Book>? = nil")
  }

  @Test("Two original names")
  func originalNames() {
    expectMember(
      .originalName,
      #"@Attribute(originalName: "a") @Relationship(originalName: ▸"b") var book: Ref<Book>?"#)
  }

  @Test(
    "Relations in nested values",
    arguments: [
      "▸@Relationship var author: Author?", "var author: ▸Ref<Author>?", "var authors: ▸[Ref<Author>]",
      "var books: ▸Many<Book>",
    ])
  func nested(member: String) {
    expectError(.nestedRelation, "@Nested struct B { \(member) }", conformances: ["NestedModel"])
  }

  @Test(
    "Relations where the attribute has no effect",
    arguments: [
      "struct B { ▸@Relationship var author: Ref<Author> }", "class B { ▸@Relationship static var author: Author? }",
      "@Model struct B { let id: Int; ▸@Relationship static var author: Ref<Author>? }",
      "@Model struct B { let id: Int; ▸@Relationship var author: Ref<Author>? { nil } }",
    ])
  func misplaced(source: String) {
    let parts = source.split(separator: "▸", omittingEmptySubsequences: false)
    let messages = Expansion(parts.joined()).messages
    #expect(messages.map(\.kind) == [.misplaced])
    #expect(messages.map(\.offset) == [parts[0].utf8.count])
  }
}
