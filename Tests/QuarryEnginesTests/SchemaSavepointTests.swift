import QuarryBackend
import QuarryTestSupport
import Testing

/// A commit stores the schema once, as savepoints have left it.
@Suite struct SchemaSavepointTests {
  private let folder = Result { try ScratchFolder() }

  private func names(_ provider: any BackendProvider) throws -> (names: [String], version: UInt64) {
    let backend = try provider.open(OpenOptions())
    defer { try? backend.close() }
    let reading = try backend.beginRead()
    defer { reading.end() }
    return (reading.schema.models.map(\.name), reading.schema.version)
  }

  private func write(_ provider: any BackendProvider, _ body: (any BackendWriteTransaction) throws -> Void) throws {
    let backend = try provider.open(OpenOptions())
    defer { try? backend.close() }
    let writing = try backend.beginWrite(WriteOptions())
    defer { writing.rollback() }
    try body(writing)
    _ = try writing.commit()
  }

  private func creation(_ name: String) -> SchemaChange {
    .createModel(
      ModelSchema(name: name, properties: [PropertySchema(name: "id", type: .int64)], primaryKey: 0, indexes: []))
  }

  @Test(arguments: Engine.allCases)
  func changesBesideAnUndoneSavepointAreStored(_ engine: Engine) throws {
    let provider = try engine.provider(in: folder.get().path)
    try write(provider) { tx in
      try tx.apply(creation("first"))
      try tx.savepoint()
      try tx.apply(creation("undone"))
      try tx.rollbackSavepoint()
      #expect(tx.schema.models.map(\.name) == ["first"])
      try tx.savepoint()
      try tx.apply(creation("kept"))
      try tx.releaseSavepoint()
    }
    #expect(try names(provider).names == ["first", "kept"])
  }

  @Test(arguments: Engine.allCases)
  func anUndoneChangeIsNotStored(_ engine: Engine) throws {
    let provider = try engine.provider(in: folder.get().path)
    try write(provider) { try $0.apply(creation("first")) }
    let before = try names(provider)
    try write(provider) { tx in
      try tx.savepoint()
      try tx.savepoint()
      try tx.apply(creation("undone"))
      try tx.releaseSavepoint()
      try tx.rollbackSavepoint()
    }
    let after = try names(provider)
    #expect(after.names == before.names && after.version == before.version)
  }
}
