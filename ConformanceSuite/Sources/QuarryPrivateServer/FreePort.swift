import Foundation
import QuarryBackend

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Ports of this machine that no program listens at.
enum FreePort {
  /// Lets the system choose a port of 127.0.0.1, and gives it back.
  ///
  /// - Throws: `io`.
  static func find() throws -> UInt16 {
    #if canImport(Darwin)
      let socket = socket(AF_INET, SOCK_STREAM, 0)
    #else
      let socket = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    #endif
    guard socket >= 0 else { throw StorageError(.io, "no socket: errno \(errno)") }
    defer { close(socket) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = inet_addr("127.0.0.1")
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isFound = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(socket, $0, size) == 0 && getsockname(socket, $0, &size) == 0
      }
    }
    guard isFound else { throw StorageError(.io, "no free port: errno \(errno)") }
    return UInt16(bigEndian: address.sin_port)
  }
}
