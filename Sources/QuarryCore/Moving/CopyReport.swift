/// The result of a copy.
public struct CopyReport: Sendable, Hashable {
  /// A model of the copy.
  public struct Model: Sendable, Hashable {
    /// The name of the model.
    public var name: String
    /// The number of its objects.
    public var rows: Int
    /// The sum of the 128-bit hashes of its objects, in hexadecimal digits: the same for the same objects on every engine.
    public var digest: String
  }

  /// The models, in the order of the schema.
  public var models: [Model]
  /// Whether the destination was read again and compared with the data read from the source.
  public var isVerified: Bool
  /// The number of objects that an interrupted copy had brought and this copy kept; 0 when it started from the beginning.
  public var resumedRows: Int
  /// Why this copy did not continue an existing unfinished one; nil when there was none or it did.
  public var restartReason: String?
  /// The duration of the copying, in seconds.
  public var copySeconds: Double
  /// The duration of the comparison, in seconds.
  public var verificationSeconds: Double

  /// The total number of objects.
  public var rows: Int { models.reduce(0) { $0 + $1.rows } }
}

extension CopyReport: CustomStringConvertible {
  /// The models with their objects, one line each.
  public var description: String {
    var lines = ["\(rows) objects were copied" + (isVerified ? " and compared" : "")]
    if resumedRows > 0 { lines.append("\(resumedRows) of them by an earlier copy, which this one continued") }
    if let restartReason { lines.append("an earlier copy was not continued: \(restartReason)") }
    return (lines + models.map { "\($0.name): \($0.rows)" }).joined(separator: "\n")
  }
}
