/// Makes a list of commands that fails into a short one that fails: chunks are taken away from the back, then single
/// commands, then blocks are opened, then arguments are made simpler, until nothing more can go.
struct Shrinker {
  /// How often the commands may be run.
  private var budget: Int
  private let fails: ([Command]) -> Bool

  init(budget: Int, fails: @escaping ([Command]) -> Bool) {
    self.budget = budget
    self.fails = fails
  }

  mutating func shrink(_ commands: [Command]) -> [Command] {
    var best = commands
    var size = Int.max
    repeat {
      size = Self.size(best)
      best = shorten(best) { $0 }
      best = simplify(best)
    } while Self.size(best) < size && budget > 0
    return best
  }

  /// What shrinking makes smaller.
  private static func size(_ commands: [Command]) -> Int {
    Command.count(commands) * 10_000 + CommandText.code(commands).utf8.count
  }

  private mutating func stillFails(_ commands: [Command]) -> Bool {
    guard budget > 0 else { return false }
    budget -= 1
    return fails(commands)
  }

  /// Takes away what can go of a list, which stands somewhere in the whole.
  private mutating func shorten(_ list: [Command], _ whole: ([Command]) -> [Command]) -> [Command] {
    var list = list
    var chunk = max(1, list.count / 2)
    while !list.isEmpty {
      var end = list.count
      while end > 0 {
        let start = max(0, end - chunk)
        let candidate = Array(list[..<start] + list[end...])
        if stillFails(whole(candidate)) { list = candidate }
        end = start
      }
      if chunk == 1 { break }
      chunk /= 2
    }
    for place in list.indices.reversed() {
      guard let children = list[place].children else { continue }
      let opened = Array(list[..<place] + children + list[(place + 1)...])
      if stillFails(whole(opened)) {
        list = opened
        continue
      }
      let command = list[place]
      let current = list
      let inner = shorten(children) { children in
        var copy = current
        copy[place] = command.replacing(children: children)
        return whole(copy)
      }
      list[place] = command.replacing(children: inner)
    }
    return list
  }

  private mutating func simplify(_ commands: [Command]) -> [Command] {
    simplify(commands) { $0 }
  }

  private mutating func simplify(_ list: [Command], _ whole: ([Command]) -> [Command]) -> [Command] {
    var list = list
    for place in list.indices {
      var goesOn = true
      while goesOn && budget > 0 {
        goesOn = false
        for candidate in list[place].simpler {
          var copy = list
          copy[place] = candidate
          guard stillFails(whole(copy)) else { continue }
          list = copy
          goesOn = true
          break
        }
      }
      guard let children = list[place].children else { continue }
      let command = list[place]
      let current = list
      let inner = simplify(children) { children in
        var copy = current
        copy[place] = command.replacing(children: children)
        return whole(copy)
      }
      list[place] = command.replacing(children: inner)
    }
    return list
  }
}
