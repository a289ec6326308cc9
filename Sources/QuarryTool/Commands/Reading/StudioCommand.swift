import ArgumentParser
import Foundation
import QuarryBackend
import QuarryCore
import QuarryEngines

#if HTTP
  import QuarryStudio
#endif

struct StudioCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "studio", abstract: "Shows a store in the browser, and changes objects there with --write.",
    discussion: """
      It prints an address that opens the store in one browser, once, and serves it until it is interrupted. Only this \
      machine reaches it. The tool has it when it is built with the trait HTTP: scripts/studio builds and starts that.
      """)

  @OptionGroup var store: StoreArgument

  @Flag(help: "Allows changes. Without it the store is for reading only.")
  var write = false

  @Option(help: "The port; a free one by default.")
  var port = 0

  @Flag(name: .customLong("no-open"), help: "Prints the address without opening a browser.")
  var staysClosed = false

  func validate() throws {
    guard (0...65_535).contains(port) else { throw ValidationError("--port is from 0 to 65535") }
  }

  func run() throws {
    #if HTTP
      let store = try store.open(write ? .changing : .reading)
      defer { try? store.close() }
      let title = try Self.title(of: self.store.url)
      let opens = !staysClosed
      let (options, port) = (StudioOptions(title: title, allowsWriting: write), port)
      try AsyncWork.wait {
        try await StudioServer.run(store, options: options, port: port) { address in
          try? StandardOutput.print("\(title): \(address)")
          if opens { Self.open(address) }
        }
      }
    #else
      throw StorageError(
        .unsupported,
        "this quarry was built without Studio: scripts/studio URL builds and starts one with it (the trait HTTP)")
    #endif
  }

  #if HTTP
    /// The name of the store's file. Of a store on a server it is the schema: no page has a part of the connection string.
    private static func title(of url: StoreURL) -> String {
      guard url.engine.path == .connection else {
        return url.path.split(separator: "/").last.map(String.init) ?? url.engine.name
      }
      return url.option("schema") ?? url.engine.name
    }

    /// Opens the address in the browser of the user, where there is one.
    private static func open(_ address: String) {
      #if canImport(Darwin)
        let program = "/usr/bin/open"
      #else
        let program = "/usr/bin/xdg-open"
        let environment = ProcessInfo.processInfo.environment
        guard environment["DISPLAY"] != nil || environment["WAYLAND_DISPLAY"] != nil else { return }
      #endif
      guard FileManager.default.isExecutableFile(atPath: program) else { return }
      let process = Process()
      process.executableURL = URL(filePath: program)
      process.arguments = [address]
      process.standardOutput = FileHandle.nullDevice
      process.standardError = FileHandle.nullDevice
      try? process.run()
    }
  #endif
}
