public import QuarryBackend

/// A difference between two stores.
public struct StoreDifference: Sendable, Hashable {
  /// The subject of a difference.
  public enum Subject: Sendable, Hashable {
    /// The version of the models.
    case version
    /// A model.
    case model(String)
    /// The primary key of a model.
    case primaryKey(model: String)
    /// A property of a model.
    case property(model: String, name: String)
    /// An index of a model.
    case index(model: String, name: String)
    /// An object, by its primary key.
    case object(model: String, key: Value)
  }

  /// The two compared stores.
  public enum Side: Sendable, Hashable {
    /// One of the two stores that were compared.
    case first, second
  }

  /// The kinds of difference.
  public enum Content: Sendable, Hashable {
    /// It is in one of the stores alone.
    case onlyIn(Side)
    /// It is declared differently, in words.
    case declarations(first: String, second: String)
    /// The object has other values in these properties.
    case values([PropertyDifference])
  }

  /// A property that an object has with other values.
  public struct PropertyDifference: Sendable, Hashable {
    /// The name of the property.
    public var name: String
    /// The value in the first store.
    public var first: Value
    /// The value in the second store.
    public var second: Value

    /// Creates the difference of a property.
    ///
    /// - Parameters:
    ///   - name: The name of the property.
    ///   - first: The value in the first store.
    ///   - second: The value in the second store.
    public init(name: String, first: Value, second: Value) {
      self.name = name
      self.first = first
      self.second = second
    }
  }

  /// The subject of this difference.
  public var subject: Subject
  /// The kind of this difference.
  public var content: Content

  /// Creates a difference.
  ///
  /// - Parameters:
  ///   - subject: The subject of the difference.
  ///   - content: The kind of the difference.
  public init(subject: Subject, content: Content) {
    self.subject = subject
    self.content = content
  }
}

extension StoreDifference: CustomStringConvertible {
  /// A one-line description: `- Book 7` if only the first has it, `+ Book 7` for the second, `! Book 7: title "A" → "B"` else.
  public var description: String {
    switch content {
    case .onlyIn(.first): "- \(subject)"
    case .onlyIn(.second): "+ \(subject)"
    case .declarations(let first, let second): "! \(subject): \(first) → \(second)"
    case .values(let properties):
      "! \(subject): "
        + properties.map { "\($0.name) \(ValueText.literal($0.first)) → \(ValueText.literal($0.second))" }
        .joined(separator: ", ")
    }
  }
}

extension StoreDifference.Subject: CustomStringConvertible {
  public var description: String {
    switch self {
    case .version: "version"
    case .model(let name): "model \(name)"
    case .primaryKey(let model): "primary key of \(model)"
    case .property(let model, let name): "property \(model).\(name)"
    case .index(let model, let name): "index \(model).\(name)"
    case .object(let model, let key): "\(model) \(KeyText.text(key) ?? "nil")"
    }
  }
}
