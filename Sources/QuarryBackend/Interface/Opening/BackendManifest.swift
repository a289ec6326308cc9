/// The description that a backend gives of itself.
///
/// Every capability of the contract's version is listed. The conformance kit tests the declared capabilities, and that undeclared
/// ones are refused.
public struct BackendManifest: Sendable, Hashable, Codable {
  /// The version of the contract that this version of Quarry speaks.
  public static let currentContract = "0.3"

  /// How transactions see each other.
  public enum Isolation: String, Sendable, Hashable, Codable {
    /// All transactions have an effect as if one ran after the other.
    case serializable
  }

  /// The failures that a commit survives once it has returned.
  public enum Durability: String, Sendable, Hashable, Codable {
    /// A level of what a commit survives: nothing, the end of the process, or a loss of power.
    case none, processCrash, powerLoss
  }

  /// The users that may have the store open at the same time.
  public enum Sharing: String, Sendable, Hashable, Codable {
    /// Whether one process or several can have a store open.
    case oneProcess, manyProcesses
  }

  /// How many write transactions are open at once.
  public enum Writers: String, Sendable, Hashable, Codable {
    /// One: another waits until it has ended. A commit does not throw `conflict`.
    case one
    /// Many, which do not wait for each other.
    ///
    /// Any call, and the commit, may throw `conflict`: the transaction read or wrote data that another one changed meanwhile, and
    /// can only be rolled back. Quarry runs it again from its beginning. See ``BackendReadTransaction/failure``.
    case many
  }

  /// How a change of the schema meets transactions and snapshots of the state before it.
  public enum SchemaChanges: String, Sendable, Hashable, Codable {
    /// It waits for neither reads nor snapshots, which continue to see their state.
    case besideSnapshots
    /// It may wait until open reads and snapshots end, and is `busy` when its time is over.
    ///
    /// The store is then unchanged. A read that begins while the change commits may wait for its end.
    case afterSnapshots
  }

  /// Numbers past which a call throws `limitExceeded`. Nil means that memory is the only limit.
  public struct Limits: Sendable, Hashable, Codable {
    /// Bytes of a primary key in the key format.
    public var keyBytes: Int?
    /// Bytes of a whole row in the row format.
    public var rowBytes: Int?
    /// Properties of one model.
    public var properties: Int?
    /// Snapshots and read transactions that may be open at once.
    public var openSnapshots: Int?
    /// Bytes of the absolute path of a store, without links. The last name in it has at most 239 bytes on every engine.
    public var pathBytes: Int?

    /// Creates the limits of an engine; nil is no limit.
    ///
    /// - Parameters:
    ///   - keyBytes: Bytes of the longest primary key in the key format.
    ///   - rowBytes: Bytes of the largest row in the row format.
    ///   - properties: The most properties of one model.
    ///   - openSnapshots: The most snapshots and read transactions that may be open at once.
    ///   - pathBytes: Bytes of the longest absolute path of a store, without links.
    public init(
      keyBytes: Int? = nil, rowBytes: Int? = nil, properties: Int? = nil, openSnapshots: Int? = nil,
      pathBytes: Int? = nil
    ) {
      self.keyBytes = keyBytes
      self.rowBytes = rowBytes
      self.properties = properties
      self.openSnapshots = openSnapshots
      self.pathBytes = pathBytes
    }
  }

  /// The version of the contract that the backend keeps.
  public var contract: String = BackendManifest.currentContract
  /// The name of the backend.
  public var name: String
  /// The version of the engine underneath.
  public var engineVersion: String
  /// Every capability, and how it is offered.
  public var capabilities: [Capability: CapabilitySupport]
  /// How large what is stored may be.
  public var limits: Limits
  /// How transactions see each other.
  public var isolation: Isolation
  /// The failures that a commit survives once it has returned.
  public var durability: Durability
  /// The users that may have the store open at the same time.
  public var sharing: Sharing
  /// How many write transactions are open at once.
  public var writers: Writers
  /// How a change of the schema meets transactions and snapshots of the state before it.
  public var schemaChanges: SchemaChanges

  /// Creates a manifest.
  ///
  /// - Parameters:
  ///   - name: The name of the backend.
  ///   - engineVersion: The version of the engine underneath.
  ///   - capabilities: Every capability and how it is offered (contract, CAP-1).
  ///   - limits: The sizes and counts past which calls throw `limitExceeded`.
  ///   - isolation: How transactions see each other.
  ///   - durability: The failures that a commit survives once it has returned.
  ///   - sharing: The users that may have the store open at the same time.
  ///   - writers: How many write transactions are open at once.
  ///   - schemaChanges: How a change of the schema meets transactions and snapshots of the state before it.
  public init(
    name: String, engineVersion: String, capabilities: [Capability: CapabilitySupport], limits: Limits,
    isolation: Isolation,
    durability: Durability, sharing: Sharing, writers: Writers = .one,
    schemaChanges: SchemaChanges = .besideSnapshots
  ) {
    self.name = name
    self.engineVersion = engineVersion
    self.capabilities = capabilities
    self.limits = limits
    self.isolation = isolation
    self.durability = durability
    self.sharing = sharing
    self.writers = writers
    self.schemaChanges = schemaChanges
  }

  /// Checks that the backend offers a capability.
  ///
  /// - Parameter capability: The capability that a call needs.
  /// - Throws: `unsupported` with the capability and the declared reason if it is not offered.
  public func require(_ capability: Capability) throws(StorageError) {
    if capabilities[capability]?.isSupported != true { throw refusal(of: capability) }
  }

  /// Why the backend has no call for the capability.
  func refusal(of capability: Capability) -> StorageError {
    switch capabilities[capability] {
    case .native, .emulated:
      .unsupported(capability, "\(name) declares \(capability.rawValue) but does not implement it")
    case .unsupported(let reason):
      .unsupported(capability, "\(name) does not offer \(capability.rawValue): \(reason)")
    case nil: .unsupported(capability, "\(name) does not declare \(capability.rawValue)")
    }
  }
}
