import Foundation
import Testing

@testable import QuarryTool

/// Compound keys on the command line and in files: contract KEY-19.
@Suite struct CompoundKeyCommandTests {
  @Test(arguments: ["sqlite:l.db", "lmdb:l.lmdb", "file:l.quarry"])
  func keysAreArrays(_ url: String) throws {
    let shop = try Workshop()
    try shop.write("reader,book,due\n1,Persuasion,4\n2,Emma,5\n1,Emma,3\n", "loans.csv")
    func quarry(_ arguments: String...) throws -> Quarry.Outcome {
      try Quarry.run(arguments, in: shop.directory)
    }
    let made = try quarry("import", "loans.csv", "--into", url, "--model", "Loan", "--key", "reader,book")
    #expect(made.status == 0, "\(made.errors)")
    let schema = try quarry("schema", url).output
    #expect(schema.contains("primary key (2 of 2)") && !schema.contains("_key"))
    #expect(
      try quarry("query", url, "Loan", "--format", "csv").lines
        == ["reader,book,due", "1,Emma,3", "1,Persuasion,4", "2,Emma,5"])
    #expect(try quarry("get", url, "Loan", #"[1,"Emma"]"#).output.contains("Emma"))
    #expect(try quarry("get", url, "Loan", "[1]").code == "invalidValue")
    #expect(try quarry("get", url, "Loan", #"[3,"Emma"]"#).code == "notFound")
    let again = try quarry("import", "loans.csv", "--into", url, "--model", "Loan")
    #expect(again.code == "duplicateKey" && again.errors.contains("key [1,\""))
    let other = try quarry("import", "loans.csv", "--into", url, "--model", "Loan", "--key", "book,reader")
    #expect(other.code == "schemaMismatch" && other.errors.contains("its key is reader,book"))
    #expect(try quarry("migrate", url, "--drop", "Loan.book").status == 1)
    #expect(try quarry("migrate", url, "--convert", "Loan.reader=string").status == 1)
    #expect(try quarry("migrate", url, "--rename", "Loan.reader=person").status == 0)
    #expect(try quarry("get", url, "Loan", #"[2,"Emma"]"#).output.contains("person"))
    #expect(try quarry("check", url).status == 0)
  }
}
