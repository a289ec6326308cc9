import Testing

@testable import QuarryMacros

@Suite("What the macros refuse, and where they point")
struct MessageTests {
  @Test(
    "Other declarations than structs", arguments: ["actor", "enum", "protocol"])
  func needsStruct(keyword: String) {
    expectError(.needsStruct, "@Model ▸\(keyword) B {}")
  }

  @Test("A class, which can become a struct")
  func classes() {
    expectError(
      .needsStruct, "@Model final ▸class B { let id: Int }", fixed: ["@Model final struct B { let id: Int }"])
  }

  @Test("Generic structs")
  func generic() {
    expectError(.generic, "@Model struct B▸<T> { let id: T }")
  }

  @Test("Structs in generic types")
  func genericAround() {
    expectError(.generic, "struct Outer<T> { @Model struct ▸B { let id: Int } }")
  }

  @Test(
    "Local structs",
    arguments: [
      "func f() { @Model struct ▸B { let id: Int } }", "init() { @Model struct ▸B { let id: Int } }",
      "let f = { @Model struct ▸B { let id: Int } }",
      "var f: Int { get { @Model struct ▸B { let id: Int }; return 1 } }",
    ])
  func local(source: String) {
    expectError(.local, source)
  }

  @Test("A private struct in a type, which can become fileprivate")
  func privateNested() {
    expectError(
      .privateNested, "struct Outer { @Model ▸private struct B { let id: Int } }",
      fixed: ["struct Outer { @Model fileprivate struct B { let id: Int } }"])
  }

  @Test("A struct in a private type in a type")
  func privateAround() {
    expectError(
      .privateNested, "struct Outer { private enum Inner { @Model struct ▸B { let id: Int } } }")
  }

  @Test(
    "Private is no obstacle at the top level of a file",
    arguments: [
      "@Model private struct B { let id: Int }", "private enum Outer { @Model struct B { let id: Int } }",
      "private extension Outer { @Model struct B { let id: Int } }",
    ])
  func privateAtTop(source: String) {
    #expect(Expansion(source).messages == [])
  }

  @Test("Structs that cannot be copied")
  func noncopyable() {
    expectError(.noncopyable, "@Model struct B: ▸~Copyable { let id: Int }")
  }

  @Test("A conformance that is written already, alone")
  func conformanceAlone() {
    expectError(
      .conformanceWritten, "@Model struct B: ▸Model { let id: Int }", fixed: ["@Model struct B { let id: Int }"])
  }

  @Test(
    "A conformance that is written already, among others",
    arguments: [
      ("@Model struct B: Equatable, ▸Model { let id: Int }", "@Model struct B: Equatable { let id: Int }"),
      ("@Model struct B: ▸Quarry.Model, Equatable { let id: Int }", "@Model struct B: Equatable { let id: Int }"),
    ])
  func conformanceAmongOthers(source: String, fixed: String) {
    expectError(.conformanceWritten, source, fixed: [fixed])
  }

  @Test("A conformance that is written elsewhere")
  func conformanceElsewhere() {
    let expansion = Expansion("@Model struct B { let id: Int }", conformances: [])
    #expect(expansion.messages.map(\.kind) == [.conformanceWritten])
    #expect(!expansion.text.contains("extension"))
  }

  @Test(
    "Members with the names of generated ones",
    arguments: [
      "struct ▸Columns {}", "enum ▸Columns {}", "typealias ▸Columns = Int", "var ▸primaryKeyValue: Int",
      "static let ▸modelDefinition = 5", "var ▸modelDefinition: Int { 5 }", "var ▸Columns: Int",
    ])
  func reservedMember(member: String) {
    expectError(.reservedMember, "@Model struct B { let id: Int; \(member) }")
  }

  @Test(
    "Names that the store reserves",
    arguments: [
      "@Model struct ▸_Quarry {}", "@Model(name: ▸\"sqlite_b\") struct B { let id: Int }",
      "@Model struct B { let id: Int; var ▸_quarryX: Int }", "@Model struct B { let id: Int; var ▸SQLite_x: Int }",
    ])
  func reservedName(source: String) {
    expectError(.reservedName, source)
  }

  @Test("Empty names", arguments: [#""""#, #""a\0b""#])
  func emptyName(literal: String) {
    expectError(.emptyName, "@Model(name: ▸\(literal)) struct B { let id: Int }")
  }

  @Test("A name of more than 63 bytes")
  func longName() {
    let name = String(repeating: "ä", count: 31)
    #expect(Expansion("@Model struct B { let id: Int; var \(name)x: Int }").messages == [])
    expectError(.longName, "@Model struct B { let id: Int; var ▸\(name)xy: Int }")
  }

  @Test("Names that differ only in case")
  func nameClash() {
    expectError(.nameClash, "@Model struct B { let id: Int; var year: Int; var ▸Year: Int }")
  }

  @Test("A name that is no literal")
  func computedName() {
    expectError(.notLiteral, "@Model(name: ▸names.first) struct B { let id: Int }")
  }

  @Test(
    "Stored properties and indexes under #if",
    arguments: [
      "#if DEBUG\n var ▸a: Int\n#endif", "#if DEBUG\n#else\n#if LINUX\n let ▸a: Int\n#endif\n#endif",
      "#if DEBUG\n ▸#Index<B>([\\.id])\n#endif", "▸#if DEBUG\n@Transient\n#endif\n var a: Int",
    ])
  func conditional(member: String) {
    let parts = member.split(separator: "▸", omittingEmptySubsequences: false)
    let start = "@Model struct B { let id: Int\n"
    let expansion = Expansion(start + parts.joined() + "\n}")
    #expect(expansion.messages.map(\.kind) == [.conditionalMember])
    #expect(expansion.messages.map(\.offset) == [(start + parts[0]).utf8.count])
  }

  @Test("Properties that are declared as a tuple")
  func tuplePattern() {
    expectError(.tuplePattern, "@Model struct B { let id: Int; var ▸(a, b) = (1, 2) }")
  }

  @Test("A lazy property, which can become transient")
  func lazy() {
    expectError(
      .lazyProperty, "@Model struct B { let id: Int; ▸lazy var a = 5 }",
      fixed: ["@Model struct B { let id: Int; @Transient lazy var a = 5 }"])
  }

  @Test("References that are not kept alive", arguments: ["weak", "unowned", "unowned(unsafe)"])
  func weak(modifier: String) {
    expectError(
      .weakProperty, "@Model struct B { let id: Int; ▸\(modifier) var a: C? }",
      fixed: ["@Model struct B { let id: Int; @Transient \(modifier) var a: C? }"])
  }

  @Test("A property wrapper, which can become transient")
  func propertyWrapper() {
    expectError(
      .propertyWrapper, "@Model struct B {\n  let id: Int\n  ▸@Clamped(1...5) var a: Int\n}",
      fixed: ["@Model struct B {\n  let id: Int\n  @Transient @Clamped(1...5) var a: Int\n}"])
  }

  @Test("A constant with a value, which can become a variable or lose the value")
  func letWithValue() {
    expectError(
      .letWithValue, "@Model struct B {\n  let id = ▸UUID()\n  let a: Int\n}",
      fixed: [
        "@Model struct B {\n  var id = UUID()\n  let a: Int\n}", "@Model struct B {\n  let id: UUID\n  let a: Int\n}",
      ])
  }

  @Test("A constant with a type and a value")
  func letWithTypeAndValue() {
    expectError(
      .letWithValue, "@Model struct B { let id: Int; let a: Int = ▸5 }",
      fixed: [
        "@Model struct B { let id: Int; var a: Int = 5 }", "@Model struct B { let id: Int; let a: Int }",
      ])
  }

  @Test(
    "Values whose type cannot be seen",
    arguments: [
      "make()", "other", "Int(\"5\")", "Int(other)", "URL(string: \"x\")", "Genre(rawValue: 1)", "nil", "[]",
      "[1, \"a\"]",
      "{ 5 }()", "Genre.make()", "Self.start", "B.start", "a ? 1 : 2", "Int.self", "5 + other", "String(data: x)",
      "UUID(uuidString: \"x\")",
    ])
  func missingType(value: String) {
    expectError(
      .missingType, "@Model struct B { let id: Int; var ▸a = \(value) }",
      fixed: ["@Model struct B { let id: Int; var a: <#Type#> = \(value) }"])
  }

  @Test(
    "Types that cannot be stored",
    arguments: [
      "▸[String: Int]", "▸Dictionary<String, Int>", "▸Set<Int>", "▸Swift.Set<Int>", "▸(Int, Int)", "▸()", "▸Void",
      "▸() -> Int", "@Sendable () -> Int", "▸Any", "▸AnyObject", "▸any Sendable", "▸some Equatable", "▸A & B",
      "▸Int.Type",
      "▸AnyHashable", "[▸Set<Int>]", "[▸(Int, Int)]?",
    ])
  func unsupportedType(type: String) {
    // What an attribute is before counts as the type itself.
    let marked = type.contains("▸") ? type : type.replacing("() ->", with: "▸() ->")
    expectError(.unsupportedType, "@Model struct B { let id: Int; var a: \(marked) }")
  }

  @Test("A value of a type that cannot be stored")
  func unsupportedVisibleType() {
    expectError(.unsupportedType, "@Model struct B { let id: Int; var a = ▸[String: Int]() }")
  }

  @Test("Optionals of optionals", arguments: ["Int??", "Optional<Int>?", "Optional<Int?>"])
  func nestedOptional(type: String) {
    expectError(.nestedOptional, "@Model struct B { let id: Int; var a: ▸\(type) }")
  }

  @Test(
    "Transient properties without a value",
    arguments: [
      ("var ▸a: Int", "var a: Int = <#value#>"), ("let ▸a: Int?", "let a: Int? = <#value#>"),
      ("var ▸a: Optional<Int>", "var a: Optional<Int> = <#value#>"),
    ])
  func transientWithoutValue(member: String, fixed: String) {
    expectError(
      .transientWithoutValue, "@Model struct B { let id: Int; @Transient \(member) }",
      fixed: ["@Model struct B { let id: Int; @Transient \(fixed) }"])
  }

  @Test("A struct without a primary key")
  func missingPrimaryKey() {
    expectError(.missingPrimaryKey, "@Model struct ▸B { let name: String }")
  }

  @Test("A struct whose `id` is static")
  func staticID() {
    expectError(.missingPrimaryKey, "@Model struct ▸B { static let id = 5; var name: String }")
  }

  @Test("A primary key that is computed")
  func computedPrimaryKey() {
    expectError(.computedPrimaryKey, "@Model struct B { let name: String; var ▸id: String { name } }")
  }

  @Test(
    "A primary key that is not stored",
    arguments: [
      "@Model struct ▸B { @Transient var id = 5; var name: String }",
      "@Model struct B { let id: Int; @Transient @Attribute(▸.primaryKey) var name = 5 }",
    ])
  func transientPrimaryKey(source: String) {
    expectError(.transientPrimaryKey, source)
  }

  @Test("Several primary keys")
  func severalPrimaryKeys() {
    expectError(
      .severalPrimaryKeys, "@Model struct B { @Attribute(.primaryKey) let a: Int; @Attribute(▸.primaryKey) let b: Int }"
    )
  }

  @Test("An optional primary key", arguments: ["Int?", "Optional<Int>"])
  func optionalPrimaryKey(type: String) {
    expectError(.optionalPrimaryKey, "@Model struct B { var id: ▸\(type) }")
  }

  @Test(
    "Keys that cannot be generated",
    arguments: [
      "@Model struct B { @Attribute(.generated) var id: ▸String }",
      "@Model struct B { @Attribute(.generated) var id: ▸Double = 0 }",
      "@Model struct B { @Attribute(.primaryKey, .generated) var day: ▸Date }",
      "@Model struct B { let id: Int; @Attribute(▸.generated) var number: Int }",
      "@Model struct B { let id: Int; @Attribute(.unique, ▸.generated) var number: Int }",
      "@Model struct B { @Attribute(▸.generated) var id: Int; @Attribute(.primaryKey) var code: String }",
    ])
  func generatedKey(source: String) {
    expectError(.generatedKey, source)
  }

  @Test(
    "Arrays as keys and in indexes",
    arguments: [
      "@Model struct B { let id: ▸[Int] }", "@Model struct B { let id: Int; @Attribute(.indexed) var a: ▸[Int] }",
      #"@Model struct B { let id: Int; var a: [Int]; #Index<B>([▸\.a]) }"#,
    ])
  func unordered(source: String) {
    expectError(.unorderedIndexColumn, source)
  }

  @Test("Options that are not written out", arguments: [".fast", "option", "[.unique]"])
  func unknownOption(option: String) {
    expectError(.unknownOption, "@Model struct B { let id: Int; @Attribute(▸\(option)) var a: Int }")
  }

  @Test("An original name that is no literal", arguments: ["name", #""""#, #""\(name)""#])
  func originalNameLiteral(value: String) {
    expectError(.notLiteral, "@Model struct B { let id: Int; @Attribute(originalName: ▸\(value)) var a: Int }")
  }

  @Test("An original name that another property has now")
  func originalName() {
    expectError(
      .originalName, #"@Model struct B { let id: Int; var b: Int; @Attribute(originalName: ▸"b") var a: Int }"#)
  }

  @Test("An original name may differ from the name in the case of letters alone")
  func originalNameInOtherCase() {
    let source = #"@Model(originalName: "b") struct B { let id: Int; @Attribute(originalName: "Year") var year: Int }"#
    #expect(Expansion(source).messages == [])
    expectError(.originalName, #"@Model struct B { let id: Int; @Attribute(originalName: ▸"a") var a: Int }"#)
  }

  @Test("The original name of a model is a literal, and not the name that it has")
  func originalNameOfModel() {
    expectError(.notLiteral, "@Model(originalName: ▸name) struct B { let id: Int }")
    expectError(.notLiteral, #"@Model(originalName: ▸"") struct B { let id: Int }"#)
    expectError(.originalName, #"@Model(originalName: ▸"B") struct B { let id: Int }"#)
    expectError(.originalName, #"@Model(name: "Book", originalName: ▸"Book") struct B { let id: Int }"#)
  }

  @Test("An option of a transient property")
  func transientAttribute() {
    expectError(.transientAttribute, "@Model struct B { let id: Int; @Transient @Attribute(▸.unique) var a = 5 }")
  }

  @Test(
    "Attributes and indexes outside a model",
    arguments: [
      "struct B { ▸@Attribute(.unique) var a: Int }", "struct B { ▸@Transient var a = 5 }",
      #"struct B { ▸#Index<B>([\.a]) }"#, #"struct B { ▸#Unique<B>([\.a]) }"#,
      "@Model struct A { let id: Int; struct B { ▸@Transient var a = 5 } }",
    ])
  func misplaced(source: String) {
    let parts = source.split(separator: "▸", omittingEmptySubsequences: false)
    let messages = Expansion(parts.joined()).messages
    #expect(messages.map(\.kind) == [.misplaced])
    #expect(messages.map(\.offset) == [parts[0].utf8.count])
  }

  @Test(
    "Attributes on what is not stored in an object",
    arguments: [
      "@Attribute(.unique) var a: Int { 5 }", "@Transient static let a = 5", "@Attribute(.indexed) func a() {}",
    ])
  func misplacedInModel(member: String) {
    let start = "@Model struct B { let id: Int; "
    let messages = Expansion(start + member + " }").messages
    #expect(messages.map(\.kind) == [.misplaced])
    #expect(messages.map(\.offset) == [start.utf8.count])
  }

  @Test(
    "Indexes that say nothing",
    arguments: [
      (ModelMessage.Kind.emptyIndex, "▸[]"), (.notLiteral, "▸columns"), (.notLiteral, "[▸column]"),
      (.notLiteral, #"[▸.first(\.a)]"#), (.nestedIndexColumn, #"[▸\.a.b]"#), (.nestedIndexColumn, #"[▸\.[0]]"#),
      (.nestedIndexColumn, #"[▸\.a?.b]"#), (.unknownIndexColumn, #"[▸\.none]"#),
      (.unknownIndexColumn, #"[▸\.computed]"#), (.unknownIndexColumn, #"[▸\.left]"#),
      (.repeatedIndexColumn, #"[\.a, ▸\.a]"#), (.repeatedIndexColumn, #"[.forward(\.a), ▸.reverse(\.a)]"#),
    ])
  func indexes(kind: ModelMessage.Kind, list: String) {
    expectError(
      kind,
      "@Model struct B { let id: Int; var a: Int; var computed: Int { 5 }; @Transient var left = 5; #Index<B>(\(list)) }"
    )
  }

  @Test("An index of another model")
  func foreignIndex() {
    expectError(.foreignIndex, #"@Model struct B { let id: Int; #Index<▸A>([\.id]) }"#)
  }

  @Test("Several mistakes are said at once")
  func several() {
    let expansion = Expansion("@Model struct B { let id = 5; var a: Set<Int>; lazy var b = 5 }")
    #expect(expansion.messages.map(\.kind) == [.letWithValue, .unsupportedType, .lazyProperty])
  }
}
