#if HTTP
  public import Hummingbird
  import HTTPTypes
  import NIOCore
  import QuarryBackend
  public import QuarryCore

  /// A Studio that is part of a server.
  public struct Studio: Sendable {
    let site: StudioSite

    /// The path and the query of the address that opens a session in one browser: it works once. Nil when it was used.
    public var entry: String? {
      site.guardian.entryToken.map { "\(site.options.path)/?token=\($0)" }
    }
  }

  extension RouterMethods {
    /// Adds the pages of a Studio over a store to the router of a program.
    ///
    /// ```swift
    /// let studio = try router.addQuarryStudio(store, options: StudioOptions(title: "books", path: "/studio"))
    /// print("http://127.0.0.1:8080\(studio.entry ?? "")")
    /// ```
    ///
    /// Studio reads the store of this process, and so also a store in memory. Use it in debug builds: its session can read
    /// every object.
    ///
    /// - Returns: The Studio, whose ``Studio/entry`` is the address to open.
    /// - Throws: `invalidValue` for a path without a slash at its beginning or with one at its end.
    @discardableResult
    public func addQuarryStudio(_ store: Store, options: StudioOptions) throws -> Studio {
      let path = options.path
      guard path.isEmpty || path.hasPrefix("/") && !path.hasSuffix("/") else {
        throw StorageError(.invalidValue, "the path of Studio begins with a slash and does not end with one")
      }
      let site = StudioSite(store, options, try MustachePages())
      let answer: @Sendable (Request, Context) async throws -> Response = { request, _ in
        try await site.response(to: request)
      }
      on(RouterPath("\(path)/"), method: .get, use: answer)
      on(RouterPath("\(path)/**"), method: .get, use: answer)
      on(RouterPath("\(path)/**"), method: .post, use: answer)
      return Studio(site: site)
    }
  }

  extension StudioSite {
    fileprivate func response(to request: Request) async throws -> Response {
      var asked = StudioRequest(path: String(request.uri.path.dropFirst(options.path.utf8.count)))
      asked.method = request.method == .post ? .post : .get
      asked.query = FormText(parsing: (request.uri.query ?? "").utf8)
      asked.host = request.head.authority
      asked.cookie = request.headers[.cookie]
      asked.origin = request.headers[.origin]
      asked.fetchSite = HTTPField.Name("Sec-Fetch-Site").flatMap { request.headers[$0] }
      asked.accept = request.headers[.accept]
      asked.contentType = request.headers[.contentType]
      if asked.method == .post {
        do {
          asked.body = Array(buffer: try await request.body.collect(upTo: options.bodyBytes))
        } catch is NIOTooManyBytesError {
          return tooLarge()
        }
      }
      return Response(await respond(to: asked))
    }

    private func tooLarge() -> Response {
      var response = StudioResponse(413, "text/plain; charset=utf-8", "The request is too large.\n".utf8)
      response.headers = StudioResponse.fixedHeaders
      return Response(response)
    }
  }

  extension Response {
    fileprivate init(_ response: StudioResponse) {
      var fields = HTTPFields()
      fields[.contentType] = response.contentType
      for header in response.headers {
        if let name = HTTPField.Name(header.name) { fields[name] = header.value }
      }
      self.init(
        status: .init(code: response.status), headers: fields,
        body: ResponseBody(byteBuffer: ByteBuffer(bytes: response.body)))
    }
  }
#endif
