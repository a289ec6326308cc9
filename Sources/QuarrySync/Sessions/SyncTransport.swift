/// The purpose of a request to a peer.
public enum SyncRequest: String, Sendable, Hashable, CaseIterable {
  /// The body is the asker's hello. The answer is the peer's hello.
  case hello
  /// The body is the asker's hello. The answer has all that the asker lacks.
  case pull
  /// The body is an answer to the peer's hello. The answer is the peer's hello afterwards, which acknowledges.
  case push
}

/// Moves the bytes of requests and answers between two peers, and keeps nothing.
///
/// Any request may be lost, delayed, repeated or answered twice: the merge does not depend on the transport. A transport has
/// to keep bytes as they are; each frame has a checksum, so that damage is noticed.
public protocol SyncTransport: Sendable {
  /// Sends a request and returns the peer's answer.
  ///
  /// - Parameters:
  ///   - request: The purpose of the request.
  ///   - body: Frames, as `docs/formats/sync.md` defines them.
  /// - Returns: Frames.
  /// - Throws: Any error of the connection. The session ends, and a later one continues where this one ended.
  func exchange(_ request: SyncRequest, _ body: [UInt8]) async throws -> [UInt8]
}
