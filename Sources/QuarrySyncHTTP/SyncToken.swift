#if HTTP
  import Foundation
  public import QuarryBackend
  import QuarrySync

  /// A secret that a server and its clients share, compared in constant time.
  ///
  /// Its text is never printed.
  public struct SyncToken: Sendable, CustomStringConvertible, CustomReflectable {
    let text: String
    private let hash: [UInt8]

    /// The shortest token that is taken.
    private static let shortest = 16

    /// A token from its text.
    ///
    /// - Throws: `invalidValue` for fewer than 16 characters, and for others than a header may have: visible ASCII.
    public init(_ text: String) throws(StorageError) {
      guard text.utf8.count >= Self.shortest, text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
        throw StorageError(
          .invalidValue, "a token has at least \(Self.shortest) characters of visible ASCII, without spaces")
      }
      self.text = text
      hash = SyncDigest(of: text).bytes
    }

    /// A token from the one line of a file.
    ///
    /// - Throws: `io` where the file cannot be read; `invalidValue` as ``init(_:)``.
    public init(contentsOf path: String) throws(StorageError) {
      let data: Data
      do {
        data = try Data(contentsOf: URL(filePath: path))
      } catch {
        throw StorageError(.io, "the file of the token cannot be read: \(path)", cause: error)
      }
      try self.init(String(decoding: data, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines))
    }

    /// Whether a token that was offered is this one. The time does not depend on where they differ.
    public func matches(_ offered: String?) -> Bool {
      let other = SyncDigest(of: offered ?? "").bytes
      return zip(hash, other).reduce(hash.count ^ other.count) { $0 | Int($1.0 ^ $1.1) } == 0 && offered != nil
    }

    /// Says that there is a token, and not which.
    public var description: String { "SyncToken" }

    /// Nothing, so that the token is not printed by reflection.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
  }
#endif
