import QuarryBackend
import QuarryCore

/// The objects of stores that cases damage, which a second process compares with what it reads.
package enum DamageSamples {
  /// A text of one item, which stands in its row and in an index.
  package static let code = "findme-0000000017-in-row-and-index"
  package static let items = (0..<400).map { Item($0, code: $0 == 17 ? code : "code \($0)", rank: $0, name: "n\($0)") }

  /// Items of several pages each.
  package static let largeItems = (0..<12).map { id in
    Item(id, rank: id, note: (0..<1_400).map { "\(id) \($0 * 7_919 % 10_007) " }.joined())
  }

  /// Objects of several pages each whose last property is the large one: nothing else stands behind its last part.
  package static let largeNotes = (100..<112).map { Note(filling: $0, byteCount: 9_000 + $0 * 10) }
}
