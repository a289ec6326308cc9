#if PostgreSQL && canImport(Glibc)
  import Foundation
  import Glibc
  import Synchronization

  /// A proxy in front of a server, which forwards messages of the protocol and cuts a connection before one of them.
  final class CuttingProxy: Sendable {
    private struct State {
      /// How many messages still pass; nil while none is cut.
      var left: Int?
      /// Whether no connection is accepted after the cut.
      var refusesAfterwards = false
      var isRefusing = false
      var isCut = false
    }

    private let folder: String
    private let target: String
    private let listener: Int32
    private let state = Mutex(State())

    /// - Parameter target: The path of the server's socket.
    init(to target: String) throws {
      self.target = target
      folder = "\(FileManager.default.temporaryDirectory.path)/qpx-\(UUID().uuidString.prefix(8))"
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      listener = try Self.socket(folder + "/.s.PGSQL.5432") { descriptor, address, length in
        bind(descriptor, address, length) == 0 && listen(descriptor, 64) == 0
      }
      Thread.detachNewThread { [weak self, listener] in
        while true {
          let client = accept(listener, nil, nil)
          guard client >= 0 else { return }
          guard let self else {
            Glibc.close(client)
            return
          }
          self.connect(client)
        }
      }
    }

    deinit {
      shutdown(listener, Int32(SHUT_RDWR))
      Glibc.close(listener)
      try? FileManager.default.removeItem(atPath: folder)
    }

    var connection: String { "host=\(folder) user=quarry dbname=postgres" }

    /// Cuts the connection of the message after the next ones.
    ///
    /// - Parameters:
    ///   - count: How many messages pass, in both directions together.
    ///   - isRefusing: Whether no connection is accepted from then on.
    func cut(after count: Int, thenRefuse isRefusing: Bool = false) {
      state.withLock { state in
        state.left = count
        state.refusesAfterwards = isRefusing
        state.isCut = false
      }
    }

    /// Lets everything pass.
    ///
    /// - Returns: Whether a connection was cut.
    func pass() -> Bool {
      state.withLock { state in
        state.left = nil
        state.isRefusing = false
        return state.isCut
      }
    }

    // MARK: Connections

    private func connect(_ client: Int32) {
      let isRefusing = state.withLock { $0.isRefusing }
      let server =
        isRefusing
        ? nil
        : try? Self.socket(target) { descriptor, address, length in Glibc.connect(descriptor, address, length) == 0 }
      guard let server else {
        Glibc.close(client)
        return
      }
      let sockets = Sockets(client, server)
      for (from, to, isClient) in [(client, server, true), (server, client, false)] {
        Thread.detachNewThread { [weak self] in
          Self.forward(from, to, hasStart: isClient) { self?.passes() ?? false }
          sockets.leave()
        }
      }
    }

    /// Two sockets that two threads use, closed when both have left.
    private final class Sockets: Sendable {
      private let sockets: (Int32, Int32)
      private let users = Atomic<Int>(2)

      init(_ first: Int32, _ second: Int32) { sockets = (first, second) }

      /// Ends both connections, so that the other thread leaves too.
      func leave() {
        shutdown(sockets.0, Int32(SHUT_RDWR))
        shutdown(sockets.1, Int32(SHUT_RDWR))
        guard users.subtract(1, ordering: .acquiringAndReleasing).newValue == 0 else { return }
        Glibc.close(sockets.0)
        Glibc.close(sockets.1)
      }
    }

    /// Whether the next message passes.
    private func passes() -> Bool {
      state.withLock { state in
        guard let left = state.left else { return true }
        guard left == 0 else {
          state.left = left - 1
          return true
        }
        state.left = nil
        state.isCut = true
        state.isRefusing = state.refusesAfterwards
        return false
      }
    }

    /// Forwards whole messages until one does not pass, or a side ends.
    ///
    /// - Parameter hasStart: Whether the first message has no letter for its kind, as a client's has none.
    private static func forward(_ from: Int32, _ to: Int32, hasStart: Bool, _ passes: () -> Bool) {
      var kind = hasStart ? 0 : 1
      while true {
        guard var message = read(from, kind + 4) else { return }
        let length = message[kind...].reduce(0) { $0 << 8 | Int($1) }
        guard length >= 4, let rest = read(from, length - 4) else { return }
        message += rest
        guard passes(), write(to, message) else { return }
        kind = 1
      }
    }

    // MARK: Sockets

    private static func read(_ descriptor: Int32, _ count: Int) -> [UInt8]? {
      var bytes = [UInt8](repeating: 0, count: count)
      var done = 0
      while done < count {
        let read = bytes.withUnsafeMutableBytes { recv(descriptor, $0.baseAddress! + done, count - done, 0) }
        guard read > 0 else { return nil }
        done += read
      }
      return bytes
    }

    private static func write(_ descriptor: Int32, _ bytes: [UInt8]) -> Bool {
      var done = 0
      while done < bytes.count {
        let sent = bytes.withUnsafeBytes {
          send(descriptor, $0.baseAddress! + done, bytes.count - done, Int32(MSG_NOSIGNAL))
        }
        guard sent > 0 else { return false }
        done += sent
      }
      return true
    }

    private static func socket(
      _ path: String, _ use: (Int32, UnsafePointer<sockaddr>, socklen_t) -> Bool
    ) throws -> Int32 {
      let descriptor = Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
      var address = sockaddr_un()
      address.sun_family = sa_family_t(AF_UNIX)
      let bytes = Array(path.utf8)
      withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
      let isUsed = withUnsafePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          use(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
        }
      }
      guard isUsed else {
        Glibc.close(descriptor)
        throw POSIXError(.ENOTCONN)
      }
      return descriptor
    }
  }
#endif
