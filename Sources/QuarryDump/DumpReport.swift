/// The contents of a dump.
public struct DumpReport: Sendable, Hashable {
  /// A model of the dump.
  public struct Model: Sendable, Hashable {
    /// The name of the model.
    public var name: String
    /// The number of its objects.
    public var rows: Int

    /// Creates the report about a model.
    ///
    /// - Parameters:
    ///   - name: The name of the model.
    ///   - rows: The number of its objects in the dump.
    public init(name: String, rows: Int) {
      self.name = name
      self.rows = rows
    }
  }

  /// The models, in the order of their names.
  public var models: [Model]
  /// The SHA-256 of all bytes before the dump's last line, in hexadecimal digits.
  public var sha256: String

  /// The total number of objects.
  public var rows: Int { models.reduce(0) { $0 + $1.rows } }
}

extension DumpReport: CustomStringConvertible {
  /// The models with their objects, one line each, and the hash.
  public var description: String {
    (["\(rows) objects, SHA-256 \(sha256)"] + models.map { "\($0.name): \($0.rows)" }).joined(separator: "\n")
  }
}
