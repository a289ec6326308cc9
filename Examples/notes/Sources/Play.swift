import Foundation

/// Two people and a server that is killed, as processes. At the end the digests of all three stores are equal.
struct Play {
  let seconds: Double

  struct Failure: Error, CustomStringConvertible {
    var description: String
  }

  func run() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "notes-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let token = folder.path + "/token"
    try Data((0..<32).map { _ in UInt8.random(in: 97...122) }).write(to: URL(filePath: token))
    let stores = ["sqlite:\(folder.path)/ann.db", "lmdb:\(folder.path)/bob"]
    var (server, url) = try serve(folder, token, 0)
    defer { server.terminate() }
    let port = url.split(separator: "/")[1].split(separator: ":")[1]
    let people = try stores.map { try start(["edit", $0, url, token, String(seconds)]) }
    var kills = 0
    let end = ContinuousClock.now + .seconds(seconds)
    while ContinuousClock.now < end {
      try await Task.sleep(for: .milliseconds(.random(in: 500...2_500)))
      kill(server.processIdentifier, SIGKILL)
      server.waitUntilExit()
      kills += 1
      try await Task.sleep(for: .milliseconds(.random(in: 50...700)))
      (server, url) = try serve(folder, token, Int(port) ?? 0)
    }
    for (name, person) in zip(["ann", "bob"], people) { print("\(name): \(try finish(person))") }
    print("the server was killed \(kills) times")
    // The first hears of the second's last changes in the third exchange.
    let meetings = try [stores[0], stores[1], stores[0]].map { store in
      try finish(start(["meet", store, url, token])).split(separator: "\n").map(String.init)
    }
    let digests = Set(meetings[1].prefix(1) + meetings[2].prefix(2))
    let held = Set(meetings[2].dropFirst(2))
    for line in held.sorted() { print(line) }
    guard digests.count == 1, held.count == 1 else {
      throw Failure(description: "the stores do not agree: \(digests), \(held)")
    }
    print("three stores agree: \(digests.first ?? "")")
  }

  private func serve(_ folder: URL, _ token: String, _ port: Int) throws -> (Process, String) {
    let process = try start(["serve", "sqlite:\(folder.path)/server.db", token, String(port)])
    guard let pipe = process.standardOutput as? Pipe else { throw Failure(description: "no output") }
    let line = String(decoding: pipe.fileHandleForReading.availableData, as: UTF8.self)
    guard line.hasPrefix("http") else { throw Failure(description: "the server did not start") }
    return (process, line.trimmingCharacters(in: .whitespacesAndNewlines))
  }

  private func start(_ arguments: [String]) throws -> Process {
    let process = Process()
    process.executableURL = URL(filePath: CommandLine.arguments[0])
    process.arguments = arguments
    process.standardOutput = Pipe()
    try process.run()
    return process
  }

  private func finish(_ process: Process) throws -> String {
    guard let pipe = process.standardOutput as? Pipe else { throw Failure(description: "no output") }
    let output = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    guard process.terminationStatus == 0 else { throw Failure(description: "a process failed: \(output)") }
    return output.trimmingCharacters(in: .whitespacesAndNewlines)
  }
}
