public import Foundation
public import QuarryBackend

/// How a store is copied to another place.
public struct CopyOptions: Sendable {
  /// Whether everything is read again at the destination and compared. It takes about as long as reading both stores once.
  public var isVerified = true
  /// How the destination is opened.
  public var destination = OpenOptions()
  /// How the source is opened, beside that it is opened for reading.
  public var source = OpenOptions()
  /// Is told of the rows that were copied, and of those that were compared. Cancelled, it ends the copy with
  /// `CancellationError`; the next copy goes on where it stopped.
  public var progress: Progress?

  public init() {}

  /// Options that are all as usual but for the progress.
  public init(progress: Progress?) {
    self.progress = progress
  }
}
