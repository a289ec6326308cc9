/// The settings of a Studio.
public struct StudioOptions: Sendable {
  /// The title of the pages: a name of the store.
  public var title: String
  /// Whether objects can be changed. Without it every change is refused.
  public var allowsWriting: Bool
  /// The path under which the pages are, without a slash at its end; empty for the root.
  public var path: String
  /// The names that the `Host` header of a request may have, without ports.
  public var hosts: Set<String>
  /// The port that the `Host` header must have; any when nil.
  public var port: Int?
  /// The seconds after which a page answers that its query takes too long.
  public var queryTime: Double
  /// The most bytes of a form.
  public var bodyBytes: Int
  /// The most bytes of a file to import.
  public var uploadBytes: Int

  /// The names of the loopback interface.
  public static let loopback: Set<String> = ["127.0.0.1", "localhost", "[::1]"]

  /// Settings that allow reading only, from this machine.
  ///
  /// - Parameters:
  ///   - title: The title of the pages: a name of the store.
  ///   - allowsWriting: Whether objects can be changed.
  ///   - path: The path under which the pages are, such as `/studio`; empty for the root.
  ///   - hosts: The names that the `Host` header of a request may have, without ports.
  ///   - port: The port that the `Host` header must have; any when nil.
  ///   - queryTime: The seconds after which a page answers that its query takes too long.
  ///   - bodyBytes: The most bytes of a form: 2 MiB by default.
  ///   - uploadBytes: The most bytes of a file to import: 256 MiB by default.
  public init(
    title: String = "Quarry", allowsWriting: Bool = false, path: String = "", hosts: Set<String> = loopback,
    port: Int? = nil,
    queryTime: Double = 5, bodyBytes: Int = 2 << 20, uploadBytes: Int = 256 << 20
  ) {
    self.title = title
    self.allowsWriting = allowsWriting
    self.path = path
    self.hosts = hosts
    self.port = port
    self.queryTime = queryTime
    self.bodyBytes = bodyBytes
    self.uploadBytes = uploadBytes
  }
}
