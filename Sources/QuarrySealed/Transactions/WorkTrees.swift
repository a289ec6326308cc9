import QuarryKeyValue

/// The trees that a write transaction has read, by their numbers.
///
/// They are asked for several times with each change, and most transactions have few: these are found by a walk, without
/// hashing.
struct WorkTrees {
  typealias WorkTree = SealedWriteTransaction.WorkTree

  /// How many trees are walked through.
  private static let few = 12
  private var trees: [TreeID] = []
  private var works: [WorkTree] = []
  /// Where each tree is, when there are more than few.
  private var places: [TreeID: Int] = [:]

  @inline(__always)
  private func place(_ tree: TreeID) -> Int? {
    if trees.count > Self.few { return places[tree] }
    return trees.withUnsafeBufferPointer { trees in
      var place = 0
      while place < trees.count {
        if trees[place] == tree { return place }
        place &+= 1
      }
      return nil
    }
  }

  /// In the order in which they were first read, until one is removed.
  var ids: [TreeID] { trees }

  subscript(tree: TreeID) -> WorkTree? {
    @inline(__always) get { place(tree).map { works[$0] } }
    set {
      switch (place(tree), newValue) {
      case (let place?, let work?): works[place] = work
      case (nil, let work?):
        trees.append(tree)
        works.append(work)
        if trees.count == Self.few + 1 { note() } else if trees.count > Self.few { places[tree] = trees.count - 1 }
      case (let place?, nil):
        trees.remove(at: place)
        works.remove(at: place)
        places = [:]
        if trees.count > Self.few { note() }
      case (nil, nil): break
      }
    }
  }

  private mutating func note() {
    for (place, tree) in trees.enumerated() { places[tree] = place }
  }
}
