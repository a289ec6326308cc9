import QuarryBackend

/// Finds the columns whose values all differ, of which one can be a primary key. Hashes are compared: a column whose values
/// differ may be missed, but none is taken in which two values are equal.
///
/// Most columns repeat a value within a few rows and cost nothing from then on.
final class KeyCandidates {
  /// More values than this are not kept, so that memory is bounded: a column of more is no candidate.
  static let limit = 1 << 22

  private var seen: [Set<UInt64>?]

  /// - Parameter count: The number of columns.
  init(_ count: Int) {
    seen = Array(repeating: [], count: count)
  }

  /// Whether any column is still a candidate.
  private(set) lazy var hasAny = !seen.isEmpty

  func addColumn(isCandidate: Bool) {
    seen.append(isCandidate ? [] : nil)
    hasAny = seen.contains { $0 != nil }
  }

  /// Takes a row.
  ///
  /// - Parameter text: Gives the bytes of a column's cell; nil for nil.
  func add(_ text: (Int) -> UnsafeRawBufferPointer?) {
    for column in seen.indices where seen[column] != nil {
      add(column, text(column).map { XXH64.checksum($0) })
    }
  }

  func add(_ column: Int, _ value: JSONValue) {
    switch value {
    case .string(let text), .number(let text): add(column, text.withBytes { XXH64.checksum($0) })
    case .null, .bool, .array, .object: add(column, nil as UInt64?)
    }
  }

  private func add(_ column: Int, _ hash: UInt64?) {
    guard let count = seen[column]?.count else { return }
    if let hash, count < Self.limit, seen[column]?.insert(hash).inserted == true { return }
    seen[column] = nil
    hasAny = seen.contains { $0 != nil }
  }

  /// The columns that are unique and can be keys, those named `id` first.
  func unique(_ inference: DataFile.Inference) -> [Int] {
    guard inference.rows > 0 else { return [] }
    let found = seen.indices.filter { column in
      guard seen[column] != nil, !inference.properties[column].isOptional else { return false }
      switch inference.properties[column].type {
      case .int64, .uint64, .string, .uuid: return true
      default: return false
      }
    }
    let isNamed = { (column: Int) in inference.properties[column].name.loweredASCII.utf8.elementsEqual("id".utf8) }
    return found.filter(isNamed) + found.filter { !isNamed($0) }
  }
}
