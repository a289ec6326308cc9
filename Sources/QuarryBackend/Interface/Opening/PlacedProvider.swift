/// A provider whose store is at a path of the file system, where a whole store can be put in one step.
///
/// A copy, or another call that fills a new store, creates it there in one step with the mark of an unfinished store. At other
/// places the store is created first and marked then.
public protocol PlacedProvider: ScratchProvider {
  /// The path of the store; nil where it has none, such as in memory.
  var storePath: String? { get }
}
