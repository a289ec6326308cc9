#if HTTP
  import CZlib

  /// Bodies in HTTP's content coding gzip, by the zlib of the system.
  enum Gzip {
    static let coding = "gzip"
    /// Smaller bodies are sent as they are.
    static let leastBytes = 1_024

    enum Failure: Error {
      /// The bytes are no gzip, are cut, or have something behind their end.
      case damaged
      /// The content has more bytes than are taken.
      case tooLarge
    }

    /// For zlib: the largest window, in the format gzip.
    private static let window: Int32 = 15 + 16

    /// Whether a body is large enough to be compressed.
    static func isWorth(_ bytes: [UInt8]) -> Bool { bytes.count >= leastBytes }

    /// - Returns: The bytes in the coding; nil where that saves nothing.
    static func compressed(_ bytes: [UInt8]) -> [UInt8]? {
      guard isWorth(bytes), let input = UInt32(exactly: bytes.count) else { return nil }
      return withStream { stream in
        let size = Int32(MemoryLayout<z_stream>.size)
        guard
          deflateInit2_(
            stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, window, 8, Z_DEFAULT_STRATEGY, zlibVersion(), size) == Z_OK
        else { return nil }
        defer { deflateEnd(stream) }
        // What would become larger finds no room.
        let room = bytes.count - 1
        var isDone = false
        let output = [UInt8](unsafeUninitializedCapacity: room) { output, count in
          bytes.withUnsafeBufferPointer { source in
            stream.pointee.next_in = UnsafeMutablePointer(mutating: source.baseAddress)
            stream.pointee.avail_in = input
            stream.pointee.next_out = output.baseAddress
            stream.pointee.avail_out = UInt32(room)
            isDone = deflate(stream, Z_FINISH) == Z_STREAM_END
            count = room - Int(stream.pointee.avail_out)
          }
        }
        return isDone ? output : nil
      }
    }

    /// The content of bytes in the coding.
    ///
    /// - Parameter limit: The most bytes that the content may have. It is not made further than that.
    static func inflated(_ bytes: [UInt8], upTo limit: Int) throws(Failure) -> [UInt8] {
      guard let input = UInt32(exactly: bytes.count) else { throw .tooLarge }
      let result: Result<[UInt8], Failure> = withStream { stream in
        guard inflateInit2_(stream, window, zlibVersion(), Int32(MemoryLayout<z_stream>.size)) == Z_OK else {
          return .failure(.damaged)
        }
        defer { inflateEnd(stream) }
        return bytes.withUnsafeBufferPointer { source in
          stream.pointee.next_in = UnsafeMutablePointer(mutating: source.baseAddress)
          stream.pointee.avail_in = input
          return inflated(stream, upTo: limit)
        }
      }
      return try result.get()
    }

    private static func inflated(
      _ stream: UnsafeMutablePointer<z_stream>, upTo limit: Int
    ) -> Result<[UInt8], Failure> {
      var output: [UInt8] = []
      while true {
        // One byte more than the limit shows that there is more.
        let start = output.count
        let room = min(max(start, 64 << 10), max(0, limit - start) + 1)
        output.append(contentsOf: repeatElement(0, count: room))
        let status = output.withUnsafeMutableBufferPointer { output in
          stream.pointee.next_out = output.baseAddress.map { $0 + start }
          stream.pointee.avail_out = UInt32(room)
          return inflate(stream, Z_NO_FLUSH)
        }
        let isFull = stream.pointee.avail_out == 0
        output.removeLast(Int(stream.pointee.avail_out))
        guard output.count <= limit else { return .failure(.tooLarge) }
        switch status {
        case Z_STREAM_END: return stream.pointee.avail_in == 0 ? .success(output) : .failure(.damaged)
        case Z_OK where isFull: continue
        default: return .failure(.damaged)
        }
      }
    }

    /// Calls the body with a stream at a place that it keeps: zlib notes the place.
    private static func withStream<R>(_ body: (UnsafeMutablePointer<z_stream>) -> R) -> R {
      let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
      stream.initialize(to: z_stream())
      defer {
        stream.deinitialize(count: 1)
        stream.deallocate()
      }
      return body(stream)
    }

    /// Whether a field such as `Accept-Encoding` lists the coding, and does not exclude it.
    static func isAccepted(in field: String?) -> Bool {
      guard let field else { return false }
      return field.split(separator: ",").contains { item in
        let parts = item.split(separator: ";").map { $0.filter { !$0.isWhitespace }.lowercased() }
        guard let name = parts.first, name == coding || name == "*" else { return false }
        guard let weight = parts.dropFirst().first(where: { $0.hasPrefix("q=") }) else { return true }
        return Double(weight.dropFirst(2)).map { $0 > 0 } ?? false
      }
    }
  }
#endif
