/// The type of one member of a compound primary key.
public struct KeyMember: Sendable, Hashable, Codable {
  /// The greatest number of members.
  public static let maximumCount = 16
  /// The name of the property that has the bytes of a compound key.
  public static let propertyName = "_key"

  /// The type of the member.
  public var type: PropertyType
  /// The members of the key that the member has, where it refers to an object with a compound key.
  public var members: [KeyMember]?

  /// A member of that type.
  ///
  /// - Parameters:
  ///   - type: The type of the member's property.
  ///   - members: The types of the members of the key that it refers to; nil for a key that is not compound.
  public init(_ type: PropertyType, members: [KeyMember]? = nil) {
    self.type = type
    self.members = members
  }

  /// The types of members as people write them: `(int64, string)`.
  static func name(_ members: [KeyMember]) -> String {
    "(\(members.map { $0.members.map(name) ?? $0.type.name }.joined(separator: ", ")))"
  }
}

extension ModelSchema {
  /// The slots of the properties that a person reads and writes: all that were not dropped, without the bytes of a compound key.
  public var shownSlots: [Int] {
    keyMembers == nil ? liveSlots : liveSlots.filter { $0 != primaryKey }
  }

  /// The names of the properties that are the primary key: its own, or those of its members.
  public var keyNames: [String] {
    keyMembers?.map { properties[$0].name } ?? [keyProperty.name]
  }

  /// Whether a slot is the primary key, or a member of it.
  ///
  /// - Parameter slot: The number of a slot.
  public func isOfKey(_ slot: Int) -> Bool {
    slot == primaryKey || keyMembers?.contains(slot) == true
  }

  /// Whether its key is compound, or one of its properties refers to an object whose key is.
  package var hasCompoundKeys: Bool { keyMembers != nil || properties.contains { $0.keyMembers != nil } }

  /// Checks the members of a compound key.
  func validateKeyMembers() throws(StorageError) {
    guard let slots = keyMembers else {
      guard keyProperty.keyMembers == nil || keyProperty.reference != nil else {
        throw StorageError(
          .schemaMismatch, "the key has the types of members, but no members", property: keyProperty.name)
      }
      return
    }
    guard (2...KeyMember.maximumCount).contains(slots.count) else {
      throw StorageError(
        .schemaMismatch, "a compound key has 2 to \(KeyMember.maximumCount) members, and this one has \(slots.count)")
    }
    guard keyGeneration == nil else {
      throw StorageError(.schemaMismatch, "a compound key cannot be generated: only an integer or a UUID can")
    }
    guard keyProperty.type == .data, keyProperty.name.utf8.elementsEqual(KeyMember.propertyName.utf8),
      keyProperty.reference == nil
    else {
      throw StorageError(
        .schemaMismatch, "the bytes of a compound key are a property \(KeyMember.propertyName) of the type data",
        property: keyProperty.name)
    }
    var seen: Set<Int> = [primaryKey]
    for slot in slots {
      guard properties.indices.contains(slot), !properties[slot].isDropped else {
        throw StorageError(.schemaMismatch, "a member of the primary key is not a property of the model")
      }
      let property = properties[slot]
      guard seen.insert(slot).inserted else {
        throw StorageError(.schemaMismatch, "the primary key has a member twice", property: property.name)
      }
      guard property.type.isOrdered else {
        throw StorageError(
          .schemaMismatch, "a property of type \(property.typeName) cannot be a member of the primary key",
          property: property.name)
      }
      guard !property.isOptional else {
        throw StorageError(
          .schemaMismatch, "a member of the primary key cannot be optional: every object has a key",
          property: property.name)
      }
    }
    let types = slots.map { KeyMember(properties[$0].type, members: properties[$0].keyMembers) }
    guard keyProperty.keyMembers == types else {
      throw StorageError(
        .schemaMismatch, "the types of the key's members are not those of its properties", property: keyProperty.name)
    }
  }
}
