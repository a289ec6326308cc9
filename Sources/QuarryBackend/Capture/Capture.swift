/// The detail in which a write transaction captures its changes for observers.
///
/// It is set per model, so that a write costs nothing for models without observers.
public struct Capture: Sendable, Hashable {
  /// How much is remembered of one model.
  public enum Detail: UInt8, Sendable, Hashable, Comparable {
    /// Nothing.
    case none
    /// Whether it was written to.
    case touched
    /// The keys of the objects that changed, and how.
    case keys
    /// The rows before and after as well.
    case rows

    public static func < (left: Detail, right: Detail) -> Bool { left.rawValue < right.rawValue }
  }

  /// The detail captured for models that are not named.
  public var others: Detail
  /// The detail captured for named models.
  public var models: [ModelID: Detail]
  /// The most bytes of rows and keys that are kept of one model's objects before and after.
  public var limit = Capture.maximumBytes

  /// Creates a capture of all models.
  ///
  /// - Parameters:
  ///   - others: The detail captured for models that are not named.
  ///   - models: The detail captured for named models.
  public init(_ others: Detail, _ models: [ModelID: Detail] = [:]) {
    self.others = others
    self.models = models
  }

  /// Nothing at all.
  public static let none = Capture(.none)
  /// The keys of everything that changes.
  public static let keys = Capture(.keys)
  /// The keys and rows of everything that changes.
  public static let rows = Capture(.rows)

  /// The ``limit`` unless another one is set.
  public static let maximumBytes = 16 << 20

  /// Whether there is nothing to remember.
  @inlinable
  public var isNone: Bool { others == .none && models.isEmpty }

  /// Returns the detail captured for a model.
  public func detail(of model: ModelID) -> Detail { models[model] ?? others }

  /// Whether this remembers all that another capture asks for.
  package func covers(_ other: Capture) -> Bool {
    others >= other.others && (other.models.isEmpty || limit >= other.limit)
      && other.models.allSatisfy { detail(of: $0.key) >= $0.value }
  }

  /// Adds what another capture asks for: of each model the greater detail.
  package mutating func merge(_ other: Capture) {
    var merged: [ModelID: Detail] = [:]
    for model in Set(models.keys).union(other.models.keys) {
      merged[model] = Swift.max(detail(of: model), other.detail(of: model))
    }
    models = merged
    others = Swift.max(others, other.others)
    limit = Swift.max(limit, other.limit)
  }

  /// The most that is remembered of any model.
  var most: Detail { models.values.reduce(others) { Swift.max($0, $1) } }
}
