import Foundation
import Hummingbird
import Logging
import Quarry
import QuarryEngines

/// Serves a bank over HTTP. `SERVICE_STORE` is the URL of its store, `SERVICE_PORT` its port on this machine.
///
/// With the argument `watch` it observes the transfers instead, and prints at its end what it has seen.
/// Several processes may serve one store on PostgreSQL, and a single one serves a store on SQLite. The program is the same.
@main
struct Service {
  static func main() async throws {
    let environment = ProcessInfo.processInfo.environment
    let url = environment["SERVICE_STORE"] ?? "sqlite:bank.db"
    guard let port = Int(environment["SERVICE_PORT"] ?? "8080"), (0..<65_536).contains(port) else {
      throw StorageError(.invalidValue, "SERVICE_PORT must be the number of a port")
    }
    var logger = Logger(label: "service")
    logger.logLevel = .notice
    // Transfer is found by what Account is related to.
    let store = try Store(for: Account.self, url: url)
    if CommandLine.arguments.dropFirst().first == "watch" {
      try await Watch.run(store)
      return try store.close()
    }
    let application = Application(
      router: Routes.router(Bank(store: store), Metrics()),
      configuration: .init(address: .hostname("127.0.0.1", port: port)),
      onServerRunning: { channel in
        // Scripts wait for this line.
        FileHandle.standardOutput.write(Data("listening on \(channel.localAddress?.port ?? port)\n".utf8))
      }, logger: logger)
    // Returns after SIGTERM or SIGINT, when open requests are answered.
    try await application.runService()
    try store.close()
  }
}
