public import Foundation
public import QuarryBackend

/// The options for copying a store to another place.
public struct CopyOptions: Sendable {
  /// Whether everything is read again at the destination and compared. It takes about as long as reading both stores once.
  public var isVerified = true
  /// The options for opening the destination.
  public var destination = OpenOptions()
  /// The options of opening the source, in addition to opening it for reading.
  public var source = OpenOptions()
  /// Reports the rows that were copied, and the rows that were compared.
  ///
  /// When it is cancelled, the copy ends with `CancellationError`; the next copy continues where it stopped.
  public var progress: Progress?

  /// Creates the default options.
  public init() {}

  /// Default options with the given progress.
  ///
  /// - Parameter progress: Reports the rows that were copied and compared, and ends the copy when it is cancelled; nil for none.
  public init(progress: Progress?) {
    self.progress = progress
  }
}
