#if HTTP
  /// The limits of a server of sync. A request past one is refused, and changes nothing.
  public struct SyncServerLimits: Sendable {
    /// The most bytes of a request's body. One transaction of a client must find room in it.
    public var bodyBytes = 16 << 20
    /// The bytes of an answer, where it has more than one message.
    public var partBytes = 1 << 20
    /// The most requests that are answered at once.
    public var requests = 32
    /// The most clients that wait for changes at once.
    public var waiting = 1_000
    /// The longest time that a client may wait for changes.
    public var wait = Duration.seconds(25)
    /// The longest time for the body of a request to arrive.
    public var bodyTime = Duration.seconds(30)
    /// The time after which a server takes no further transaction of a request. The client sends the rest again.
    public var workTime = Duration.seconds(10)

    /// Limits for a server of small machines.
    public init() {}
  }
#endif
