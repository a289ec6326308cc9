/// What a copy did.
public struct CopyReport: Sendable, Hashable {
  /// One model of it.
  public struct Model: Sendable, Hashable {
    /// The name of the model.
    public var name: String
    /// How many objects it has.
    public var rows: Int
    /// The sum of the 128-bit hashes of its objects, in hexadecimal digits: the same for the same objects on every engine.
    public var digest: String
  }

  /// The models, in the order of the schema.
  public var models: [Model]
  /// Whether the destination was read again and compared with what was read of the source.
  public var isVerified: Bool
  /// How many objects an interrupted copy had brought, with which this one went on; 0 when it began anew.
  public var resumedRows: Int
  /// Why this copy did not go on with an unfinished one that was there; nil when there was none or it did.
  public var restartReason: String?
  /// How long the copying took, in seconds.
  public var copySeconds: Double
  /// How long the comparison took, in seconds.
  public var verificationSeconds: Double

  /// How many objects there are in all.
  public var rows: Int { models.reduce(0) { $0 + $1.rows } }
}
