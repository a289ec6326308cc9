/// The way in which a store gives keys to objects that have none yet.
public enum KeyGeneration: String, Sendable, Hashable, Codable {
  /// The next number of a sequence of the store.
  case sequence
  /// A UUID of version 7.
  case uuid

  /// The way for keys of a type; nil for a type whose keys cannot be generated.
  ///
  /// - Parameter type: The type of the primary key.
  public init?(_ type: PropertyType) {
    switch type {
    case .int8, .int16, .int32, .int64, .uint8, .uint16, .uint32, .uint64: self = .sequence
    case .uuid: self = .uuid
    default: return nil
    }
  }
}
