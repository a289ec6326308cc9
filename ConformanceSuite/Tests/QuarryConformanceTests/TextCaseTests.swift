import QuarryBackend
import QuarryHarnesses
import Testing

@testable import QuarryConformanceKit
@testable import QuarryConformanceTexts

/// The reader and the runner of cases that are written as text.
@Suite struct TextCaseTests {
  private static let head = """
    case PRED.example PRED-3
    An example.

    model Item
    id int64 key
    rank int64 optional
    score double optional
    name string optional
    tags array of string optional

    rows Item
    id | rank | name
     1 |    5 | 'a|b; -> c'
     2 |  nil | nil


    """

  /// A query, and the beginning of the next case.
  private static let next = "keys Item\nall -> 1, 2\n\ncase PRED.next PRED-3\nThe next one.\n\n"

  /// What is wrong in a text, with its place.
  private func problem(_ text: String) -> String {
    do throws(TextCaseError) {
      let cases = try TextCaseList.cases(in: text, file: "Example.case")
      return "\(cases.count) cases"
    } catch {
      return "\(error)"
    }
  }

  /// The failure of a case with these blocks on the engine in memory; nil where it passes.
  private func failure(_ blocks: String) throws -> String? {
    let cases = try TextCaseList.cases(in: Self.head + blocks, file: "Example.case")
    let report = LyingHarness().report(cases) { $0.variants = [.fresh] }
    let run = try #require(report.runs.first)
    return run.outcome == "passed" ? nil : "\(run.location ?? ""): \(run.message ?? "")"
  }

  // MARK: Reading

  @Test func aTextHasCases() {
    #expect(problem(Self.head + "keys Item\nall -> 1, 2") == "1 cases")
    #expect(problem("") == "Example.case:1: the text has no case")
    #expect(problem("# A comment\n\n\n") == "Example.case:1: the text has no case")
    #expect(problem("model Item\nid int64 key") == "Example.case:1: the text has no case")
    #expect(problem(Self.head) == "Example.case:1: PRED.example asks nothing")
    #expect(problem("\nrows Item\nid\n1") == "Example.case:2: the text has no model Item")
    #expect(problem("\nkeys Item\nall -> 1") == "Example.case:2: before the first case stand models and rows")
  }

  @Test(arguments: [
    ("case PRED.example", "a case has an id and clauses"),
    ("case PRED.example PRED-3", "PRED.example does not say what must be true"),
    ("case PRED.example PRED-3\nneeds magic", "there is no capability magic"),
    ("case PRED.example PRED-3\nwithout magic", "there is no variant magic"),
  ])
  func aCaseIsRefused(_ text: String, _ expected: String) {
    #expect(problem(text).hasSuffix(": \(expected)"), "\(problem(text))")
  }

  @Test func anIdIsThereOnce() {
    let text = Self.head + "keys Item\nall -> 1, 2\n\n"
    #expect(problem(text + text) == "Example.case:19: PRED.example is there twice")
  }

  @Test(arguments: [
    (next + "model", "a model has a name and a key"),
    (next + "model Other\nid int64", "a model has a name and a key"),
    (next + "model Other\nid number key", "id has none of the types of docs/conformance-cases.md"),
    (next + "model Other\nid", "id has none of the types of docs/conformance-cases.md"),
    (next + "model Other\nid int64 primary", "primary is neither optional nor key"),
    (next + "model Other\nlist array", "an array is of a type: array of string"),
    ("model Other\nid int64 key", "models come before rows and queries"),
    (next + "model Other\nid int64 key\nindex", "an index has properties"),
    (next + "model Other\nid int64 key\nindex no", "there is no property no above"),
    ("rows Other\nid\n1", "PRED.example has no model Other"),
    ("rows Item", "rows have the names of their columns in the line below"),
    ("rows Item\nid | no\n1 | 2", "Item has no property no"),
    ("rows Item\nid | rank\n1", "the row has 1 constants, and the table 2 columns"),
    ("rows Item\nid | rank\n1 | ", " is not one constant"),
    ("rows Item\nid | rank\n1 | 2, 3", "2, 3 is not one constant"),
    ("rows Item\nid | rank\n1 | a", "a is no constant"), ("rows Item\nid | name\n1 | 'a", "'a is no constant"),
    ("rows Item\nid | rank\n1 | 1.5", "1.5 cannot be stored exactly as int64"),
    ("rows Item\nid | name\n1 | 1", "an integer cannot be stored as string"),
    ("ask Item\nall -> 1", "ask does not begin a block; case, model, rows, keys, figures, lists, query and store do"),
    ("store Item", "store does not begin a block; case, model, rows, keys, figures, lists, query and store do"),
  ])
  func aBlockIsRefused(_ block: String, _ expected: String) {
    #expect(problem(Self.head + block).hasSuffix(": \(expected)"), "\(problem(Self.head + block))")
  }

  @Test(arguments: [
    ("keys Item", "below it each line has a query and its answer"),
    ("keys Item\nall", "an arrow and an answer are missing"),
    ("keys Item\nall ->", "an answer is missing after the arrow"),
    ("keys Item\n-> 1", "nothing stands before the arrow"), ("keys Other\nall -> 1", "PRED.example has no model Other"),
    ("keys Item\nall -> 'a'", "a string cannot be stored as int64"),
    ("keys Item\nrank == 5 -> 1", "rank is no part of a query"),
    ("keys Item\nwhere rank = -> 1", "at column 7: expected a property or a constant, found the end"),
    ("keys Item\nlimit few -> 1", "few is no number"), ("keys Item\nall -> error wrong", "there is no error wrong"),
    ("keys Item\ngroup rank -> 1", "groups have figures"),
    ("figures Item\nsum(no) -> 1", "Item has no property no"),
    ("figures Item\nmagic(rank) -> 1", "magic(rank) is no figure"),
    ("figures Item\nsum(rank) -> 1 | 2", "the row has 2 constants, and the table 1 columns"),
    ("figures Item\nsum(rank) -> 1.5", "1.5 cannot be stored exactly as int64"),
    ("lists Item rank", "an arrow and an answer are missing"),
    ("lists Item rank -> sum(rank)", "below it each line has values and an answer"),
    ("lists Item rank, score -> sum(rank)\n1 -> 1", "the columns have several types"),
    ("query Item\ncolumns id", "the answer is missing: ---- and rows, or an error"),
    ("query Item\n----\n1", "a query has either columns or figures"),
    ("query Item\ncolumns id\nfigures count\n----\n1", "a query has either columns or figures"),
    ("query Item\ncolumns id\nsorted rank\n----", "sorted is no part of a query"),
    ("query Item\ncolumns id\nerror invalidQuery\n----", "an error is the last line of a query"),
  ])
  func aQueryIsRefused(_ block: String, _ expected: String) {
    #expect(problem(Self.head + block).hasSuffix(": \(expected)"), "\(problem(Self.head + block))")
  }

  @Test func modelsAndRowsBeforeTheFirstCaseAreThoseOfEach() throws {
    let text = """
      model Item
      id int64 key

      rows Item
      id
      1

      case PRED.a PRED-3
      A.

      keys Item
      all -> 1

      case PRED.b PRED-3
      B.

      rows Item
      id
      2

      keys Item
      all -> 1, 2

      store

      keys Item
      all -> none

      case PRED.c PRED-3
      C.

      model Item
      id string key

      keys Item
      all -> none
      """
    let cases = try TextCaseList.cases(in: text, file: "Example.case")
    let report = LyingHarness().report(cases) { $0.variants = [.fresh] }
    #expect(report.runs.map(\.outcome) == ["passed", "passed", "passed"])
  }

  @Test func aProblemHasItsLine() {
    #expect(problem(Self.head + "keys Item\nall -> 1, 2\n# A comment\nlimit few -> 1").hasPrefix("Example.case:19: "))
  }

  // MARK: Running

  @Test(arguments: [
    "keys Item\nall -> 1, 2\norder -id; limit 1 -> 2\nwhere name == 'a|b; -> c' -> 1\nwhere id > 9 -> none",
    "keys Item\nwhere no == 1 -> error invalidQuery no\nwhere rank == -> error invalidQuery",
    "figures Item\ncount, sum(rank) -> 2 | 5\ncount; where id > 1 -> 1\nsum(name) -> error invalidQuery",
    "query Item\norder -rank\ncolumns rank, name\n----\n5 | 'a|b; -> c'\nnil | nil",
    "query Item\ngroup name\nfigures count\nhaving count > 1\n----",
    "query Item\nfigures median(tags)\nerror invalidQuery",
    "lists Item rank -> count\nnone -> 0", "lists Item rank -> sum(rank), average(rank)\n1, nil, 2 -> 3 | 1.5",
    "store\n\nkeys Item\nall -> none", "lists Item score -> min(score)\n0, 1 -> 0\ndouble '-0.0' -> 0",
  ])
  func aTrueAnswerPasses(_ blocks: String) throws {
    #expect(try failure(blocks) == nil)
  }

  /// Each wrong answer is on line 17, or its query begins on line 16.
  @Test(arguments: [
    ("keys Item\nall -> 1", 17, "got [\"{1}\", \"{2}\"], the contract says [\"{1}\"]"),
    ("keys Item\norder -id -> 1, 2", 17, "got [\"{2}\", \"{1}\"]"),
    ("keys Item\nwhere rank == 5 -> none", 17, "where rank == 5: got [\"{1}\"], the contract says []"),
    ("keys Item\nall -> error invalidQuery", 17, "the contract says the error invalidQuery"),
    ("keys Item\nwhere no == 1 -> error notFound", 17, "the contract says notFound"),
    ("keys Item\nwhere no == 1 -> error invalidQuery magic", 17, "the error does not say magic"),
    ("figures Item\nsum(rank) -> 6", 17, "got [\"{5}\"], the contract says [\"{6}\"]"),
    ("lists Item rank -> sum(rank)\n1, 2 -> 4", 17, "sum(rank) of 1, 2: got [\"{3}\"]"),
    ("lists Item score -> min(score)\n0 -> double '-0.0'", 17, "the contract says [\"{-0.0e0}\"]"),
    ("query Item\ncolumns rank\n----\n5", 16, "got [\"{5}\", \"{nil}\"]"),
    ("query Item\ncolumns rank\n----\nnil\n5", 16, "got [\"{5}\", \"{nil}\"]"),
  ])
  func aWrongAnswerFailsAtItsLine(_ blocks: String, _ line: Int, _ message: String) throws {
    let failure = try #require(try failure(blocks))
    #expect(failure.hasPrefix("Example.case:\(line)"), "\(failure)")
    #expect(failure.contains(message), "\(failure)")
  }

  /// No case of the texts of this package passes whatever the engine answers.
  @Test func eachCaseFailsWhereItsLastAnswerIsAnother() throws {
    for (name, text) in CaseTexts.all {
      for var test in try TextCaseReader.cases(in: text, file: name) {
        let place = try #require(test.steps.lastIndex { if case .query = $0 { true } else { false } })
        guard case .query(var query) = test.steps[place] else { continue }
        switch query.answer {
        case .rows(let rows): query.answer = .rows(rows.isEmpty ? [[.int(1)]] : rows.dropLast())
        case .error: query.answer = .error(.closed, words: [])
        }
        test.steps[place] = .query(query)
        let report = LyingHarness().report([test.conformanceCase]) { $0.variants = [.fresh] }
        #expect(report.runs.map(\.outcome) == ["failed"], "\(test.id)")
        #expect(report.runs.first?.location == "\(name):\(query.line.number)", "\(test.id)")
      }
    }
  }

  @Test func aTextThatCannotBeReadIsACaseThatFails() {
    // None of the texts of this package is one.
    #expect(!TextCaseList.cases.contains { $0.id.hasPrefix("CAP.") })
    #expect(!TextCaseList.cases.isEmpty)
  }
}
