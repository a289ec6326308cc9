import Foundation
import QuarryBackend
import QuarryCore
import Synchronization
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@testable import QuarryStudio

/// The server itself, on sockets.
@Suite struct ServerTests {
  /// Runs a Studio until the body ends.
  private func serving(port: Int = 0, _ body: @Sendable (URL) async throws -> Void) async throws {
    let store = try Shop.store()
    let (addresses, continuation) = AsyncStream.makeStream(of: String.self)
    let server = Task {
      defer { continuation.finish() }
      try await StudioServer.run(store, options: StudioOptions(title: "shop"), port: port) { continuation.yield($0) }
    }
    var iterator = addresses.makeAsyncIterator()
    guard let address = await iterator.next(), let url = URL(string: address) else {
      _ = try await server.value
      return
    }
    try await body(url)
    server.cancel()
    _ = try? await server.value
  }

  @Test func itListensOnTheLoopbackInterfaceAlone() async throws {
    try await serving { url in
      #expect(url.host == "127.0.0.1")
      let port = try #require(url.port)
      #if os(Linux)
        #expect(try Self.listeners(port) == ["127.0.0.1"])
      #endif
      let (data, answer) = try await URLSession(configuration: .ephemeral).data(from: url)
      #expect((answer as? HTTPURLResponse)?.statusCode == 200)
      #expect(String(decoding: data, as: UTF8.self).contains("2 models with 122 objects"))
      // The address works once, in one browser.
      let (_, second) = try await URLSession(configuration: .ephemeral).data(from: url)
      #expect((second as? HTTPURLResponse)?.statusCode == 401)
    }
  }

  #if os(Linux)
    /// The addresses on which this machine listens at a port, by the system's tables.
    private static func listeners(_ port: Int) throws -> Set<String> {
      var found: Set<String> = []
      for (file, digits) in [("tcp", 8), ("tcp6", 32)] {
        let handle = try #require(FileHandle(forReadingAtPath: "/proc/net/\(file)"))
        // The system gives such a table in pieces, whose ends are no end of the file.
        var table = Data()
        while let piece = try handle.read(upToCount: 1 << 16), !piece.isEmpty { table += piece }
        for line in String(decoding: table, as: UTF8.self).split(separator: "\n").dropFirst() {
          let words = line.split(separator: " ")
          let place = words[1].split(separator: ":")
          guard words[3] == "0A", Int(place[1], radix: 16) == port else { continue }
          #expect(place[0].count == digits)
          found.insert(place[0] == "0100007F" ? "127.0.0.1" : String(place[0]))
        }
      }
      return found
    }
  #endif

  @Test func aPortThatIsTakenIsSaid() async throws {
    try await serving { url in
      let port = try #require(url.port)
      let store = try Shop.store()
      let error = await #expect(throws: StorageError.self) {
        try await StudioServer.run(store, options: StudioOptions(), port: port) { _ in }
      }
      #expect(error?.code == .inUse)
      #expect(error?.message == "another program listens on port \(port): choose another port")
    }
  }

  /// The command itself, built with Studio: its address, a second one on the port, and the end by a signal.
  @Test func theCommandEndsBySIGTERM() async throws {
    let program = URL(filePath: CommandLine.arguments[0]).resolvingSymlinksInPath().deletingLastPathComponent()
      .appending(path: "quarry")
    try #require(FileManager.default.isExecutableFile(atPath: program.path), "\(program.path)")
    let (studio, output) = (Process(), Pipe())
    studio.executableURL = program
    studio.arguments = ["studio", "memory:", "--no-open"]
    studio.standardOutput = output
    try studio.run()
    var line = ""
    while !line.contains("\n") {
      let data = output.fileHandleForReading.availableData
      guard !data.isEmpty else { break }
      line += String(decoding: data, as: UTF8.self)
    }
    let start = try #require(line.range(of: "http://")?.lowerBound)
    let address = try #require(URL(string: String(line[start...].dropLast())))
    let port = try #require(address.port)
    let (second, errors) = (Process(), Pipe())
    second.executableURL = program
    second.arguments = ["studio", "memory:", "--no-open", "--port", String(port)]
    second.standardOutput = FileHandle.nullDevice
    second.standardError = errors
    try second.run()
    second.waitUntilExit()
    let text = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    #expect(second.terminationStatus == 1)
    #expect(text == "error: inUse: another program listens on port \(port): choose another port\n")
    // A browser that has a page with a stream of events open does not keep it running.
    let session = URLSession(configuration: .ephemeral)
    _ = try await session.data(from: address)
    let events = try #require(URL(string: "http://127.0.0.1:\(port)/events?since=0"))
    let stream = session.dataTask(with: events)
    stream.resume()
    try await Task.sleep(for: .milliseconds(300))
    let ending = Date()
    studio.terminate()
    studio.waitUntilExit()
    #expect(studio.terminationReason == .exit && studio.terminationStatus == 0)
    #expect(Date().timeIntervalSince(ending) < 10)
    stream.cancel()
  }
}
