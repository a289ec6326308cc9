import Foundation
public import QuarryBackend

/// Encodes Codable values as value trees: the form in which nested values are stored.
///
/// Numbers keep their exact values and bits; an `Int128` or `UInt128` beyond 64 bits becomes a `Decimal`. `Date`, `Data`, `UUID`,
/// `Decimal` and `URL` are stored as these types at any place in the value. Members are sorted by the UTF-8 bytes of their names.
/// Sets and dictionaries that are written as arrays are sorted, too, so that equal values become equal trees.
public struct ValueEncoder: Sendable {
  /// The information that types find in `encoder.userInfo`.
  public var userInfo: [CodingUserInfoKey: any Sendable]

  /// Creates an encoder.
  ///
  /// - Parameter userInfo: The information that types find in `encoder.userInfo`.
  public init(userInfo: [CodingUserInfoKey: any Sendable] = [:]) {
    self.userInfo = userInfo
  }

  /// The value tree of a value.
  ///
  /// - Parameter value: The value to encode.
  /// - Throws: `limitExceeded` when it is nested deeper than `NestedCoding.maximumDepth`. `invalidValue` for a value that cannot
  ///   be stored (a Decimal that is not a number), and for an `encode(to:)` that writes nothing or two kinds of container.
  ///   `invalidValue`, too, for errors that the type itself throws, which are then the cause.
  public func encode<T: Encodable>(_ value: T) throws(StorageError) -> Value {
    if let exact = try Value.exactly(value) { return exact }
    let state = EncodingState(userInfo: userInfo)
    let result: Value
    do {
      result = try state.value(of: value, path: .root, depth: 0)
    } catch let error as StorageError {
      throw error
    } catch let error as EncodingError {
      var reason = "\(error)"
      if case .invalidValue(_, let context) = error {
        reason = "\(context.debugDescription) (at \(describe(codingPath: context.codingPath)))"
      }
      throw StorageError(.invalidValue, "\(T.self) cannot be stored: \(reason)", cause: error)
    } catch {
      throw StorageError(.invalidValue, "\(T.self) cannot be stored: its encode(to:) threw", cause: error)
    }
    // An `encode(to:)` may have swallowed the error that it received.
    if let failure = state.failure { throw failure }
    return result
  }
}

/// The state shared by the containers of one encoding.
final class EncodingState {
  let userInfo: [CodingUserInfoKey: Any]
  /// The first failure that a container met in a call that cannot throw.
  private(set) var failure: StorageError?
  private var calls = 0

  init(userInfo: [CodingUserInfoKey: any Sendable]) {
    self.userInfo = userInfo
  }

  func fail(_ error: StorageError) {
    if failure == nil { failure = error }
  }

  func check(depth: Int) throws(StorageError) {
    if let failure { throw failure }
    guard depth <= NestedCoding.maximumDepth else {
      let error = StorageError.limitExceeded(
        "depth of a nested value", limit: NestedCoding.maximumDepth, actual: depth)
      fail(error)
      throw error
    }
  }

  /// The tree of a value that is inside `depth` arrays and objects.
  func value<T: Encodable>(of value: T, path: @autoclosure () -> CodingPath, depth: Int) throws -> Value {
    try check(depth: depth)
    if let exact = try Value.exactly(value) { return exact }
    calls += 1
    defer { calls -= 1 }
    guard calls <= maximumCodingCalls else {
      let error = StorageError.limitExceeded(
        "nested calls of encode(to:)", limit: maximumCodingCalls, actual: calls)
      fail(error)
      throw error
    }
    let node = EncodingNode()
    let path = path()
    try value.encode(to: NodeEncoder(node: node, state: self, path: path, depth: depth))
    if let failure { throw failure }
    let result = try node.value(path)
    guard case .array(let elements) = result, let unordered = T.self as? any UnorderedCollection.Type else {
      return result
    }
    return .array(try canonicalOrder(elements, stride: unordered.elementsPerMember))
  }

  private func canonicalOrder(_ elements: [Value], stride step: Int) throws(StorageError) -> [Value] {
    guard elements.count > step, elements.count.isMultiple(of: step) else { return elements }
    var keyed: [(bytes: [UInt8], index: Int)] = []
    keyed.reserveCapacity(elements.count / step)
    for index in stride(from: 0, to: elements.count, by: step) {
      keyed.append((try NestedCoding.encode(elements[index]), index))
    }
    keyed.sort { $0.bytes.lexicographicallyPrecedes($1.bytes) }
    return keyed.flatMap { elements[$0.index..<$0.index + step] }
  }
}

/// A collection whose order is an accident of hashing, and how many elements of its array belong together.
private protocol UnorderedCollection {
  static var elementsPerMember: Int { get }
}

extension Set: UnorderedCollection {
  static var elementsPerMember: Int { 1 }
}

extension Dictionary: UnorderedCollection {
  static var elementsPerMember: Int { 2 }
}

extension Value {
  /// The value of a type that is stored directly; nil for a type that is composed of parts.
  static func exactly<T>(_ value: T) throws(StorageError) -> Value? {
    // Comparing types is what a specialised caller folds away.
    if let value = sameType(value, as: String.self) { return .string(value) }
    if let value = sameType(value, as: Int.self) { return .int(Int64(value)) }
    if let value = sameType(value, as: Double.self) { return .double(value) }
    if let value = sameType(value, as: Bool.self) { return .bool(value) }
    if let value = sameType(value, as: Date.self) { return .date(value) }
    if let value = sameType(value, as: UUID.self) { return .uuid(value) }
    if let value = sameType(value, as: Data.self) { return .data(value) }
    if let value = sameType(value, as: UInt8.self) { return .int(Int64(value)) }
    if let value = sameType(value, as: Int64.self) { return .int(value) }
    if let value = sameType(value, as: Int32.self) { return .int(Int64(value)) }
    if let value = sameType(value, as: Int16.self) { return .int(Int64(value)) }
    if let value = sameType(value, as: Int8.self) { return .int(Int64(value)) }
    if let value = sameType(value, as: UInt.self) { return Value(integer: value) }
    if let value = sameType(value, as: UInt64.self) { return Value(integer: value) }
    if let value = sameType(value, as: UInt32.self) { return .int(Int64(value)) }
    if let value = sameType(value, as: UInt16.self) { return .int(Int64(value)) }
    if let value = sameType(value, as: Float.self) { return .float(value) }
    if let value = sameType(value, as: Decimal.self) { return .decimal(try storable(value)) }
    if let value = sameType(value, as: URL.self) { return .url(try storable(value)) }
    if let value = sameType(value, as: Value.self) { return value }
    if let value = sameType(value, as: Int128.self) { return wide(value, isNegative: value < 0) }
    if let value = sameType(value, as: UInt128.self) { return wide(value, isNegative: false) }
    return nil
  }

  /// An integer of 128 bits: one of 64 where it fits, else a decimal, which holds each of them exactly.
  private static func wide<I: FixedWidthInteger>(_ value: I, isNegative: Bool) -> Value where I.Magnitude == UInt128 {
    if let value = Int64(exactly: value) { return .int(value) }
    if let value = UInt64(exactly: value) { return Value(integer: value) }
    return .decimal(DecimalParts(isNegative: isNegative, exponent: 0, mantissa: value.magnitude).decimal)
  }

  static func storable(_ value: Decimal) throws(StorageError) -> Decimal {
    guard !value.isNaN else { throw .decimalIsNotANumber }
    return value
  }

  /// The URL without a base, and one that can be read back.
  static func storable(_ value: URL) throws(StorageError) -> URL {
    let absolute = value.absoluteURL
    guard URL(string: absolute.absoluteString) != nil else {
      throw StorageError(.invalidValue, "a URL that cannot be read back from its text cannot be stored")
    }
    return absolute
  }
}
