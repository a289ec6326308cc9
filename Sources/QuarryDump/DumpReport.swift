/// What a dump has.
public struct DumpReport: Sendable, Hashable {
  /// One model of it.
  public struct Model: Sendable, Hashable {
    /// The name of the model.
    public var name: String
    /// How many objects it has.
    public var rows: Int

    public init(name: String, rows: Int) {
      self.name = name
      self.rows = rows
    }
  }

  /// The models, in the order of their names.
  public var models: [Model]
  /// The SHA-256 of all bytes before the dump's last line, in hexadecimal digits.
  public var sha256: String

  /// How many objects there are in all.
  public var rows: Int { models.reduce(0) { $0 + $1.rows } }
}
