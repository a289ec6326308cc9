import QuarryBackend
import QuarrySQL
import Testing

/// Long values whose beginnings are in an index.
@Suite struct SQLBeginningTests {
  private struct Table: SQLTable, SQLTables {
    let model = ModelSchema(
      id: ModelID(1), name: "Book",
      properties: [PropertySchema(name: "id", type: .int64), PropertySchema(name: "title", type: .string)],
      primaryKey: 0)
    var name: String { "Book" }
    var dialect: any SQLDialect { NumberedDialect() }
    func table(of model: ModelID) -> (any SQLTable)? { self }

    func named(_ slot: Int) throws(StorageError) -> SQLColumn {
      SQLColumn(
        slot: RowLayout(model).slots[slot], name: "title", ordered: "title", isFloatingPoint: false, isText: true,
        beginning: SQLBeginning(column: "left(title, 9)", constant: "left(\(SQLParameters.numbered.mark), 9)"))
    }
  }

  @Test(
    arguments: [
      (.equal, "left(title, 9) = left($1, 9)) AND (title = $2)"),
      (.less, "left(title, 9) <= left($1, 9)) AND (title < $2)"),
      (.lessOrEqual, "left(title, 9) <= left($1, 9)) AND (title <= $2)"),
      (.greater, "left(title, 9) >= left($1, 9)) AND (title > $2)"),
      (.greaterOrEqual, "left(title, 9) >= left($1, 9)) AND (title >= $2)"),
    ] as [(Comparison, String)])
  func comparisonsCompareTheBeginningsToo(_ comparison: Comparison, _ expected: String) throws {
    let table = Table()
    let selection = try SQLSelection(.compare(slot: 1, comparison, .string("a")), table, in: table)
    var constants: [SQLConstant] = []
    #expect(selection.whereClause(&constants) == " WHERE ((\(expected))")
    #expect(constants == [.text([0x61]), .text([0x61])])
  }

  /// What does not come before a value may have its beginning.
  @Test func negationsCompareWholeValues() throws {
    let table = Table()
    let selection = try SQLSelection(.not(.compare(slot: 1, .equal, .string("a"))), table, in: table)
    var constants: [SQLConstant] = []
    #expect(selection.whereClause(&constants) == " WHERE (title <> $1)")
  }
}
