#if HTTP
  public import Hummingbird
  import HTTPTypes
  import NIOCore
  import QuarryBackend
  import QuarryData
  import ServiceLifecycle
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
    /// - Parameters:
    ///   - store: An open store of this process.
    ///   - options: The settings; their path is where the pages are.
    /// - Returns: The Studio, whose ``Studio/entry`` is the address to open.
    /// - Throws: `invalidValue` for a path without a slash at its beginning or with one at its end.
    @discardableResult
    public func addQuarryStudio(_ store: Store, options: StudioOptions = StudioOptions()) throws -> Studio {
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
      asked.lastEvent = HTTPField.Name("Last-Event-ID").flatMap { request.headers[$0] }
      asked.uploadToken = HTTPField.Name("X-Studio-Token").flatMap { request.headers[$0] }
      if asked.method == .post, asked.page == "upload" {
        do {
          try checkUpload(asked)
          asked.file = try await file(of: request.body)
        } catch is NIOTooManyBytesError {
          return tooLarge()
        } catch {
          var refused = refusal(error, asked)
          refused.headers += StudioResponse.fixedHeaders
          return Response(refused)
        }
      } else if asked.method == .post {
        do {
          asked.body = Array(buffer: try await request.body.collect(upTo: options.bodyBytes))
        } catch is NIOTooManyBytesError {
          return tooLarge()
        }
      }
      return Response(await respond(to: asked))
    }

    /// The body of an upload as a file, in bounded memory.
    private func file(of body: RequestBody) async throws -> SpooledInput {
      let file = try SpooledInput(named: "the file")
      var bytes = 0
      for try await part in body {
        bytes += part.readableBytes
        guard bytes <= options.uploadBytes else { throw NIOTooManyBytesError(maxBytes: options.uploadBytes) }
        try file.append(Array(buffer: part)[...])
      }
      return file
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
      let body =
        switch response.body {
        case .bytes(let bytes): ResponseBody(byteBuffer: ByteBuffer(bytes: bytes))
        case .file(let file): Self.body(file)
        case .events(let events): Self.body(events)
        }
      self.init(status: .init(code: response.status), headers: fields, body: body)
    }

    private static func body(_ file: SpooledInput) -> ResponseBody {
      ResponseBody { writer in
        let source = try ByteSource(file)
        var chunk = [UInt8](repeating: 0, count: 1 << 16)
        while true {
          let count = try chunk.withUnsafeMutableBytes { try source.read(into: $0) }
          if count == 0 { break }
          try await writer.write(ByteBuffer(bytes: chunk[..<count]))
        }
        try await writer.finish(nil)
      }
    }

    private static func body(_ events: LiveEvents) -> ResponseBody {
      ResponseBody { writer in
        let stream = events.start()
        defer { stream.end() }
        // A server that shuts down waits for its connections.
        try await withGracefulShutdownHandler {
          for await text in stream.texts { try await writer.write(ByteBuffer(string: text)) }
        } onGracefulShutdown: {
          stream.end()
        }
        try await writer.finish(nil)
      }
    }
  }
#endif
