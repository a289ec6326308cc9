package import QuarryBackend

extension SyncReplica {
  /// Answers a peer's request.
  ///
  /// - Parameter part: The objects that the peer may have; nil for all.
  /// - Throws: `corrupt`, `schemaTooNew` or `limitExceeded` for a body that is refused before any effect.
  package mutating func answer(
    _ request: SyncRequest, _ body: [UInt8], part: ((ObjectID, SyncRow) -> Bool)? = nil
  ) throws(StorageError) -> [UInt8] {
    let frames = try SyncFrame.decode(body)
    switch request {
    case .hello:
      _ = try Self.onlyHello(frames)
    case .pull:
      let asked = try Self.onlyHello(frames)
      rules.learn(asked.rules)
      return try SyncFrame.encode(part.map { servePart(asked, $0) } ?? serve(asked))
    case .push:
      let messages = try Self.messages(frames)
      guard case .yours(let introduction)? = messages.first?.message else { throw SyncReader.damaged }
      receive(introduction.session, messages)
    }
    return try SyncFrame.hello(hello()).encoded()
  }

  static func onlyHello(_ frames: [SyncFrame]) throws(StorageError) -> SyncHello {
    guard frames.count == 1, case .hello(let hello) = frames[0] else { throw SyncReader.damaged }
    return hello
  }

  static func messages(_ frames: [SyncFrame]) throws(StorageError) -> [NumberedMessage] {
    var result: [NumberedMessage] = []
    for frame in frames {
      guard case .message(let message) = frame else { throw SyncReader.damaged }
      result.append(message)
    }
    return result
  }
}

extension SyncFrame {
  static func encode(_ messages: [NumberedMessage]) throws(StorageError) -> [UInt8] {
    var bytes: [UInt8] = []
    for message in messages { bytes += try SyncFrame.message(message).encoded() }
    return bytes
  }
}
