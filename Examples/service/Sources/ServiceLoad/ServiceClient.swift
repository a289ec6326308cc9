import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

struct AccountBody: Codable, Sendable, Hashable {
  var id: Int
  var owner: String
  var balance: Int
}

struct TransferBody: Codable, Sendable, Hashable {
  var id: UUID
  var from: Int
  var to: Int
  var amount: Int
}

/// One service, as its clients see it.
struct ServiceClient: Sendable {
  let base: URL

  private static let session: URLSession = {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.timeoutIntervalForRequest = 30
    configuration.httpMaximumConnectionsPerHost = 64
    return URLSession(configuration: configuration)
  }()

  /// Throws `Wrong` for a status that is not accepted.
  @discardableResult
  func send(_ method: String, _ path: String, _ body: some Encodable, accepting: Set<Int>) async throws -> Int {
    var request = URLRequest(url: base.appending(path: path))
    request.httpMethod = method
    request.setValue("application/json", forHTTPHeaderField: "Content-Type")
    request.httpBody = try JSONEncoder().encode(body)
    let (_, response) = try await Self.session.data(for: request)
    let status = (response as? HTTPURLResponse)?.statusCode ?? 0
    guard accepting.contains(status) else { throw Wrong("\(method) \(path): status \(status)") }
    return status
  }

  func get<Body: Decodable>(_ path: String, as type: Body.Type) async throws -> Body {
    let (data, response) = try await Self.session.data(from: base.appending(path: path))
    let status = (response as? HTTPURLResponse)?.statusCode ?? 0
    guard status == 200 else { throw Wrong("GET \(path): status \(status)") }
    return try JSONDecoder().decode(type, from: data)
  }
}
