import NIOCore
import NIOPosix
import Synchronization

/// A proxy that cuts each connection after a random number of bytes, until the test stops it.
final class CuttingProxy: Sendable {
  let port: Int
  private let channel: any Channel
  private let cuts: Cuts

  final class Cuts: Sendable {
    private let random: Mutex<Seeded?>
    let most: Int
    init(_ seed: UInt64, most: Int) {
      random = Mutex(Seeded(seed))
      self.most = most
    }
    /// The bytes after which a connection is cut; nil for never.
    func next() -> Int? {
      random.withLock { random in
        guard var numbers = random else { return nil }
        defer { random = numbers }
        return Int.random(in: 1...most, using: &numbers)
      }
    }
    func end() { random.withLock { $0 = nil } }
  }

  init(to port: Int, seed: UInt64, most: Int) async throws {
    let cuts = Cuts(seed, most: most)
    let group = MultiThreadedEventLoopGroup.singleton
    channel = try await ServerBootstrap(group: group)
      .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
      .childChannelInitializer { inner in
        let left = Relay(cuts.next())
        return ClientBootstrap(group: inner.eventLoop).channelInitializer { outer in
          outer.eventLoop.makeCompletedFuture {
            try outer.pipeline.syncOperations.addHandler(Relay(cuts.next(), to: inner))
          }
        }.connect(host: "127.0.0.1", port: port).flatMapThrowing { outer in
          left.connect(outer)
          try inner.pipeline.syncOperations.addHandler(left)
        }
      }
      .bind(host: "127.0.0.1", port: 0).get()
    self.cuts = cuts
    self.port = channel.localAddress?.port ?? 0
  }

  deinit { channel.close(promise: nil) }

  func end() { cuts.end() }
}

/// Hands the bytes of one side to the other.
private final class Relay: ChannelInboundHandler, @unchecked Sendable {
  typealias InboundIn = ByteBuffer

  private var left: Int?
  private var other: (any Channel)?

  init(_ bytes: Int?, to other: (any Channel)? = nil) {
    left = bytes
    self.other = other
  }

  func connect(_ other: any Channel) { self.other = other }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    var buffer = unwrapInboundIn(data)
    if let bytes = left, bytes < buffer.readableBytes {
      if let part = buffer.readSlice(length: bytes) { other?.writeAndFlush(part, promise: nil) }
      other?.close(promise: nil)
      context.close(promise: nil)
      return
    }
    if let bytes = left { left = bytes - buffer.readableBytes }
    other?.writeAndFlush(buffer, promise: nil)
  }

  func channelInactive(context: ChannelHandlerContext) {
    other?.close(promise: nil)
    other = nil
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}
