import QuarryBackend
import QuarryCore
import QuarryMemory
import Testing

@Suite struct ForgetfulModelTests {
  /// A conformance by hand that does not write all of its properties.
  struct Forgetful: Model {
    var id: Int
    var name: String

    static let modelDefinition = ModelDefinition<Forgetful>(
      name: "Forgetful",
      properties: [
        PropertyDefinition("id", \Forgetful.id, Int.self), PropertyDefinition("name", \Forgetful.name, String.self),
      ], primaryKey: "id")

    struct Columns: ModelColumns {
      var id = Column<Int>("id", 0)
      var name = Column<String>("name", 1)
    }

    var primaryKeyValue: Int { id }

    init(id: Int, name: String) {
      self.id = id
      self.name = name
    }

    init(reading row: ModelReader) throws(StorageError) {
      id = try row.get(0)
      name = try row.get(1)
    }

    func write(to row: ModelWriter) throws(StorageError) {
      try row.set(0, id)
    }
  }

  @Test func aPropertyThatIsNotWrittenIsRefusedBeforeItIsStored() throws {
    let store = try Store(for: Forgetful.self, in: .memory)
    let error = #expect(throws: StorageError.self) { try store.insert(Forgetful(id: 1, name: "x")) }
    #expect(error?.code == .missingValue)
    #expect(error?.property == "name")
    #expect(try store.count(Forgetful.all) == 0)
  }
}
