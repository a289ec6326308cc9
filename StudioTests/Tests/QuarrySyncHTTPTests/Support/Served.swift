import AsyncHTTPClient
import Foundation
import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import QuarryBackend
import QuarryCore
import QuarrySync
import QuarrySyncHTTP
import ServiceLifecycle
import Synchronization

/// A store that is served on the loopback interface, by a router as programs have it.
final class Served: Sendable {
  static let token = "correct-horse-battery"

  private let place: Place
  let port: Int
  let faults: Faults
  private let limits: SyncServerLimits
  private let options: SyncSiteOptions?
  private let running = Mutex<Task<Void, any Error>?>(nil)

  /// Serves a store at a free port.
  init(
    _ place: Place, faults: Faults = Faults(), limits: SyncServerLimits = SyncServerLimits(),
    options: SyncSiteOptions? = nil
  ) async throws {
    self.options = options
    self.place = place
    self.faults = faults
    self.limits = limits
    let (task, port) = try await Self.serve(place.store, 0, faults, limits, options)
    self.port = port
    running.withLock { $0 = task }
  }

  deinit { running.withLock { $0?.cancel() } }

  var url: String { "http://127.0.0.1:\(port)/sync" }

  func remote(_ token: String = Served.token) throws -> SyncRemote { try .http(url, token: SyncToken(token)) }

  func stop() async {
    let task = running.withLock { task in
      defer { task = nil }
      return task
    }
    task?.cancel()
    _ = try? await task?.value
  }

  /// Serves again at the same port. A connection of another test may have the port meanwhile.
  func start() async throws {
    let end = ContinuousClock.now + .seconds(20)
    while true {
      do {
        let (task, _) = try await Self.serve(place.store, port, faults, limits, options)
        return running.withLock { $0 = task }
      } catch let error as IOError where error.errnoCode == EADDRINUSE && ContinuousClock.now < end {
        try await Task.sleep(for: .milliseconds(50))
      }
    }
  }

  private static func serve(
    _ store: Store, _ port: Int, _ faults: Faults, _ limits: SyncServerLimits, _ options: SyncSiteOptions?
  ) async throws -> (Task<Void, any Error>, Int) {
    let router = Router()
    router.add(middleware: faults)
    let token = try SyncToken(Self.token)
    if let options {
      try router.addQuarrySync(store, options)
    } else {
      try router.addQuarrySync(store, limits: limits) { token.matches($0) }
    }
    var logger = Logger(label: "test")
    logger.logLevel = .critical
    let (ports, continuation) = AsyncStream.makeStream(of: Int.self)
    let application = Application(
      router: router, configuration: .init(address: .hostname("127.0.0.1", port: port)),
      onServerRunning: { continuation.yield($0.localAddress?.port ?? 0) }, logger: logger)
    let task = Task {
      defer { continuation.finish() }
      try await run(application, logger)
    }
    for await port in ports { return (task, port) }
    try await task.value
    throw StorageError(.io, "the server did not start")
  }

  /// Runs a server until the task is cancelled. Its requests are answered first.
  fileprivate static func run(_ application: some ApplicationProtocol, _ logger: Logger) async throws {
    let group = ServiceGroup(services: [application], logger: logger)
    let running = Task { try await group.run() }
    try await withTaskCancellationHandler {
      try await running.value
    } onCancel: {
      Task { await group.triggerGracefulShutdown() }
    }
  }

  /// Sends a request as any client might.
  func send(
    _ call: String, _ body: HTTPClientRequest.Body?, method: String = "POST", headers: [String: String] = [:],
    token: String? = Served.token
  ) async throws -> (status: Int, headers: [String: String], body: [UInt8]) {
    var request = HTTPClientRequest(url: "\(url)/\(call)")
    request.method = .init(rawValue: method)
    var all = ["Quarry-Sync": "1"]
    if let token { all["Authorization"] = "Bearer \(token)" }
    all.merge(headers) { $1 }
    for (name, value) in all where !value.isEmpty { request.headers.add(name: name, value: value) }
    request.body = body
    let response = try await HTTPClient.shared.execute(request, timeout: .seconds(60))
    let bytes = try await response.body.collect(upTo: 64 << 20)
    let fields = Dictionary(response.headers.map { ($0.name.lowercased(), $0.value) }) { first, _ in first }
    return (Int(response.status.code), fields, Array(buffer: bytes))
  }
}

/// Disturbs requests, and keeps what went over the line.
final class Faults: RouterMiddleware {
  typealias Context = BasicRequestContext

  struct Exchange: Sendable {
    var call: String
    var headers: [String: String]
    var body: [UInt8]
  }

  private struct State {
    var random: Seeded?
    var seen: [Exchange] = []
    var late: [Request] = []
    var statuses: [Int] = []
  }

  private let state: Mutex<State>

  /// - Parameter seed: Of the faults; nil for none.
  init(seed: UInt64? = nil) { state = Mutex(State(random: seed.map { Seeded($0) })) }

  var seen: [Exchange] { state.withLock { $0.seen } }
  var statuses: [Int] { state.withLock { $0.statuses } }

  func end() { state.withLock { $0.random = nil } }

  func handle(
    _ request: Request, context: Context, next: (Request, Context) async throws -> Response
  ) async throws -> Response {
    let response = try await disturb(request, context, next)
    state.withLock { $0.statuses.append(Int(response.status.code)) }
    return response
  }

  private func disturb(
    _ request: Request, _ context: Context, _ next: (Request, Context) async throws -> Response
  ) async throws -> Response {
    let roll = state.withLock { state in
      state.random == nil ? nil : Int.random(in: 0..<10, using: &state.random!)
    }
    guard let roll else { return try await next(request, context) }
    var request = request
    let buffer = try await request.collectBody(upTo: 64 << 20)
    note(request, buffer)
    switch roll {
    case 0: return Self.lost
    case 1:
      // It was done, and the answer was lost.
      _ = try await next(request, context)
      return Self.lost
    case 2:
      _ = try await next(request, context)
      return try await next(request, context)
    case 3:
      // One that was seen long ago comes again.
      if let old = state.withLock({ state in state.late.randomElement() }) { _ = try await next(old, context) }
      return try await next(request, context)
    case 4:
      try await Task.sleep(for: .milliseconds(20))
      return try await next(request, context)
    default: return try await next(request, context)
    }
  }

  private static let lost = Response(status: .serviceUnavailable)

  private func note(_ request: Request, _ buffer: ByteBuffer) {
    let fields = Dictionary(request.headers.map { ($0.name.canonicalName, $0.value) }) { first, _ in first }
    let call = String(request.uri.path.split(separator: "/").last ?? "")
    state.withLock { state in
      state.late.append(request)
      state.seen.append(Exchange(call: call, headers: fields, body: Array(buffer: buffer)))
    }
  }
}

extension Served {
  /// Serves another router while the body runs.
  func serving(_ router: Router<BasicRequestContext>, _ body: @escaping @Sendable (String) async throws -> Void)
    async throws
  {
    var logger = Logger(label: "test")
    logger.logLevel = .critical
    let (ports, continuation) = AsyncStream.makeStream(of: Int.self)
    let application = Application(
      router: router, configuration: .init(address: .hostname("127.0.0.1", port: 0)),
      onServerRunning: { continuation.yield($0.localAddress?.port ?? 0) }, logger: logger)
    let task = Task { try await Self.run(application, logger) }
    for await port in ports {
      try await body("http://127.0.0.1:\(port)/sync")
      break
    }
    task.cancel()
    _ = try? await task.value
  }
}
