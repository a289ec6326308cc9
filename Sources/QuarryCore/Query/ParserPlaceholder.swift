import QuarryBackend
enum PredicateParser { static func parse(_ text: String, arguments: [Value]) throws(StorageError) -> PredicateTree { .constant(true) } }
enum SortParser { static func parse(_ text: String) throws(StorageError) -> [QueryTree.SortKey] { [] } }
