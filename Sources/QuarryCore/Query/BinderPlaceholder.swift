import QuarryBackend
enum NearestName { static func suggestion(for n: String, among: [String]) -> String { "" } }
struct QueryBinder { func slot(_ n: String) throws(StorageError) -> Int { 0 }
 init(_ m: ModelSchema) {}
 func bind(_ q: QueryTree, projection: [String]?) throws(StorageError) -> BoundQuery { BoundQuery(model: ModelID(0), order: []) }
 func bind(_ q: QueryTree, groups: [String], columns: [(AggregateFunction, String?)]) throws(StorageError) -> BoundAggregate { throw StorageError(.io, "") }
 func bind(_ a: [AssignmentTree]) throws(StorageError) -> [BoundAssignment] { [] } }
extension QueryTree { var fingerprint: UInt64 { 0 } }
extension Value { func converted(to t: PropertyType, element: PropertyType?) throws(StorageError) -> Value { self } }
