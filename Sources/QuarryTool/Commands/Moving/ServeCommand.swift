import ArgumentParser
import QuarryBackend
import QuarryCore
import QuarryEngines
import QuarrySync

#if HTTP
  import QuarrySyncHTTP
#endif

struct ServeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "serve", abstract: "Serves a store over HTTP, for quarry sync and programs.",
    usage: """
      quarry serve URL --token-file FILE [--port N] [--path /sync] [--model MODEL]… [--natural-key MODEL]…
      quarry serve URL --hub [--principal NAME=FILE]… [--restored] [--allow-deletes N] [--minimum-schema VERSION]
      quarry serve URL --token-file FILE --address ADDRESS [--certificate FILE --certificate-key FILE] [--plain-http]
      """,
    discussion: """
      It prints the address for clients, and serves the store until it is interrupted. Clients send the token of the file. \
      Only this machine reaches it unless --address names another address; that needs a certificate, or --plain-http behind a \
      proxy with TLS. The first call turns sync on. A hub decides about the transactions of its clients, and each client may have a token of its \
      own. The tool has this when it is built with the trait HTTP: scripts/studio \
      --build builds one.
      """)

  @OptionGroup var store: StoreArgument
  @OptionGroup var remote: RemoteOptions
  @OptionGroup var synced: SyncedModels
  @OptionGroup var serving: ServingOptions

  @Option(help: "The port; a free one by default.")
  var port = 0

  @Option(help: "The address to listen on.")
  var address = "127.0.0.1"

  @Option(help: "The path of the requests.")
  var path = "/sync"

  @Option(help: ArgumentHelp("The certificate and those behind it, PEM.", valueName: "file"))
  var certificate: String?

  @Option(
    name: .customLong("certificate-key"), help: ArgumentHelp("The key of the certificate, PEM.", valueName: "file"))
  var certificateKey: String?

  func validate() throws {
    guard (0...65_535).contains(port) else { throw ValidationError("--port is from 0 to 65535") }
    guard path.hasPrefix("/"), path.count > 1, !path.hasSuffix("/") else {
      throw ValidationError("--path begins with a slash and does not end with one")
    }
    guard remote.tokenFile != nil || !serving.principals.isEmpty else {
      throw ValidationError("--token-file or --principal is needed: clients send the file's line with each request")
    }
    guard (certificate == nil) == (certificateKey == nil) else {
      throw ValidationError("--certificate and --certificate-key belong together")
    }
    let isLocal = ["127.0.0.1", "::1", "localhost"].contains(address)
    guard isLocal || certificate != nil || remote.allowsPlainText else {
      throw ValidationError(
        "another address than 127.0.0.1 needs --certificate and --certificate-key, or --plain-http behind a proxy with TLS"
      )
    }
  }

  func run() throws {
    #if HTTP
      let options = try serving.site(remote.tokenFile.map { try SyncToken(contentsOf: $0) })
      let store = try store.open(.changing)
      defer { try? store.close() }
      try synced.enable(store, all: store.models().map(\.name))
      try serving.prepare(store)
      let files = certificate.map { SyncServer.Certificate(chain: $0, key: certificateKey ?? $0) }
      let (address, port, path) = (address, port, path)
      try AsyncWork.wait {
        try await SyncServer.run(
          store, options, address: address, port: port, path: path, certificate: files
        ) { try? StandardOutput.print("serving at \($0)") }
      }
    #else
      throw RemoteOptions.missing
    #endif
  }
}
