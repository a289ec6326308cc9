#if HTTP
  import HTTPTypes
  import Hummingbird
  import NIOCore
  import QuarryBackend

  /// An answer that says no: a status, a kind for programs and a sentence for people.
  struct SyncRefusal: Error {
    var status: Int
    var problem: SyncProblem.Kind
    var text: String
    var fields: [(String, String)] = []

    static let token = SyncRefusal(
      status: 401, problem: .token, text: "The server refuses the token.", fields: [("WWW-Authenticate", "Bearer")])
    static let busy = SyncRefusal(
      status: 503, problem: .busy, text: "The server has too much to do; ask again later.",
      fields: [("Retry-After", "1")])
    static let late = SyncRefusal(
      status: 408, problem: .noConnection, text: "The body of the request came too slowly.")
    static let version = SyncRefusal(
      status: 426, problem: .version,
      text: "The server uses version \(SyncHeaders.currentVersion) of the sync protocol, and the client another one.",
      fields: [("Upgrade", "quarry-sync/\(SyncHeaders.currentVersion)")])
    static let models = SyncRefusal(
      status: 409, problem: .models, text: "The synced models of the server and of the client differ.")
    static let unknown = SyncRefusal(
      status: 404, problem: .malformed, text: "There is no such request of sync.")
    static let notSynced = SyncRefusal(
      status: 503, problem: .busy, text: "The server's store is not ready for sync.", fields: [("Retry-After", "5")])

    static let coding = SyncRefusal(
      status: 415, problem: .malformed,
      text: "The server reads bodies that are plain or compressed with gzip, and no others.")

    static func tooLarge(_ limit: Int) -> SyncRefusal {
      SyncRefusal(
        status: 413, problem: .tooLarge, text: "The request is larger than the \(limit) bytes that the server takes.")
    }

    static func schema(_ minimum: Int) -> SyncRefusal {
      SyncRefusal(
        status: 426, problem: .upgrade,
        text: "The server sends changes to programs whose models have version \(minimum) or later.",
        fields: [("Upgrade", "quarry-sync/\(SyncHeaders.currentVersion)")])
    }

    /// A refusal of bytes that were not read.
    init(reading error: StorageError) {
      switch error.code {
      case .limitExceeded:
        self.init(status: 413, problem: .tooLarge, text: "The request has a message that is too large.")
      case .schemaTooNew: self = .version
      default: self.init(status: 400, problem: .malformed, text: "The bytes of the request are damaged.")
      }
    }

    /// A refusal because of the store. What it holds is not in the text.
    init(using error: StorageError) {
      if let problem = SyncProblem(error) {
        self.init(status: problem.kind == .hub ? 403 : 409, problem: problem.kind, text: problem.description)
        return
      }
      switch error.code {
      case .busy, .inUse, .unavailable, .closed, .commitUnknown, .unsupported, .notFound: self = .notSynced
      case .full: self.init(status: 507, problem: .busy, text: "The disk of the server is full.")
      case .invalidValue, .missingValue:
        self.init(status: 400, problem: .malformed, text: "The request has a value that does not fit its property.")
      case .limitExceeded:
        self.init(status: 413, problem: .tooLarge, text: "The request exceeds a limit of the server's store.")
      default: self.init(status: 500, problem: .server, text: "The server could not read or write its store.")
      }
    }

    init(status: Int, problem: SyncProblem.Kind, text: String, fields: [(String, String)] = []) {
      self.status = status
      self.problem = problem
      self.text = text
      self.fields = fields
    }

    var answer: SyncAnswer {
      SyncAnswer(
        status: status, type: "text/plain; charset=utf-8", Array("\(text)\n".utf8),
        fields + [(SyncHeaders.problem, problem.rawValue)])
    }
  }

  /// An answer before it becomes a response.
  struct SyncAnswer: Sendable {
    var status: Int
    var type: String
    var body: [UInt8]
    var fields: [(String, String)]

    init(
      status: Int = 200, type: String = SyncHeaders.contentType, _ body: [UInt8], _ fields: [(String, String)] = []
    ) {
      self.status = status
      self.type = type
      self.body = body
      self.fields = fields
    }

    /// The response, with the headers that each has.
    ///
    /// - Parameter isCompressed: Whether the client reads gzip. A body that is small, or does not become smaller, is plain anyway.
    func response(isCompressed: Bool) -> Response {
      var headers = HTTPFields()
      headers[.contentType] = type
      var all =
        fields + [
          (SyncHeaders.version, SyncHeaders.currentVersion), ("Cache-Control", "no-store"),
          ("X-Content-Type-Options", "nosniff"), ("Accept-Encoding", Gzip.coding),
        ]
      let packed = isCompressed ? Gzip.compressed(body) : nil
      if packed != nil { all.append(("Content-Encoding", Gzip.coding)) }
      for (name, value) in all {
        if let name = HTTPField.Name(name) { headers[name] = value }
      }
      return Response(
        status: .init(code: status), headers: headers,
        body: ResponseBody(byteBuffer: ByteBuffer(bytes: packed ?? body)))
    }
  }
#endif
