import Foundation
public import QuarryBackend

/// Decodes Codable values from value trees: the reverse of ``ValueEncoder``.
///
/// An integer decodes as any integer type that it fits into, and as `Double` or `Float` when they hold it exactly. A whole
/// decimal decodes as an integer of 128 bits. A floating-point number never decodes as an integer, and a `Double` decodes as
/// `Float` only when that is exact. Nothing else changes its kind. A missing member decodes as nil where the type uses
/// `decodeIfPresent`.
public struct ValueDecoder: Sendable {
  /// The information that types find in `decoder.userInfo`.
  public var userInfo: [CodingUserInfoKey: any Sendable]

  /// Creates a decoder.
  ///
  /// - Parameter userInfo: The information that types find in `decoder.userInfo`.
  public init(userInfo: [CodingUserInfoKey: any Sendable] = [:]) {
    self.userInfo = userInfo
  }

  /// The value of a tree.
  ///
  /// - Parameters:
  ///   - type: The type to decode.
  ///   - value: A tree, as ``ValueEncoder/encode(_:)`` gives it.
  /// - Throws: `invalidValue` when the tree is not a value of this type, with the `DecodingError` as the cause and its coding
  ///   path as the place. `limitExceeded` when decoding goes deeper than any stored value.
  public func decode<T: Decodable>(_ type: T.Type, from value: Value) throws(StorageError) -> T {
    let state = DecodingState(userInfo: userInfo)
    do {
      return try state.decode(type, from: value, path: .root)
    } catch let error as StorageError {
      throw error
    } catch let error as DecodingError {
      let (reason, place) = Self.describe(error)
      let failure = StorageError(.invalidValue, "the stored value is not a \(type): \(reason)", cause: error)
      throw place.isEmpty ? failure : failure.at(place)
    } catch {
      throw StorageError(.invalidValue, "the stored value is not a \(type): its init(from:) threw", cause: error)
    }
  }

  /// The message of a decoding error, and its place. Messages that do not come from this decoder are left out, because they may
  /// contain the stored value: an enum's error for its raw value does.
  private static func describe(_ error: DecodingError) -> (reason: String, place: String) {
    func text(_ context: DecodingError.Context, _ otherwise: String) -> String {
      context.underlyingError is ValueMismatch ? context.debugDescription : otherwise
    }
    return switch error {
    case .typeMismatch(let type, let context): (text(context, "no \(type)"), place(context.codingPath))
    case .valueNotFound(let type, let context): (text(context, "no value for \(type)"), place(context.codingPath))
    case .dataCorrupted(let context): (text(context, "none of the type's values"), place(context.codingPath))
    case .keyNotFound(let key, let context): ("no member \(key.stringValue)", place(context.codingPath + [key]))
    @unknown default: ("it cannot be decoded", "")
    }
  }
}

/// Marks the errors of this decoder, whose texts have no stored values.
struct ValueMismatch: Error {}

/// The state shared by the containers of one decoding.
final class DecodingState {
  let userInfo: [CodingUserInfoKey: Any]
  private var calls = 0

  init(userInfo: [CodingUserInfoKey: any Sendable]) {
    self.userInfo = userInfo
  }

  func decode<T: Decodable>(
    _ type: T.Type, from value: Value, path: @autoclosure () -> CodingPath
  ) throws -> T {
    if let exact = try value.exactly(type, path) {
      return exact
    }
    calls += 1
    defer { calls -= 1 }
    guard calls <= maximumCodingCalls else {
      throw StorageError.limitExceeded(
        "nested calls of init(from:)", limit: maximumCodingCalls, actual: calls)
    }
    return try T(from: NodeDecoder(value: value, state: self, path: path()))
  }
}

extension Value {
  /// The value as a type that is stored directly; nil for a type that is composed of parts.
  fileprivate func exactly<T>(_ type: T.Type, _ path: () -> CodingPath) throws -> T? {
    // Comparing types is what a specialised caller folds away.
    if type == String.self {
      if case .string(let value) = self { return sameType(value, as: type) }
    } else if type == Int.self {
      return sameType(try integer(Int.self, path), as: type)
    } else if type == Double.self {
      return sameType(try double(path), as: type)
    } else if type == Bool.self {
      if case .bool(let value) = self { return sameType(value, as: type) }
    } else if type == Date.self {
      if case .date(let value) = self { return sameType(value, as: type) }
    } else if type == UUID.self {
      if case .uuid(let value) = self { return sameType(value, as: type) }
    } else if type == Data.self {
      if case .data(let value) = self { return sameType(value, as: type) }
    } else if type == UInt8.self {
      return sameType(try integer(UInt8.self, path), as: type)
    } else if type == Int64.self {
      return sameType(try integer(Int64.self, path), as: type)
    } else if type == Int32.self {
      return sameType(try integer(Int32.self, path), as: type)
    } else if type == Int16.self {
      return sameType(try integer(Int16.self, path), as: type)
    } else if type == Int8.self {
      return sameType(try integer(Int8.self, path), as: type)
    } else if type == UInt.self {
      return sameType(try integer(UInt.self, path), as: type)
    } else if type == UInt64.self {
      return sameType(try integer(UInt64.self, path), as: type)
    } else if type == UInt32.self {
      return sameType(try integer(UInt32.self, path), as: type)
    } else if type == UInt16.self {
      return sameType(try integer(UInt16.self, path), as: type)
    } else if type == Int128.self {
      return sameType(try integer(Int128.self, path), as: type)
    } else if type == UInt128.self {
      return sameType(try integer(UInt128.self, path), as: type)
    } else if type == Float.self {
      return sameType(try float(path), as: type)
    } else if type == Decimal.self {
      if case .decimal(let value) = self { return sameType(value, as: type) }
    } else if type == URL.self {
      if case .url(let value) = self { return sameType(value, as: type) }
    } else if type == Value.self {
      return sameType(self, as: type)
    } else {
      return nil
    }
    throw mismatch(type, path)
  }

  private func integer<I: FixedWidthInteger>(_ type: I.Type, _ path: () -> CodingPath) throws -> I {
    let result: I?
    switch self {
    case .int(let value): result = I(exactly: value)
    case .uint(let value): result = I(exactly: value)
    // The form in which `ValueEncoder` stores an integer of 128 bits.
    case .decimal(let value) where I.bitWidth == 128: result = Self.whole(value)
    default: throw mismatch(type, path)
    }
    guard let result else { throw inexact(type, path) }
    return result
  }

  /// The integer that a decimal is; nil where it has a fraction or does not fit.
  private static func whole<I: FixedWidthInteger>(_ decimal: Decimal) -> I? {
    guard let parts = try? DecimalParts(decimal), parts.exponent >= 0 else { return nil }
    var magnitude = parts.mantissa
    for _ in 0..<parts.exponent {
      let (product, overflows) = magnitude.multipliedReportingOverflow(by: 10)
      guard !overflows else { return nil }
      magnitude = product
    }
    if !parts.isNegative { return I(exactly: magnitude) }
    // The least Int128 has a magnitude that no Int128 holds.
    guard I.isSigned, magnitude <= UInt128(1) << 127 else { return nil }
    return I(truncatingIfNeeded: 0 &- magnitude)
  }

  private func double(_ path: () -> CodingPath) throws -> Double {
    let result: Double?
    switch self {
    case .double(let value): return value
    case .float(let value): return Double(value)
    case .int(let value): result = Double(exactly: value)
    case .uint(let value): result = Double(exactly: value)
    default: throw mismatch(Double.self, path)
    }
    guard let result else { throw inexact(Double.self, path) }
    return result
  }

  private func float(_ path: () -> CodingPath) throws -> Float {
    let result: Float?
    switch self {
    case .float(let value): return value
    case .double(let value): result = value.isNaN ? Float.nan : Float(exactly: value)
    case .int(let value): result = Float(exactly: value)
    case .uint(let value): result = Float(exactly: value)
    default: throw mismatch(Float.self, path)
    }
    guard let result else { throw inexact(Float.self, path) }
    return result
  }

  private func inexact(_ type: Any.Type, _ path: () -> CodingPath) -> DecodingError {
    .dataCorrupted(
      .init(
        codingPath: path().keys, debugDescription: "a stored number does not fit into \(type)",
        underlyingError: ValueMismatch()))
  }

  /// The error for a value of another kind than was asked for.
  fileprivate func mismatch(_ type: Any.Type, _ path: () -> CodingPath) -> DecodingError {
    let context = DecodingError.Context(
      codingPath: path().keys, debugDescription: "\(kind) is not \(type)", underlyingError: ValueMismatch())
    return isNull ? .valueNotFound(type, context) : .typeMismatch(type, context)
  }
}

extension Value {
  /// The members of an object.
  ///
  /// - Throws: a `DecodingError` when it is none.
  func members(at path: CodingPath) throws -> [Member] {
    guard case .object(let members) = self else { throw mismatch([String: Value].self) { path } }
    return members
  }

  /// The elements of an array.
  ///
  /// - Throws: a `DecodingError` when it is none.
  func elements(at path: CodingPath) throws -> [Value] {
    guard case .array(let elements) = self else { throw mismatch([Value].self) { path } }
    return elements
  }
}
