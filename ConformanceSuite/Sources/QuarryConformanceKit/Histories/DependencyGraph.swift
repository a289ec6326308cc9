/// Which transaction must come before which, and why.
struct DependencyGraph {
  enum Reason: String, Hashable {
    /// Wrote the version after the one that the first wrote.
    case writeWrite = "ww"
    /// Read what the first wrote.
    case writeRead = "wr"
    /// Wrote the version after the one that the first read.
    case readWrite = "rw"
    /// Began after the first had ended.
    case realtime = "rt"
  }

  struct Edge: Hashable {
    let to: Int
    let reason: Reason
  }

  private(set) var edges: [[Edge]]

  init(count: Int) {
    edges = Array(repeating: [], count: count)
  }

  mutating func add(_ from: Int, _ reason: Reason, _ to: Int) {
    let edge = Edge(to: to, reason: reason)
    if from != to, !edges[from].contains(edge) { edges[from].append(edge) }
  }

  /// The groups of transactions that reach each other by these reasons (Tarjan 1972), without recursion: histories are
  /// longer than stacks are deep.
  func components(_ reasons: Set<Reason>) -> [[Int]] {
    var index = [Int?](repeating: nil, count: edges.count)
    var low = [Int](repeating: 0, count: edges.count)
    var isOpen = [Bool](repeating: false, count: edges.count)
    var open: [Int] = []
    var counter = 0
    var result: [[Int]] = []
    for root in edges.indices where index[root] == nil {
      var work: [(node: Int, next: Int)] = [(root, 0)]
      while let (node, next) = work.popLast() {
        if next == 0 {
          index[node] = counter
          low[node] = counter
          counter += 1
          open.append(node)
          isOpen[node] = true
        }
        var place = next
        var child: Int?
        while place < edges[node].count, child == nil {
          let edge = edges[node][place]
          place += 1
          guard reasons.contains(edge.reason) else { continue }
          if let seen = index[edge.to] {
            if isOpen[edge.to] { low[node] = min(low[node], seen) }
          } else {
            child = edge.to
          }
        }
        if let child {
          // The child is looked at first, and its edge once more after it.
          work.append((node, place))
          work.append((child, 0))
          continue
        }
        if low[node] == index[node] {
          var component: [Int] = []
          while let last = open.popLast() {
            isOpen[last] = false
            component.append(last)
            if last == node { break }
          }
          if component.count > 1 { result.append(component) }
        }
        if let parent = work.last?.node { low[parent] = min(low[parent], low[node]) }
      }
    }
    return result
  }

  /// The shortest way from one to another by these reasons, inside some transactions.
  func path(_ from: Int, _ to: Int, _ reasons: Set<Reason>, inside: Set<Int>) -> [(reason: Reason, to: Int)]? {
    var came: [Int: (from: Int, reason: Reason)] = [:]
    var queue = [from]
    var head = 0
    while head < queue.count {
      let node = queue[head]
      head += 1
      for edge in edges[node] where reasons.contains(edge.reason) && inside.contains(edge.to) && came[edge.to] == nil {
        came[edge.to] = (node, edge.reason)
        if edge.to == to {
          var path: [(reason: Reason, to: Int)] = []
          var place = to
          repeat {
            guard let step = came[place] else { return nil }
            path.append((step.reason, place))
            place = step.from
          } while place != from
          return path.reversed()
        }
        queue.append(edge.to)
      }
    }
    return nil
  }
}
