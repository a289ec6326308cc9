import Foundation
import Testing

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The end of the command, while a browser waits for an answer.
@Suite struct EndingTests {
  /// A connection that sends and receives bytes as they are.
  private final class Line {
    private let socket: Int32

    init?(port: Int) {
      #if canImport(Darwin)
        socket = Darwin.socket(AF_INET, SOCK_STREAM, 0)
      #else
        socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
      #endif
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_port = in_port_t(port).bigEndian
      address.sin_addr.s_addr = inet_addr("127.0.0.1")
      let isOpen = withUnsafePointer(to: &address) { address in
        address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          connect(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
        }
      }
      var time = timeval(tv_sec: 30, tv_usec: 0)
      setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &time, socklen_t(MemoryLayout<timeval>.size))
      guard isOpen else {
        close(socket)
        return nil
      }
    }

    deinit { close(socket) }

    func send(_ text: String) {
      let bytes = Array(text.utf8)
      _ = write(socket, bytes, bytes.count)
    }

    /// What comes until the other side closes.
    func rest() -> String {
      var (bytes, part) = ([UInt8](), [UInt8](repeating: 0, count: 1 << 16))
      while true {
        let count = read(socket, &part, part.count)
        guard count > 0 else { return String(decoding: bytes, as: UTF8.self) }
        bytes += part[..<count]
      }
    }
  }

  private static func between(_ start: String, _ end: Character, in text: String) throws -> String {
    let found = try #require(text.range(of: start), "\(text)")
    return String(text[found.upperBound...].prefix { $0 != end })
  }

  @Test func aRequestUnderWayIsAnswered() async throws {
    let (studio, output) = (Process(), Pipe())
    studio.executableURL = URL(filePath: CommandLine.arguments[0]).resolvingSymlinksInPath().deletingLastPathComponent()
      .appending(path: "quarry")
    studio.arguments = ["studio", "memory:", "--write", "--no-open"]
    studio.standardOutput = output
    try studio.run()
    defer { studio.terminate() }
    var line = ""
    while !line.contains("\n") {
      let data = output.fileHandleForReading.availableData
      guard !data.isEmpty else { break }
      line += String(decoding: data, as: UTF8.self)
    }
    let host = try Self.between("http://", "/", in: line)
    let port = try #require(Int(host.split(separator: ":")[1]))
    func ask(_ head: String, _ fields: [String] = []) throws -> Line {
      let line = try #require(Line(port: port))
      let lines = [head + " HTTP/1.1", "Host: \(host)", "Connection: close"] + fields
      line.send(lines.joined(separator: "\r\n") + "\r\n\r\n")
      return line
    }
    let token = try Self.between("token=", "\n", in: line)
    let cookie = try "Cookie: " + Self.between("Set-Cookie: ", ";", in: ask("GET /?token=\(token)").rest())
    let form = try Self.between("data-upload=\"", "\"", in: ask("GET /import", [cookie]).rest())
    let file = "id,name\n1,first\n2,second\n"
    let upload = try ask(
      "POST /upload?name=a.csv",
      [
        cookie, "Origin: http://\(host)", "Sec-Fetch-Site: same-origin", "Content-Type: application/octet-stream",
        "X-Studio-Token: \(form)", "Content-Length: \(file.utf8.count)",
      ])
    upload.send(String(file.prefix(10)))
    try await Task.sleep(for: .milliseconds(300))
    studio.terminate()
    try await Task.sleep(for: .milliseconds(500))
    // It takes no new requests, and is there for the one that has begun.
    #expect(studio.isRunning)
    #expect(Line(port: port) == nil)
    upload.send(String(file.dropFirst(10)))
    let answer = upload.rest()
    #expect(answer.hasPrefix("HTTP/1.1 200") && answer.contains("/import?upload="), "\(answer)")
    studio.waitUntilExit()
    #expect(studio.terminationReason == .exit && studio.terminationStatus == 0)
  }
}
