import QuarryBackend
import QuarryMemory
import QuarryTestSupport
import Testing

@Suite struct MemoryConfigurationTests {
  private func open(_ provider: MemoryConfiguration, _ options: OpenOptions = OpenOptions()) throws -> any Backend {
    try provider.open(options)
  }

  /// The error of opening.
  private func refusal(_ provider: MemoryConfiguration, _ options: OpenOptions) -> StorageError? {
    do {
      try provider.open(options).close()
      return nil
    } catch {
      return error
    }
  }

  /// Makes an empty model, so that one store can be told from another.
  private func addModel(named name: String, to backend: any Backend) throws {
    let transaction = try backend.beginWrite(WriteOptions())
    let id = PropertySchema(name: "id", type: .int64)
    try transaction.apply(.createModel(ModelSchema(name: name, properties: [id], primaryKey: 0)))
    _ = try transaction.commit()
  }

  private func models(_ backend: any Backend) throws -> [String] {
    let read = try backend.beginRead()
    defer { read.end() }
    return read.schema.models.map(\.name)
  }

  @Test func eachStoreWithoutANameIsItsOwn() throws {
    let one = try open(.memory)
    let two = try open(.memory)
    try addModel(named: "Book", to: one)
    #expect(try models(one) == ["Book"])
    #expect(try models(two) == [])
  }

  @Test func backendsOfOneNameSeeOneSchema() throws {
    let one = try open(.memory(named: "configuration"))
    let two = try open(.memory(named: "configuration"))
    try addModel(named: "Book", to: one)
    #expect(try models(two) == ["Book"])
    try addModel(named: "Author", to: two)
    #expect(try models(one) == ["Book", "Author"])
    try one.close()
    #expect(try models(two) == ["Book", "Author"])
    try two.close()
    #expect(try models(open(.memory(named: "configuration"))) == [])
  }

  @Test func unsupportedOptionsAreRefusedBeforeAnyEffect() throws {
    var encrypted = OpenOptions()
    encrypted.encryption = Encryption(NoKey())
    var named = OpenOptions()
    named.namespace = "a"
    var durable = OpenOptions()
    durable.durability = .powerLoss
    let cases: [(OpenOptions, Capability)] = [
      (encrypted, .openEncryption), (named, .openNamespace), (durable, .openDurability),
    ]
    for (options, capability) in cases {
      let error = refusal(.memory(named: "refused"), options)
      #expect(error?.code == .unsupported)
      #expect(error?.capability == capability)
    }
    var existing = OpenOptions()
    existing.createsIfMissing = false
    #expect(refusal(.memory(named: "refused"), existing)?.code == .notFound)
  }

  @Test func theDurabilityThatItHasIsTaken() throws {
    var options = OpenOptions()
    options.durability = BackendManifest.Durability.none
    #expect(try open(.memory, options).manifest.durability == .none)
  }

  @Test func aStoreForReadingOnlyRefusesToWrite() throws {
    var options = OpenOptions()
    options.isReadOnly = true
    let backend = try open(.memory, options)
    #expect(throws: StorageError.self) { try backend.beginWrite(WriteOptions()) }
    #expect(try models(backend) == [])
  }
}
