/// A provider whose store is at a path of the file system, where a whole store can be put in one step.
///
/// What fills a new store, such as a copy, makes it with the mark of an unfinished one in a single step there. At other
/// places the store is made first and marked then.
public protocol PlacedProvider: ScratchProvider {
  /// The path of the store; nil where it has none, such as in memory.
  var storePath: String? { get }
}
