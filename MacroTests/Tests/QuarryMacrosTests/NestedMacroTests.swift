import Testing

@testable import QuarryMacros

@Suite("What @Nested generates")
struct NestedMacroTests {
  @Test("The conformance of a struct with a default, an optional and a dictionary")
  func conformance() {
    expectExpansion(
      of: #"""
        @Nested
        public struct Address: Equatable {
          public var city: String
          var zip: Int? = 5
          var floor = 5
          var names: [String: Int]
        }
        """#,
      to: #"""
        public struct Address: Equatable {
          public var city: String
          var zip: Int? = 5
          var floor = 5
          var names: [String: Int]

          public nonisolated static let nestedDefinition = QuarryCore.NestedDefinition<Address>(members: [
            QuarryCore.MemberDefinition(CodingKeys.city.stringValue, \Address.city, String.self),
            QuarryCore.MemberDefinition(CodingKeys.zip.stringValue, \Address.zip, Int?.self),
            QuarryCore.MemberDefinition(CodingKeys.floor.stringValue, \Address.floor, Int.self, default: 5),
            QuarryCore.MemberDefinition(CodingKeys.names.stringValue, \Address.names),
            ])

          public nonisolated struct Columns: QuarryCore.NestedColumns {
            public nonisolated var city: QuarryCore.MemberColumn<String> {
              QuarryCore.MemberColumn(CodingKeys.city.stringValue)
            }
            nonisolated var zip: QuarryCore.MemberColumn<Int?> {
              QuarryCore.MemberColumn(CodingKeys.zip.stringValue)
            }
            nonisolated var floor: QuarryCore.MemberColumn<Int> {
              QuarryCore.MemberColumn(CodingKeys.floor.stringValue)
            }
            public nonisolated init() {
            }
          }
        }

        extension Address: nonisolated QuarryCore.NestedModel {
        }
        """#)
  }

  @Test("What CodingKeys leave out is no member, and what they name is")
  func codingKeys() {
    let expansion = Expansion(
      "@Nested struct A { var a: Int; var b = 1; enum CodingKeys: String, CodingKey { case a = \"x\" } }")
    #expect(expansion.messages == [])
    #expect(expansion.text.contains("MemberDefinition(CodingKeys.a.stringValue"))
    #expect(!expansion.text.contains("CodingKeys.b"))
  }

  @Test(
    "An empty collection is a default, too",
    arguments: [
      ("[String: Int] = [:]", ", default: [:])"), ("Set<Int> = []", ", default: [])"), ("[String: Int]? = [:]", ".a)"),
      ("[String: Int] = [\"x\": 1]", ".a)"),
    ])
  func emptyCollections(declaration: String, argument: String) {
    let expansion = Expansion("@Nested struct A { var a: \(declaration) }")
    #expect(expansion.messages == [])
    #expect(expansion.text.contains("MemberDefinition(CodingKeys.a.stringValue, \\A.a"))
    #expect(expansion.text.contains(argument))
  }

  @Test("A member that is @Transient is left out of CodingKeys that the macro writes")
  func transient() {
    let expansion = Expansion("@Nested struct A { var a: Int; @Transient var b = 1; var `in`: String }")
    #expect(expansion.messages == [])
    #expect(expansion.text.contains("nonisolated enum CodingKeys: Swift.String, Swift.CodingKey {"))
    #expect(expansion.text.contains("case a\n") && expansion.text.contains("case `in`\n"))
    #expect(!expansion.text.contains("case b"))
    #expect(!Expansion("@Nested struct A { var a: Int }").text.contains("enum CodingKeys"))
  }

  @Test("A type that is not built in is checked once")
  func checkedType() {
    let expansion = Expansion("@Nested struct A { var genre: Genre? }")
    #expect(expansion.text.contains("typealias _genreType = QuarryCore.StoredForm<Genre>.Value"))
    #expect(
      expansion.text.contains("MemberDefinition(CodingKeys.genre.stringValue, \\A.genre, Columns._genreType?.self)"))
    #expect(expansion.text.contains("var genre: QuarryCore.MemberColumn<_genreType?> {"))
  }

  @Test("What it refuses as @Model does")
  func refused() {
    expectError(.needsStruct, "@Nested ▸enum A {}")
    expectError(.generic, "@Nested struct A▸<T> { var a: T }")
    expectError(
      .letWithValue, "@Nested struct A { let a = ▸5 }",
      fixed: [
        "@Nested struct A { var a = 5 }", "@Nested struct A { let a: Int }",
      ])
    expectError(.reservedMember, "@Nested struct A { var ▸nestedDefinition: Int }")
    expectError(.unsupportedType, "@Nested struct A { var a: ▸(Int, Int) }")
    expectError(
      .conformanceWritten, "@Nested struct A: ▸NestedModel { var a: Int }", fixed: ["@Nested struct A { var a: Int }"])
  }

  @Test("Attributes of models, which mean nothing inside a value")
  func attributes() {
    let expansion = Expansion("@Nested struct A { @Attribute(.unique) var a: Int }")
    #expect(expansion.messages.map(\.kind) == [.misplaced])
    expectError(.codingKeys, "@Nested struct A { ▸@Transient var a = 1; enum CodingKeys: CodingKey { case a } }")
  }

  @Test("A struct that is said to be both")
  func modelAndNested() {
    let expansion = Expansion("@Nested @Model struct A { let id: Int }")
    #expect(expansion.messages.map(\.kind) == [.modelAndNested])
  }
}
