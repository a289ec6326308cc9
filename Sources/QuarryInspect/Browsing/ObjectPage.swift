public import QuarryBackend

/// A page of a model's objects.
public struct ObjectPage: Sendable {
  /// One object of a page.
  public struct Row: Sendable {
    /// The primary key.
    public let key: Value
    /// The values in the order of the page's columns.
    public let values: [Value]
  }

  /// The model.
  public let model: ModelSchema
  /// The names of the columns.
  public let columns: [String]
  /// The objects.
  public let rows: [Row]
  /// The number of objects of the model.
  public let total: Int
  /// The number of objects that fulfil the condition.
  public let matching: Int
  /// The place of the page before; nil on the first page.
  public let previous: PagePlace?
  /// The place of the page after; nil on the last page.
  public let next: PagePlace?
}
