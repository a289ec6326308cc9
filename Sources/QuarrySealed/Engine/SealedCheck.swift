import QuarryBackend
import QuarryKeyValue

/// Opens every page of a state and checks its content.
struct SealedCheck {
  private(set) var defects: [String] = []
  private let reader: PageReader
  /// The pages that are reached.
  private var reached: Set<UInt64> = []

  init(_ reader: PageReader) { self.reader = reader }

  mutating func run(_ state: RootState, name: String) throws(StorageError) {
    defects += try StoredEnvelope.read(reader.base, of: name)?.defects ?? []
    for record in state.record.trees {
      visit(record.root, level: nil, lower: nil, upper: nil, "tree \(record.tree)")
    }
    try lookForOthers(state.record.nextPage)
  }

  private mutating func visit(
    _ reference: PageReference, level: Int?, lower: [UInt8]?, upper: [UInt8]?, _ place: String
  ) {
    do throws(StorageError) {
      guard reached.insert(reference.page).inserted else { throw .damaged("page \(reference.page) is used twice") }
      let node = try reader.load(reference, level: level)
      checkKeys(node, lower: lower, upper: upper, place)
      for index in 0..<node.count {
        if node.level > 0 {
          visit(
            node.reference(index), level: node.level - 1, lower: index == 0 ? lower : Array(node.key(index)),
            upper: index + 1 < node.count ? Array(node.key(index + 1)) : upper, place)
        } else if node.value(index) == nil {
          let chain = node.reference(index)
          // Asked before, so that values that are one are read once.
          guard !reached.contains(chain.page) else { throw .damaged("page \(chain.page) is used twice") }
          for page in try reader.visit(chain, { _, _, _ in }) where !reached.insert(page).inserted {
            throw .damaged("page \(page) is used twice")
          }
        }
      }
    } catch {
      defects.append("\(place): \(error.message)")
    }
  }

  private mutating func checkKeys(_ node: SealedNode, lower: [UInt8]?, upper: [UInt8]?, _ place: String) {
    var last = lower
    for index in node.firstKey..<node.count {
      let key = Array(node.key(index))
      let isFirst = index == node.firstKey
      // The least key of a node may be the one that its parent has for it.
      if let last, isFirst ? key.lexicographicallyPrecedes(last) : !last.lexicographicallyPrecedes(key) {
        defects.append("\(place), page \(node.page): entry \(index) is out of order")
      }
      if let upper, !key.lexicographicallyPrecedes(upper) {
        defects.append("\(place), page \(node.page): entry \(index) belongs to the next page")
      }
      last = key
    }
  }

  /// Looks for pages that nothing refers to.
  private mutating func lookForOthers(_ nextPage: UInt64) throws(StorageError) {
    let others = try unreached(reader.base)
    if others.count > 0 {
      defects.append("\(others.count) sealed pages belong to nothing, page \(others[0]) among them")
    }
    if let last = reached.max(), last >= nextPage {
      defects.append("page \(last) has a number that is not allocated yet")
    }
  }

  private func unreached(_ base: some KeyValueReadTransaction) throws(StorageError) -> [UInt64] {
    var cursor = try base.cursor(SealedTrees.pages, .all, descending: false)
    var others: [UInt64] = []
    while let (key, _) = try cursor.next() {
      guard key.count == 8 else { throw .damaged("a page has a name of \(key.count) bytes") }
      let page = UInt64(bigEndian: key.loadUnaligned(as: UInt64.self))
      // 0 is a slot of the key.
      if page != 0, !reached.contains(page) { others.append(page) }
    }
    return others
  }
}
