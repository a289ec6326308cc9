public import QuarryBackend

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Keys in variables of the environment, for containers: hexadecimal digits.
///
/// Other processes of the same user can read the environment of a process, its children inherit it, and crash reports contain it.
/// A file is the better place where there is one.
public struct EnvironmentKeyStore: KeyStore, Hashable {
  /// Creates the store of the keys in the variables of the environment.
  public init() {}

  /// The key in the variable of that name.
  ///
  /// - Parameter name: The name of the variable, whose value is the key in hexadecimal digits.
  /// - Throws: `notFound` when it is not set; `invalidValue` when it is not of an even number of hexadecimal digits, or too
  ///   short.
  public func key(named name: String) throws(StorageError) -> EncryptionKey {
    try KeyName.check(name)
    guard let value = getenv(name) else {
      throw StorageError(.notFound, "the variable \(name) of the environment is not set")
    }
    let text = UnsafeRawBufferPointer(start: value, count: strlen(value))
    guard text.count % 2 == 0, text.allSatisfy({ Self.digit($0) != nil }) else {
      throw StorageError(
        .invalidValue, "the variable \(name) of the environment does not have an even number of hexadecimal digits")
    }
    let bytes = try SecretBytes(count: text.count / 2) { bytes throws(StorageError) in
      for place in bytes.indices {
        bytes[place] = (Self.digit(text[2 * place]) ?? 0) << 4 | (Self.digit(text[2 * place + 1]) ?? 0)
      }
    }
    return try EncryptionKey(secret: bytes)
  }

  private static func digit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
    default: nil
    }
  }
}

extension KeyStore where Self == EnvironmentKeyStore {
  /// Keys in variables of the environment.
  public static var environment: EnvironmentKeyStore { EnvironmentKeyStore() }
}
