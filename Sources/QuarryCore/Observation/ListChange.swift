/// The difference between an old and a new list, by places: deletions, insertions and moves.
///
/// Places of deletions refer to the old list, places of insertions to the new one; a move has one of each. First delete
/// everything that is deleted or moved. Then insert everything that is inserted or moved, in the order of the new places. This
/// turns the old list into the new one.
struct ListChange: Sendable, Equatable {
  struct Move: Sendable, Equatable {
    var from: Int
    var to: Int
  }

  /// Places in the old list, ascending.
  var deletions: [Int] = []
  /// Places in the new list, ascending.
  var insertions: [Int] = []
  /// In the order of the new places.
  var moves: [Move] = []

  var isEmpty: Bool { deletions.isEmpty && insertions.isEmpty && moves.isEmpty }

  /// An element of both lists that may have changed its order.
  struct Survivor {
    var old: Int
    var new: Int
  }

  /// Elements of both lists that are known to keep their relative order, each with a number. Other elements, including survivors,
  /// are deleted between them in the old list and inserted between them in the new one.
  struct Kept {
    var count: Int
    /// For each deleted or inserted element, ascending, the number of these elements before it.
    var before: (taken: [Int], put: [Int])

    func old(_ number: Int) -> Int { number + Self.upTo(number, before.taken) }
    func new(_ number: Int) -> Int { number + Self.upTo(number, before.put) }

    /// The number of the rising numbers that are not above a given one.
    private static func upTo(_ number: Int, _ numbers: [Int]) -> Int {
      numbers.indices.partitionPoint { numbers[$0] <= number }
    }
  }

  /// - Parameters:
  ///   - survivors: Those elements of both lists that may have changed their order, in the order of the old list.
  ///   - kept: The other elements of both lists.
  init(deletions: [Int], insertions: [Int], survivors: [Survivor], kept: Kept? = nil) {
    self.deletions = deletions
    self.insertions = insertions
    moves = Self.moves(survivors, kept)
  }

  init() {}

  /// A survivor, or elements one after the other that keep their order and their neighbours.
  private struct Run {
    var old: Int
    var new: Int
    var count: Int
    /// The number of the first of several; nil for a survivor.
    var first: Int?
  }

  /// The fewest moves: all elements that are not on a heaviest rising sequence of new places. If there is a choice, survivors
  /// move.
  private static func moves(_ survivors: [Survivor], _ kept: Kept?) -> [Move] {
    guard !survivors.isEmpty else { return [] }
    var runs = survivors.map { Run(old: $0.old, new: $0.new, count: 1) }
    if let kept, kept.count > 0 {
      // Between two cuts no survivor is in either list, so that the elements there move together or not at all.
      let cuts = Set(survivors.flatMap { [kept.numberAfter(old: $0.old), kept.numberAfter(new: $0.new)] })
      let starts = cuts.union([0]).filter { $0 < kept.count }.sorted()
      for (place, start) in starts.enumerated() {
        let end = place + 1 < starts.count ? starts[place + 1] : kept.count
        runs.append(Run(old: kept.old(start), new: kept.new(start), count: end - start, first: start))
      }
      runs.sort { $0.old < $1.old }
    }
    var last = -1
    let isRising = runs.allSatisfy { run in
      defer { last = run.new }
      return last < run.new
    }
    if isRising { return [] }
    var moves: [Move] = []
    let stays = heaviestRising(runs.map { ($0.new, $0.count, $0.first == nil ? 0 : $0.count) })
    for (run, stays) in zip(runs, stays) where !stays {
      guard let first = run.first, let kept else {
        moves.append(Move(from: run.old, to: run.new))
        continue
      }
      for number in first..<(first + run.count) { moves.append(Move(from: kept.old(number), to: kept.new(number))) }
    }
    return moves.sorted { $0.to < $1.to }
  }

  /// Marks the numbers on a rising subsequence of the greatest weight; of several, one of the greatest second weight. O(n log n),
  /// by a tree of the best subsequence that ends at or below each number (Fenwick 1994).
  static func heaviestRising(_ numbers: [(number: Int, weight: Int, second: Int)]) -> [Bool] {
    let ranks = Dictionary(uniqueKeysWithValues: numbers.map(\.number).sorted().enumerated().map { ($1, $0 + 1) })
    var best: [(weight: Int, second: Int, place: Int)] = Array(repeating: (0, 0, -1), count: numbers.count + 1)
    var before = [Int](repeating: -1, count: numbers.count)
    for (place, entry) in numbers.enumerated() {
      guard let rank = ranks[entry.number] else { continue }
      var found = (weight: 0, second: 0, place: -1)
      var node = rank - 1
      while node > 0 {
        if (found.weight, found.second) < (best[node].weight, best[node].second) { found = best[node] }
        node &= node - 1
      }
      before[place] = found.place
      let own = (weight: found.weight + entry.weight, second: found.second + entry.second, place: place)
      node = rank
      while node <= numbers.count {
        if (best[node].weight, best[node].second) < (own.weight, own.second) { best[node] = own }
        node += node & -node
      }
    }
    var stays = [Bool](repeating: false, count: numbers.count)
    var end = (weight: 0, second: 0, place: -1)
    for entry in best where (end.weight, end.second) < (entry.weight, entry.second) { end = entry }
    var place = end.place
    while place >= 0 {
      stays[place] = true
      place = before[place]
    }
    return stays
  }

  /// Turns the old list into the new one.
  ///
  /// - Parameter inserted: The inserted elements, in the order of their places.
  func apply<T>(to list: inout [T], inserted: [T]) {
    guard !isEmpty else { return }
    let (put, taken) = (insertions.count + moves.count, deletions.count + moves.count)
    guard put + taken > Self.few else { return applyFew(to: &list, inserted) }
    var isTaken = [Bool](repeating: false, count: list.count)
    for place in deletions { isTaken[place] = true }
    for move in moves { isTaken[move.from] = true }
    var result: [T] = []
    let count = list.count - taken + put
    result.reserveCapacity(count)
    var (old, nextInsertion, nextMove) = (0, 0, 0)
    for place in 0..<count {
      if nextInsertion < insertions.count, insertions[nextInsertion] == place {
        result.append(inserted[nextInsertion])
        nextInsertion += 1
      } else if nextMove < moves.count, moves[nextMove].to == place {
        result.append(list[moves[nextMove].from])
        nextMove += 1
      } else {
        while isTaken[old] { old += 1 }
        result.append(list[old])
        old += 1
      }
    }
    list = result
  }

  private static var few: Int { 16 }

  private func applyFew<T>(to list: inout [T], _ inserted: [T]) {
    let moved = moves.map { list[$0.from] }
    for place in (deletions + moves.map(\.from)).sorted(by: >) { list.remove(at: place) }
    var (nextInsertion, nextMove) = (0, 0)
    while nextInsertion < insertions.count || nextMove < moves.count {
      if nextMove == moves.count
        || nextInsertion < insertions.count && insertions[nextInsertion] < moves[nextMove].to
      {
        list.insert(inserted[nextInsertion], at: insertions[nextInsertion])
        nextInsertion += 1
      } else {
        list.insert(moved[nextMove], at: moves[nextMove].to)
        nextMove += 1
      }
    }
  }
}

extension ListChange.Kept {
  /// The number of kept elements before a place of the old list whose element is deleted.
  fileprivate func numberAfter(old place: Int) -> Int { Self.before(place, before.taken) }

  /// The number of kept elements before a place of the new list whose element is inserted.
  fileprivate func numberAfter(new place: Int) -> Int { Self.before(place, before.put) }

  /// The elements of one list have these numbers before them. The element at the place is the first whose number and rank add up
  /// to the place.
  private static func before(_ place: Int, _ numbers: [Int]) -> Int {
    let rank = numbers.indices.partitionPoint { numbers[$0] + $0 < place }
    return rank < numbers.count ? numbers[rank] : place
  }
}

extension Range<Int> {
  /// The first number for which a condition fails that holds for the numbers before it: O(log n).
  func partitionPoint(_ isBefore: (Int) -> Bool) -> Int {
    var (low, high) = (lowerBound, upperBound)
    while low < high {
      let middle = (low + high) / 2
      if isBefore(middle) { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
