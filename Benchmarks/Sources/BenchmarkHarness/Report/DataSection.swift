/// What a run on the user's own data was about: the model, the mix of operations, and what follows from the figures.
public struct DataSection: Sendable, Codable, Equatable {
  public struct Property: Sendable, Codable, Equatable {
    public var name: String
    public var type: String
    public var isKey: Bool
    public var isIndexed: Bool
    /// Whether an index has its values once; nil in reports from before there was a choice.
    public var isUnique: Bool?

    public init(name: String, type: String, isKey: Bool, isIndexed: Bool, isUnique: Bool = false) {
      self.name = name
      self.type = type
      self.isKey = isKey
      self.isIndexed = isIndexed
      self.isUnique = isUnique
    }
  }

  public struct Share: Sendable, Codable, Equatable {
    public var operation: String
    public var percent: Double

    public init(operation: String, percent: Double) {
      self.operation = operation
      self.percent = percent
    }
  }

  /// What an engine is, beside its figures.
  public struct Trait: Sendable, Codable, Equatable {
    public var engine: String
    /// Whether all rows are in memory while the store is open, so that opening reads all of them.
    public var keepsAllInMemory: Bool
    /// Whether several processes may have the store open at once.
    public var isShared: Bool
    /// Whether other tools read its files.
    public var isReadByOthers: Bool

    public init(engine: String, keepsAllInMemory: Bool, isShared: Bool, isReadByOthers: Bool) {
      self.engine = engine
      self.keepsAllInMemory = keepsAllInMemory
      self.isShared = isShared
      self.isReadByOthers = isReadByOthers
    }
  }

  /// The name of the file, or the kind of the store; never a path.
  public var source: String
  public var model: String
  /// Rows that every store began each round with.
  public var rows: Int
  /// Rows that were kept back, to be inserted by the mix.
  public var keptBack: Int
  public var properties: [Property]
  public var mix: [Share]
  /// How keys are chosen: `uniform` or `zipfian`.
  public var skew: String
  /// Operations of a round.
  public var operations: Int
  /// Writes in a transaction.
  public var batch: Int
  /// Threads that read beside the mix; nil in reports from before there were any.
  public var readers: Int?
  /// The queries, each in a sentence.
  public var queries: [String]
  public var traits: [Trait]
  public var recommendation: Recommendation?

  public init(
    source: String, model: String, rows: Int, keptBack: Int, properties: [Property], mix: [Share], skew: String,
    operations: Int, batch: Int, readers: Int = 0, queries: [String], traits: [Trait]
  ) {
    self.source = source
    self.model = model
    self.rows = rows
    self.keptBack = keptBack
    self.properties = properties
    self.mix = mix
    self.skew = skew
    self.operations = operations
    self.batch = batch
    self.readers = readers
    self.queries = queries
    self.traits = traits
  }

  /// Notes what an engine is, once.
  public mutating func add(_ trait: Trait) {
    guard !traits.contains(where: { $0.engine == trait.engine }) else { return }
    traits.append(trait)
  }

  /// What was run, as names and values.
  var circumstances: [(String, String)] {
    let columns = properties.map { property in
      "\(property.name) \(property.type)" + Self.role(property)
    }
    let shares = mix.map { "\($0.operation) \(Format.share($0.percent))" }
    var list = [
      ("Data", "\(source), model \(model): \(Format.count(rows)) rows in each store"),
      ("Columns", columns.joined(separator: ", ")),
      (
        "Mix",
        shares.joined(separator: ", ") + "; \(Format.count(operations)) operations a round, keys \(skew), "
          + (batch == 1 ? "every write in a transaction of its own" : "\(batch) writes in a transaction")
      ),
    ]
    if let readers, readers > 0 {
      list.append(("Readers", "\(readers) \(readers == 1 ? "thread reads" : "threads read") while the mix is at work"))
    }
    if !queries.isEmpty { list.append(("Queries", queries.joined(separator: "; "))) }
    if keptBack > 0 { list.append(("Kept back", "\(Format.count(keptBack)) rows of the data, which the mix inserts")) }
    return list
  }

  private static func role(_ property: Property) -> String {
    property.isKey ? " (key)" : property.isUnique == true ? " (unique)" : property.isIndexed ? " (indexed)" : ""
  }
}

extension Format {
  /// Percents of a mix: `12.5 %`.
  package static func share(_ percent: Double) -> String {
    percent == percent.rounded() ? "\(Int(percent)) %" : "\(digits(percent)) %"
  }
}
