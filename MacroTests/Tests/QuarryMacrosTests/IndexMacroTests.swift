import Testing

@testable import QuarryMacros

@Suite("What #Index and #Unique generate")
struct IndexMacroTests {
  /// The definitions of indexes in the expansion of a model with these members.
  private func indexes(_ members: String) -> (definitions: [String], messages: [Expansion.Message]) {
    let expansion = Expansion(
      "@Model struct B { let id: Int; var a: Int; var b: Int; var a_b: Int?; var `class`: Int\n\(members)\n}")
    let prefix = "QuarryCore.IndexDefinition("
    let lines = expansion.text.split(separator: "\n").map { $0.trimmingPrefix { $0 == " " } }
    return (
      lines.filter { $0.hasPrefix(prefix) }.map { String($0.dropFirst(prefix.count).dropLast(2)) }, expansion.messages
    )
  }

  @Test(
    "Each list is an index",
    arguments: [
      (#"#Index<B>([\.a])"#, [#"["a"]"#]),
      (#"#Index<B>([\.a], [\.b, \.a])"#, [#"["a"]"#, #"["b", "a"]"#]),
      (#"#Index<B>([\B.a, \Self.b])"#, [#"["a", "b"]"#]),
      (#"#Index([\B.a])"#, [#"["a"]"#]),
      (#"#Index<Library.B>([\.`class`])"#, [#"["class"]"#]),
      (#"#Index<B>([\.class])"#, [#"["class"]"#]),
      (#"#Unique<B>([\.a], [\.b, \.a])"#, [#"["a"], isUnique: true"#, #"["b", "a"], isUnique: true"#]),
      (#"#Index<B>([\.a])"# + "\n" + #"#Unique<B>([\.b])"#, [#"["a"]"#, #"["b"], isUnique: true"#]),
      (
        #"#Index<B>([.reverse(\.a), .forward(\.b)])"#,
        [#"[QuarryCore.IndexDefinition.Column("a", order: .reverse), "b"], name: "a_desc_b""#]
      ),
      (#"#Index<B>([.forward(\.a)])"#, [#"["a"]"#]),
    ])
  func lists(members: String, expected: [String]) {
    let (definitions, messages) = indexes(members)
    #expect(messages == [])
    #expect(definitions == expected)
  }

  @Test("Unique and indexed is one unique index")
  func uniqueAndIndexed() {
    let (definitions, messages) = indexes("@Attribute(.indexed, .unique) var c: Int")
    #expect(messages == [])
    #expect(definitions == [#"["c"], isUnique: true"#])
  }

  @Test("Two indexes whose columns' names join to one name get two names")
  func joinedNames() {
    let (definitions, _) = indexes(#"#Index<B>([\.a_b], [\.a, \.b])"#)
    #expect(definitions == [#"["a_b"]"#, #"["a", "b"], name: "a_b_2""#])
  }

  @Test("A name of many columns is cut to what every engine can keep, the same in every build")
  func longNames() {
    let long = String(repeating: "x", count: 40)
    let (definitions, messages) = indexes("var \(long): Int\nvar \(long)y: Int\n#Index<B>([\\.\(long), \\.\(long)y])")
    let name = "\(long)_\(String(repeating: "x", count: 13))_4bc42095"
    #expect(messages == [])
    #expect(definitions == [#"["\#(long)", "\#(long)y"], name: "\#(name)""#])
  }

  @Test(
    "An index that another one makes superfluous is left out with a warning",
    arguments: [
      (#"#Index<B>([\.a], [\.a])"#, [#"["a"]"#]),
      (#"#Index<B>([\.a])"# + "\n" + #"#Unique<B>([\.a])"#, [#"["a"], isUnique: true"#]),
      (#"#Index<B>([\.id])"#, []),
      (#"@Attribute(.unique) var c: Int"# + "\n" + #"#Unique<B>([\.c])"#, [#"["c"], isUnique: true"#]),
    ])
  func superfluous(members: String, expected: [String]) {
    let (definitions, messages) = indexes(members)
    #expect(messages.map(\.kind) == [.redundantIndex])
    #expect(messages.allSatisfy { !$0.isError })
    #expect(definitions == expected)
  }

  @Test("An index of the primary key is left out with a warning")
  func primaryKey() {
    let expansion = Expansion("@Model struct B { @Attribute(.primaryKey, .unique) let key: Int }")
    #expect(expansion.messages.map(\.kind) == [.redundantIndex])
    #expect(!expansion.text.contains("IndexDefinition"))
  }
}
