import Testing

@testable import QuarryMacros

@Suite struct SyncNameTests {
  @Test("The name by which a property travels is part of the definition")
  func ofProperty() {
    let expansion = Expansion(
      #"@Model struct B { let id: Int; @Attribute(.indexed, originalName: "jahr", syncName: "year") var y: Int }"#)
    #expect(expansion.messages == [])
    #expect(
      expansion.text.contains(
        #"PropertyDefinition("y", \B.y, Int.self, originalName: "jahr", syncName: "year")"#))
    let reference = Expansion(
      #"@Model struct B { let id: Int; @Attribute(syncName: "a") @Relationship(deleteRule: .deny) var author: Ref<A> }"#
    )
    #expect(reference.messages == [])
    #expect(reference.text.contains(#"deleteRule: .deny, syncName: "a")"#))
  }

  @Test("The name by which a model travels is in its definition")
  func ofModel() {
    let expansion = Expansion(#"@Model(originalName: "Buch", syncName: "Book") struct B { let id: Int }"#)
    #expect(expansion.messages == [])
    #expect(expansion.text.contains("originalName: \"Buch\",\n"))
    #expect(expansion.text.contains(#"syncName: "Book""#))
    #expect(!Expansion("@Model(syncName: nil) struct B { let id: Int }").text.contains("syncName"))
    #expect(Expansion(#"@Model(syncName: "B") struct B { let id: Int }"#).messages == [])
  }

  @Test("A name that is no literal", arguments: ["name", #""""#, #""\(name)""#])
  func literal(value: String) {
    expectError(.notLiteral, "@Model struct B { let id: Int; @Attribute(syncName: ▸\(value)) var a: Int }")
    expectError(.notLiteral, "@Model(syncName: ▸\(value)) struct B { let id: Int }")
  }

  @Test("Names that the store does not have", arguments: ["!", "_quarry_a", "SQLITE_a"])
  func reserved(name: String) {
    expectError(.reservedName, "@Model struct B { let id: Int; @Attribute(syncName: ▸\"\(name)\") var a: Int }")
    expectError(.reservedName, "@Model(syncName: ▸\"\(name)\") struct B { let id: Int }")
  }

  @Test("A name that another property travels by")
  func twice() {
    expectError(
      .syncName,
      #"@Model struct B { let id: Int; @Attribute(syncName: "x") var a: Int; @Attribute(syncName: ▸"x") var b: Int }"#)
  }
}
