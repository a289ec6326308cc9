import ArgumentParser
import QuarryCore
import QuarrySync

#if HTTP
  import QuarrySyncHTTP
#endif

/// What a served store is, to whom it belongs, and its limits.
struct ServingOptions: ParsableArguments {
  @Flag(help: "Makes the store a hub: it takes each transaction of a client whole, or refuses it.")
  var hub = false

  @Flag(help: "Says that the store was put back from a backup: it takes back from clients what it has lost.")
  var restored = false

  @Option(
    name: .customLong("principal"),
    help: ArgumentHelp(
      "A client's name, and the file of its token. A replica belongs to the first that sends its changes.",
      valueName: "name=file"))
  var principals: [String] = []

  @Option(
    name: .customLong("minimum-schema"),
    help: ArgumentHelp("The lowest version of a client's models that receives changes.", valueName: "version"))
  var minimumSchema: Int?

  @Option(
    name: .customLong("allow-deletes"),
    help: ArgumentHelp(
      "How many objects of a model one push may delete where that is half of them.", valueName: "count"))
  var allowedDeletes = 0

  @Option(
    name: .customLong("body-bytes"), help: ArgumentHelp("The most bytes of a request's body.", valueName: "bytes"))
  var bodyBytes: Int?

  @Option(
    name: .customLong("part-bytes"),
    help: ArgumentHelp("The bytes of an answer that has more than one message.", valueName: "bytes"))
  var partBytes: Int?

  @Option(name: .customLong("requests"), help: ArgumentHelp("The most requests at once.", valueName: "count"))
  var requests: Int?

  @Option(name: .customLong("waiting"), help: ArgumentHelp("The most clients that wait at once.", valueName: "count"))
  var waiting: Int?

  @Option(name: .customLong("wait"), help: ArgumentHelp("The longest time that a client waits.", valueName: "seconds"))
  var wait: Int?

  @Option(
    name: .customLong("body-time"),
    help: ArgumentHelp("The longest time for a body to arrive.", valueName: "seconds"))
  var bodyTime: Int?

  @Option(
    name: .customLong("work-time"),
    help: ArgumentHelp("The time after which a push takes no further transaction.", valueName: "seconds"))
  var workTime: Int?

  private var numbers: [Int?] { [bodyBytes, partBytes, requests, waiting, wait, bodyTime, workTime] }

  func validate() throws {
    guard numbers.allSatisfy({ $0.map { (1...1_000_000_000).contains($0) } ?? true }), allowedDeletes >= 0 else {
      throw ValidationError("a limit is from 1 to 1000000000")
    }
    for text in principals where Self.parts(text) == nil {
      throw ValidationError("--principal is NAME=FILE, not \(text.excerpt)")
    }
  }

  private static func parts(_ text: String) -> (name: String, file: String)? {
    guard let place = text.firstIndex(of: "="), place != text.startIndex, text.index(after: place) != text.endIndex
    else { return nil }
    return (String(text[..<place]), String(text[text.index(after: place)...]))
  }

  /// Makes the store what the options say.
  func prepare(_ store: Store) throws {
    if hub { try store.enableSync(as: .hub) }
    if restored { try store.sync?.restored() }
  }

  #if HTTP
    /// The options of the server.
    ///
    /// - Parameter token: The token that all share; nil where each principal has its own.
    func site(_ token: SyncToken?) throws -> SyncSiteOptions {
      var options = SyncSiteOptions()
      for (name, file) in principals.compactMap(Self.parts) {
        options.accept(try SyncToken(contentsOf: file), as: SyncPrincipal(name))
      }
      if let token { options.shared = token }
      options.minimumSchema = minimumSchema
      options.allowedDeletes = allowedDeletes
      if let bodyBytes { options.limits.bodyBytes = bodyBytes }
      if let partBytes { options.limits.partBytes = partBytes }
      if let requests { options.limits.requests = requests }
      if let waiting { options.limits.waiting = waiting }
      if let wait { options.limits.wait = .seconds(wait) }
      if let bodyTime { options.limits.bodyTime = .seconds(bodyTime) }
      if let workTime { options.limits.workTime = .seconds(workTime) }
      return options
    }
  #endif
}
