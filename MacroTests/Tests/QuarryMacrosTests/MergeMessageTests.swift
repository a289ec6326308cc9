import Testing

@testable import QuarryMacros

@Suite("What the macros refuse about sync, and where they point")
struct MergeMessageTests {
  @Test(
    "Rules that do not fit a type",
    arguments: [
      "@Merge(▸.counter) var a: String", "@Merge(▸.counter) var a: Int?", "@Merge(▸.counter) var a: [Int]",
      "@Merge(▸.counter) var a: UInt64", "@Merge(▸.counter) var a = 1", "@Merge(▸.counter) var a = 0.5",
      "@Merge(▸.set) var a: String", "@Merge(▸.set) var a: [String]?", "@Merge(▸.set) var a: [Double]",
      "@Merge(▸.set) var a = [1]", "@Merge(▸.max) var a: [Int]", "@Merge(▸.min) var a: [Int]",
      "@Merge(▸.min) var a: Int?", "@Merge(▸.max) var a: Ref<C>", "@Merge(▸.counter) var a: Ref<C>?",
      "@Attribute(.unique) @Merge(▸.counter) var a: Int", "@Merge(▸.max) var a: Int; #Unique<B>([\\.a])",
      "@Merge(▸.row(\"x\")) var a: Int",
    ])
  func rules(property: String) {
    expectError(.mergeRule, "@Model struct B { let id: UUID; \(property) }")
  }

  @Test(
    "Rules that fit",
    arguments: [
      "@Merge(.counter) var a = 0", "@Merge(.counter) var a: Int64", "@Merge(.counter) var a: Count",
      "@Merge(.set) var a: [String] = []", "@Merge(.set) var a: Array<Kind>", "@Merge(.max) var a: Date?",
      "@Merge(.max) var a: Bool", "@Merge(.min) var a: Decimal", "@Merge(.lww) var a: [Int]",
      "@Merge(.lww) var a: Ref<C>",
      "@Merge(.row(\"x\")) var a: Int; @Merge(.row(\"x\")) var b: Ref<C>?",
      "@Merge(.row(\"x\")) @Attribute(.unique) var a: Int; @Merge(.row(\"x\")) var b: Int",
    ])
  func fitting(property: String) {
    #expect(Expansion("@Model(synced: true) struct B { let id: UUID; \(property) }").messages == [])
  }

  @Test(
    "Rules of keys",
    arguments: [
      "@Merge(▸.lww) let id: UUID", "@Attribute(.primaryKey) @Merge(▸.counter) var a: Int",
      "var a: Int; @Merge(▸.lww) var b: Int; #PrimaryKey<B>([\\.a, \\.b])",
    ])
  func keys(properties: String) {
    expectError(.mergeRule, "@Model struct B { \(properties) }")
  }

  @Test("Rules that are not written as literals")
  func literals() {
    expectError(.unknownOption, "@Model struct B { let id: UUID; @Merge(▸rule) var a: Int }")
    expectError(.unknownOption, "@Model struct B { let id: UUID; @Merge(▸.sum) var a: Int }")
    expectError(.notLiteral, "@Model struct B { let id: UUID; @Merge(▸.row(name)) var a: Int }")
    expectError(.notLiteral, "@Model struct B { let id: UUID; @Merge(▸.row(\"\")) var a: Int }")
    expectError(.notLiteral, "@Model(synced: ▸flag) struct B { let id: UUID }")
  }

  @Test("Rules where nothing is stored")
  func places() {
    expectError(.transientAttribute, "@Model struct B { let id: UUID; @Transient @Merge(▸.counter) var a = 0 }")
    for list in ["@Merge(.set) var a: Links<C>", #"@Relationship(inverse: \C.b) @Merge(.set) var a: Many<C>"#] {
      #expect(Expansion("@Model struct B { let id: UUID; \(list) }").messages.map(\.kind) == [.relationForm])
    }
  }

  @Test("Keys that collide")
  func syncedKeys() {
    expectError(.syncedKey, "@Model(synced: true) struct B { @Attribute(▸.generated) var id: Int }")
    expectError(.syncedKey, "@Model(synced: true) struct B { let id: ▸Double }")
    #expect(Expansion("@Model(synced: true) struct B { @Attribute(.generated) var id: UUID }").messages == [])
    #expect(Expansion("@Model(synced: true) struct B { let id: Int }").messages == [])
  }
}
