import ArgumentParser
import QuarryBackend
import QuarryCore
import QuarryEngines
import QuarryInspect
import QuarrySync

#if HTTP
  import QuarrySyncHTTP
#endif

struct SyncCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sync", abstract: "Exchanges the changes of two stores, and lists what is held.",
    usage: """
      quarry sync URL OTHER [--model MODEL]… [--natural-key MODEL]… [--verify] [--allow-deletes N]
      quarry sync URL https://HOST/PATH --token-file FILE [--authority FILE] [--plain-http] [--model MODEL]… [--verify]
      quarry sync held URL [--discard ID | --accept ID]
      """,
    discussion: """
      Both stores take what they lack, until they know the same; digests of their objects then agree. The first call turns \
      sync on, for all models or those of --model, and makes them in a store that has none. The other store may be one that \
      "quarry serve" serves. "quarry sync held URL" lists what \
      the tables do not show: objects that wait for a unique value or for another object, edits of deleted objects, and what \
      a hub has refused. An exchange that would delete more than 100 objects and half of a model stops.
      """)

  @Argument(help: ArgumentHelp("The first store, or the word held.", valueName: "url"))
  var first: String

  @Argument(help: ArgumentHelp("The other store, or the address of a served one.", valueName: "other"))
  var second: String

  @OptionGroup var key: KeyOptions
  @OptionGroup var otherKey: OtherKeyOptions

  @OptionGroup var synced: SyncedModels
  @OptionGroup var remote: RemoteOptions

  @Option(
    help: ArgumentHelp("A PEM file with the certificates that are trusted, instead of the system's.", valueName: "file")
  )
  var authority: String?

  @Flag(help: "Compares the tables of both stores with their records.")
  var verify = false

  @Option(help: ArgumentHelp("The id of a held item to discard.", valueName: "id"))
  var discard: String?

  @Option(help: ArgumentHelp("The id of a held item to write again.", valueName: "id"))
  var accept: String?

  @Option(
    name: .customLong("allow-deletes"),
    help: ArgumentHelp(
      "How many objects of a model the exchange may delete where that is half of them.", valueName: "count"))
  var allowedDeletes = 0

  private var listsHeld: Bool { first == "held" }

  func validate() throws {
    if discard != nil || accept != nil, !listsHeld {
      throw ValidationError("--discard and --accept are for \"quarry sync held URL\"")
    }
    if listsHeld, verify || !synced.isEmpty || allowedDeletes != 0 || discard != nil && accept != nil {
      throw ValidationError("\"quarry sync held URL\" takes --discard or --accept alone")
    }
    guard allowedDeletes >= 0 else { throw ValidationError("--allow-deletes is a number of objects") }
    let isRemote = RemoteOptions.isURL(second)
    if isRemote != (remote.tokenFile != nil) {
      throw ValidationError("--token-file belongs to the address of a served store, http://… or https://…")
    }
    if !isRemote, authority != nil || remote.allowsPlainText {
      throw ValidationError("--authority and --plain-http are for the address of a served store")
    }
    if RemoteOptions.isURL(first) {
      throw ValidationError("the first store is one of this machine: quarry sync URL \(first)")
    }
    if !isRemote { _ = try StoreURL(argument: second) }
  }

  func run() throws {
    if listsHeld { return try runHeld() }
    if RemoteOptions.isURL(second) { return try runRemote() }
    let (a, b) = try open()
    defer {
      try? a.close()
      try? b.close()
    }
    try enable(a, b)
    let report = try Store.replicate(a, b, allowingDeletes: allowedDeletes)
    try print(report, [("the first store", a), ("the other store", b)])
  }

  /// Opens both stores. Before one of them is created, the other one's models are found fit for sync.
  private func open() throws -> (Store, Store) {
    let places = [
      (url: try StoreURL(argument: first), encryption: try key.encryption()),
      (url: try StoreURL(argument: second), encryption: try otherKey.encryption()),
    ]
    let existing = try places.map { url, encryption -> Store? in
      do {
        return try url.open(.syncing, encryption)
      } catch let error as StorageError where error.code == .notFound {
        return nil
      }
    }
    for case let store? in existing { try synced.check(store) }
    let stores = try zip(existing, places).map { try $0 ?? $1.url.open(.filling, $1.encryption) }
    return (stores[0], stores[1])
  }

  /// Prints the result, and the comparison of stores with their records.
  private func print(_ report: ReplicationReport, _ stores: [(String, Store)]) throws {
    var lines = [
      "taken: \(report.taken.a) by the first store, \(report.taken.b) by the other",
      "held: \(report.held.a) in the first store, \(report.held.b) in the other",
    ]
    if report.refused > 0 { lines.append("refused: \(report.refused), stamped ahead of the receiver's clock") }
    lines.append("digest: \(report.digests.a)")
    if report.digests.a != report.digests.b { lines.append("digest of the other: \(report.digests.b)") }
    lines.append(report.isEqual ? "the stores agree" : "the stores do not agree: quarry diff lists the differences")
    var isSound = true
    if verify {
      for (place, store) in stores {
        let different = try store.sync?.check() ?? []
        isSound = isSound && different.isEmpty
        lines += different.map { "\(place): \($0.escapedForDisplay) differs from its record" }
      }
      let what = stores.count == 1 ? "this store are those of its" : "both stores are those of their"
      if isSound { lines.append("verified: the tables of \(what) records") }
    }
    try StandardOutput.print(lines)
    if !report.isEqual || !isSound { throw ExitCode(1) }
  }

  /// Turns sync on, or continues it. A store without models gets those of the other one.
  private func enable(_ a: Store, _ b: Store) throws {
    let (left, right) = (try a.models(), try b.models())
    if left.isEmpty { try Self.make(right, in: a) }
    if right.isEmpty { try Self.make(left, in: b) }
    let all = (left.isEmpty ? right : left).map(\.name)
    for (store, other) in [(a, b), (b, a)] { try synced.enable(store, all: all, like: other) }
  }

  private func runRemote() throws {
    #if HTTP
      let token = try SyncToken(contentsOf: remote.tokenFile ?? "")
      let server = try SyncRemote.http(
        second, token: token, authority: authority, allowsPlainText: remote.allowsPlainText)
      let store = try StoreURL(argument: first).open(.changing, key.encryption())
      defer { try? store.close() }
      try synced.enable(store, all: store.models().map(\.name))
      let report: ReplicationReport
      do {
        let deletes = allowedDeletes
        report = try AsyncWork.wait { try await store.sync(with: server, allowingDeletes: deletes) }
      } catch let problem as SyncProblem {
        throw StorageError(.unavailable, problem.description, cause: problem)
      }
      try print(report, [("this store", store)])
    #else
      throw RemoteOptions.missing
    #endif
  }

  private static func make(_ models: [ModelSchema], in store: Store) throws {
    try store.write { tx in
      for var model in models {
        model.id = ModelID(0)
        try tx.apply(.createModel(model))
      }
    }
  }

  private func runHeld() throws {
    let store = try StoreURL(argument: second).open(
      discard == nil && accept == nil ? .reading : .changing, key.encryption())
    defer { try? store.close() }
    let inspector = StoreInspector(store)
    guard let items = try inspector.held() else { throw StorageError(.notFound, "the store is not synced") }
    if let id = discard ?? accept {
      guard let item = items.first(where: { $0.id == id }) else {
        throw StorageError(.notFound, "no held item has the id \(id.excerpt)")
      }
      let (digest, name) = (StoreInspector.digest(of: item), item.object.description.escapedForDisplay)
      if discard != nil {
        try inspector.discard(held: item.id, digest: digest)
        return try StandardOutput.print("discarded \(name)")
      }
      try inspector.accept(held: item.id, digest: digest)
      return try StandardOutput.print("written again: \(name)")
    }
    try StandardOutput.print(items.isEmpty ? ["nothing is held"] : items.map(Self.line))
  }

  private static func line(_ item: HeldItem) -> String {
    let values = item.values.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }.joined(separator: ", ")
    let waits = item.waitsFor.isEmpty ? "" : " (\(item.waitsFor.map(\.description).joined(separator: ", ")))"
    let written = item.isDeletion ? "deleted" : "{\(values)}"
    let words = item.message.map { $0.isEmpty ? "" : ", because \($0)" } ?? ""
    return "\(item.id) \(item.object) \(written): \(item.reason.words)\(waits)\(words)".escapedForDisplay
  }
}
