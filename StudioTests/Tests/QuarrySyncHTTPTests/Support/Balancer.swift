import AsyncHTTPClient
import HTTPTypes
import Hummingbird
import NIOCore
import QuarrySyncHTTP
import Synchronization

/// Sends each request to the next of several servers, as a proxy in front of a hub does, and to another one where one is away.
final class Balancer: Sendable {
  private let servers: [Served]
  private let next = Atomic(0)
  private let counts = Mutex<[Int: Int]>([:])

  init(_ servers: [Served]) { self.servers = servers }

  /// How many requests each server has answered.
  var answered: [Int] { counts.withLock { counts in servers.indices.map { counts[$0] ?? 0 } } }

  /// Serves the balancer while the body runs.
  func serving(_ body: @escaping @Sendable (SyncRemote) async throws -> Void) async throws {
    let router = Router()
    router.on("/sync/**", method: .post) { [self] request, _ in try await answer(request) }
    try await servers[0].serving(router) { url in
      try await body(try .http(url, token: SyncToken(Served.token)))
    }
  }

  private func answer(_ request: Request) async throws -> Response {
    // It is sent again where a server is away.
    var request = request
    _ = try await request.collectBody(upTo: 64 << 20)
    let first = next.wrappingAdd(1, ordering: .relaxed).oldValue
    for place in servers.indices {
      let number = (first + place) % servers.count
      do {
        let target = servers[number].url + request.uri.string.dropFirst("/sync".count)
        let response = try await Self.forward(request, to: target)
        counts.withLock { $0[number, default: 0] += 1 }
        return response
      } catch {
        try Task.checkCancellation()
      }
    }
    return Response(status: .badGateway)
  }

  /// Sends a request to another address, and returns the answer as it is.
  static func forward(_ request: Request, to target: String) async throws -> Response {
    var forward = HTTPClientRequest(url: target)
    forward.method = .POST
    for field in request.headers where ![.connection, .contentLength].contains(field.name) {
      forward.headers.add(name: field.name.rawName, value: field.value)
    }
    forward.body = .bytes(try await request.body.collect(upTo: 64 << 20))
    let sent = forward
    // The connection ends with the request: a server that ends waits for those that are open. One that is away is not waited for.
    var configuration = HTTPClient.Configuration()
    configuration.connectionPool.retryConnectionEstablishment = false
    let (response, body) = try await HTTPClient.withHTTPClient(configuration: configuration) { client in
      let response = try await client.execute(sent, timeout: .seconds(60))
      return (response, try await response.body.collect(upTo: 64 << 20))
    }
    var fields = HTTPFields()
    for (name, value) in response.headers where name.lowercased() != "content-length" {
      if let name = HTTPField.Name(name) { fields[name] = value }
    }
    return Response(
      status: .init(code: Int(response.status.code)), headers: fields, body: ResponseBody(byteBuffer: body))
  }
}
