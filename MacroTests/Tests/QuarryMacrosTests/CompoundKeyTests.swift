import Testing

@testable import QuarryMacros

@Suite("What #PrimaryKey generates")
struct CompoundKeyTests {
  @Test("The key's struct, its value, and a property with its bytes")
  func compound() {
    expectExpansion(
      of: #"""
        @Model
        public struct Loan {
          public let reader: Int
          let `class`: String
          public var due: Int

          #PrimaryKey<Loan>([\.reader, \.`class`])
        }
        """#,
      to: #"""
        public struct Loan {
          public let reader: Int
          let `class`: String
          public var due: Int

          public nonisolated static let modelDefinition = QuarryCore.ModelDefinition<Loan>(
            name: "Loan",
            properties: [
              QuarryCore.PropertyDefinition("reader", \Loan.reader, Int.self),
              QuarryCore.PropertyDefinition("class", \Loan.`class`, String.self),
              QuarryCore.PropertyDefinition("due", \Loan.due, Int.self),
              QuarryCore.PropertyDefinition("_key", \Loan.primaryKeyValue, Key.self),
            ],
            primaryKey: "_key",
            keyMembers: ["reader", "class"]
          )

          public nonisolated struct Columns: QuarryCore.ModelColumns {
            public nonisolated let reader = QuarryCore.Column<Int>("reader", 0)
            nonisolated let `class` = QuarryCore.Column<String>("class", 1)
            public nonisolated var due = QuarryCore.Column<Int>("due", 2)
            public nonisolated init() {
            }
          }

          public nonisolated struct Key: QuarryCore.CompoundKey {
            public var reader: Int
            var `class`: String
            public nonisolated init(reader: Int, `class`: String) {
              self.reader = reader
              self.`class` = `class`
            }
            public nonisolated init(_ object: Loan) {
              self.reader = object.reader
              self.`class` = object.`class`
            }
            public nonisolated static var memberTypes: [any QuarryCore.Storable.Type] {
              [Int.self, String.self]
            }
            public nonisolated init(reading key: inout QuarryCore.KeyMemberReader) throws(QuarryCore.StorageError) {
              self.reader = try key.next()
              self.`class` = try key.next()
            }
            public nonisolated func write(to key: QuarryCore.KeyMemberWriter) throws(QuarryCore.StorageError) {
              try key.append(self.reader)
              try key.append(self.`class`)
            }
          }

          public nonisolated var primaryKeyValue: Key {
            Key(self)
          }

          public nonisolated func write(to row: QuarryCore.ModelWriter) throws(QuarryCore.StorageError) {
            try row.set(0, self.reader)
            try row.set(1, self.`class`)
            try row.set(2, self.due)
            try row.set(3, self.primaryKeyValue)
          }
        }

        extension Loan: nonisolated QuarryCore.Model {
          public nonisolated init(reading row: QuarryCore.ModelReader) throws(QuarryCore.StorageError) {
            self.reader = try row.get(0)
            self.`class` = try row.get(1)
            self.due = try row.get(2)
          }
        }
        """#)
  }

  @Test(
    "Compound keys that are none",
    arguments: [
      (
        .severalPrimaryKeys,
        #"@Model struct B { @Attribute(▸.primaryKey) let a: Int; let b: Int; #PrimaryKey<B>([\.a, \.b]) }"#
      ),
      (
        .severalPrimaryKeys,
        #"@Model struct B { let a: Int; let b: Int; #PrimaryKey<B>([\.a, \.b]); ▸#PrimaryKey<B>([\.b, \.a]) }"#
      ),
      (
        .generatedKey,
        #"@Model struct B { @Attribute(▸.generated) let a: Int; let b: Int; #PrimaryKey<B>([\.a, \.b]) }"#
      ),
      (.optionalPrimaryKey, #"@Model struct B { let a: ▸Int?; let b: Int; #PrimaryKey<B>([\.a, \.b]) }"#),
      (.unorderedIndexColumn, #"@Model struct B { let a: [Int]; let b: Int; #PrimaryKey<B>([▸\.a, \.b]) }"#),
      (.unknownIndexColumn, #"@Model struct B { let a: Int; let b: Int; #PrimaryKey<B>([\.a, ▸\.c]) }"#),
      (.repeatedIndexColumn, #"@Model struct B { let a: Int; let b: Int; #PrimaryKey<B>([\.a, ▸\.a]) }"#),
      (.notLiteral, #"@Model struct B { let a: Int; let b: Int; #PrimaryKey<B>(▸list) }"#),
      (.compoundKey, #"@Model struct B { let a: Int; let b: Int; #PrimaryKey<B>(▸[\.a]) }"#),
      (.foreignIndex, #"@Model struct B { let a: Int; let b: Int; #PrimaryKey<▸C>([\.a, \.b]) }"#),
      (.reservedMember, #"@Model struct B { let a: Int; let b: Int; struct ▸Key {}; #PrimaryKey<B>([\.a, \.b]) }"#),
      (.reservedName, #"@Model struct B { let a: Int; let b: Int; var ▸_key: Int; #PrimaryKey<B>([\.a, \.b]) }"#),
      (.misplaced, #"struct B { let a: Int; let b: Int; ▸#PrimaryKey<B>([\.a, \.b]) }"#),
    ] as [(ModelMessage.Kind, String)])
  func compoundKey(kind: ModelMessage.Kind, source: String) {
    expectError(kind, source)
  }

  @Test("At most 16 members")
  func longCompoundKey() {
    let names = (1...17).map { "a\($0)" }
    let source =
      "@Model struct B { \(names.map { "let \($0): Int" }.joined(separator: "; ")); "
      + "#PrimaryKey<B>(▸[\(names.map { "\\.\($0)" }.joined(separator: ", "))]) }"
    expectError(.compoundKey, source)
  }
}
