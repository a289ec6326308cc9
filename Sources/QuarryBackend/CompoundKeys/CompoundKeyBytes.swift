public import Foundation

/// The bytes of compound keys: the components of the members in their order, none of them last. See `docs/formats/key.md`.
public enum CompoundKeyBytes {
  /// The bytes of a key.
  ///
  /// - Parameters:
  ///   - values: The values of the members, in their order. A member with a compound key of its own is an array.
  ///   - members: The types of the members, as in ``PropertySchema/keyMembers``.
  /// - Throws: `invalidValue` for another number of members, or a value of another type; `missingValue` for nil.
  public static func data(_ values: [Value], _ members: [KeyMember]) throws(StorageError) -> Data {
    guard values.count == members.count else {
      throw StorageError(
        .invalidValue, "the primary key has \(members.count) members, and \(values.count) values were given")
    }
    let writer = KeyWriter()
    for (value, member) in zip(values, members) {
      if let inner = member.members, case .array(let values) = value {
        try writer.append(member: .data(try data(values, inner)), member.type)
      } else {
        try writer.append(member: value, member.type)
      }
    }
    return Data(writer.bytes)
  }

  /// The members of a key. Zeros and NaNs come in the one form that keys have.
  ///
  /// - Parameters:
  ///   - bytes: The bytes of a compound key, as ``data(_:_:)`` makes them.
  ///   - members: The types of the members, in their order.
  /// - Returns: The values of the members, in their order; an array for a member with a compound key of its own.
  /// - Throws: `corrupt` for bytes that are no such key.
  public static func values(_ bytes: UnsafeRawBufferPointer, _ members: [KeyMember]) throws(StorageError) -> [Value] {
    var reader = KeyComponentReader(bytes)
    var values: [Value] = []
    values.reserveCapacity(members.count)
    for member in members {
      let value = try reader.next(member.type)
      if let inner = member.members, case .data(let data) = value {
        values.append(.array(try self.values(data, inner)))
      } else {
        values.append(value)
      }
    }
    try reader.end()
    return values
  }

  /// The members of a key, as ``values(_:_:)``.
  static func values(_ data: Data, _ members: [KeyMember]) throws(StorageError) -> [Value] {
    try Array(data).withBytes { (bytes) throws(StorageError) in try values(bytes, members) }
  }

  /// A value as a person reads it: a compound key as the array of its members, every other value as it is.
  ///
  /// - Parameters:
  ///   - value: The value of a property.
  ///   - members: The types of the members of the property's compound key; nil where it has none.
  public static func shown(_ value: Value, _ members: [KeyMember]?) -> Value {
    guard let members, case .data(let data) = value, let values = try? values(data, members) else { return value }
    return .array(values)
  }
}

extension KeyWriter {
  /// Appends a member of a compound key.
  ///
  /// - Parameters:
  ///   - value: The value of the member.
  ///   - type: The type of the member, which has an order.
  /// - Throws: `invalidValue` for a value of another type; `missingValue` for nil.
  public func append(member value: Value, _ type: PropertyType) throws(StorageError) {
    try append(value, type: type, isOptional: false, isDescending: false, isLast: false)
  }
}

/// Reads the components of a key one after the other, ascending ones that are not last and not optional.
public struct KeyComponentReader {
  private let bytes: UnsafeRawBufferPointer
  private var place = 0

  /// Reads the bytes, which must outlive the reader.
  public init(_ bytes: UnsafeRawBufferPointer) {
    self.bytes = bytes
  }

  /// The next component.
  ///
  /// - Parameter type: The type of the component, as the key's member declares it.
  /// - Throws: `corrupt` when the bytes have none of that type.
  public mutating func next(_ type: PropertyType) throws(StorageError) -> Value {
    let rest = UnsafeRawBufferPointer(rebasing: bytes[place...])
    switch type {
    case .string, .url, .data:
      var content: [UInt8] = []
      place += try Self.readTerminated(rest, into: &content)
      return try content.withBytes { (bytes) throws(StorageError) in try Key.value(of: bytes, type: type) }
    case .decimal:
      let length = try Self.decimalLength(rest)
      place += length
      return try Key.value(of: UnsafeRawBufferPointer(rebasing: rest[..<length]), type: type)
    default:
      let length = type.fixedWidth
      guard rest.count >= length else { throw Self.damaged }
      place += length
      return try Key.value(of: UnsafeRawBufferPointer(rebasing: rest[..<length]), type: type)
    }
  }

  /// Checks that nothing is left.
  ///
  /// - Throws: `corrupt`.
  public func end() throws(StorageError) {
    guard place == bytes.count else { throw Self.damaged }
  }

  private static var damaged: StorageError { StorageError(.corrupt, "damaged key: not the members of a compound key") }

  /// Reads bytes that end with 00 01, in which 00 is written as 00 FF.
  ///
  /// - Returns: The number of bytes that were read.
  private static func readTerminated(
    _ bytes: UnsafeRawBufferPointer, into content: inout [UInt8]
  ) throws(StorageError) -> Int {
    var place = 0
    while place < bytes.count {
      let byte = bytes[place]
      guard byte == 0 else {
        content.append(byte)
        place += 1
        continue
      }
      guard place + 1 < bytes.count else { break }
      switch bytes[place + 1] {
      case 1: return place + 2
      case 0xFF: content.append(0)
      default: throw damaged
      }
      place += 2
    }
    throw damaged
  }

  private static func decimalLength(_ bytes: UnsafeRawBufferPointer) throws(StorageError) -> Int {
    guard let sign = bytes.first else { throw damaged }
    if sign == 2 { return 1 }
    // Behind the sign and the power of ten, the first byte that no pair of digits has ends the number.
    let end: UInt8 = sign == 1 ? 0xFF : 0
    guard bytes.count > 3, let last = bytes[3...].firstIndex(of: end) else { throw damaged }
    return last + 1
  }
}
