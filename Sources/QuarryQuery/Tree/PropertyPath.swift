import QuarryBackend

/// A property, or a part of a nested value in it.
public struct PropertyPath: Sendable, Hashable, Codable, CustomStringConvertible {
  /// The property's name. Empty inside `any` and `all`: the element itself.
  public var property: String
  /// The names of the members to follow inside a nested value.
  public var members: [String]

  /// A property, or what these members lead to inside it.
  ///
  /// - Parameters:
  ///   - property: The name of the property.
  ///   - members: The names that lead on, into a nested value or through references.
  public init(_ property: String, members: [String] = []) {
    self.property = property
    self.members = members
  }

  /// The current element of `any` or `all`.
  public static let element = PropertyPath("")

  public var description: String { ([property] + members).joined(separator: ".") }

  public static func == (left: PropertyPath, right: PropertyPath) -> Bool {
    left.property.utf8.elementsEqual(right.property.utf8)
      && left.members.elementsEqual(right.members) { $0.utf8.elementsEqual($1.utf8) }
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(bytesOf: property)
    for member in members { hasher.combine(bytesOf: member) }
  }
}
