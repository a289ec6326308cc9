/// One step of a random run whose schema changes. Numbers choose among what the reference has when the step is taken, so
/// that a list of steps is one still when some of them are taken away.
indirect enum EvolutionStep {
  /// A write transaction of these steps, whose body throws at its end or does not.
  case write([EvolutionStep], fails: Bool)
  case savepoint([EvolutionStep], fails: Bool)
  /// Pins the state under a number. What had the number is let go.
  case freeze(Int)
  /// Looks at all that the state with the number has.
  case lookAtFrozen(Int)
  case reopen
  case check
  case act(UInt64)
  /// Looks at all that the store has.
  case look

  /// The steps inside, if it can have some.
  var children: [EvolutionStep]? {
    switch self {
    case .write(let steps, _), .savepoint(let steps, _): steps
    default: nil
    }
  }

  func replacing(children: [EvolutionStep]) -> EvolutionStep {
    switch self {
    case .write(_, let fails): .write(children, fails: fails)
    case .savepoint(_, let fails): .savepoint(children, fails: fails)
    default: self
    }
  }

  /// Lists with one step less, or with a block opened, the shortest first.
  static func shorter(_ steps: [EvolutionStep]) -> [[EvolutionStep]] {
    var lists: [[EvolutionStep]] = []
    var chunk = steps.count / 2
    while chunk > 1 {
      for start in stride(from: 0, to: steps.count, by: chunk) {
        lists.append(Array(steps[..<start] + steps[min(steps.count, start + chunk)...]))
      }
      chunk /= 2
    }
    for place in steps.indices.reversed() {
      lists.append(Array(steps[..<place] + steps[(place + 1)...]))
      guard let children = steps[place].children else { continue }
      lists.append(Array(steps[..<place] + children + steps[(place + 1)...]))
      for shorter in shorter(children) {
        var copy = steps
        copy[place] = steps[place].replacing(children: shorter)
        lists.append(copy)
      }
    }
    return lists
  }

  /// Steps from a seed.
  static func steps(_ count: Int, seed: UInt64) -> [EvolutionStep] {
    // Seeds of runs lie as far apart as the states of one generator: without this, runs would be parts of each other.
    var mixed = SeededGenerator(seed: seed)
    var random = SeededGenerator(seed: mixed.next())
    var steps: [EvolutionStep] = []
    while steps.count < count { steps.append(step(&random, depth: 0)) }
    return steps + [.look, .check, .reopen, .look]
  }

  private static func step(_ random: inout SeededGenerator, depth: Int) -> EvolutionStep {
    switch Int.random(in: 0..<24, using: &random) {
    case 0...3 where depth == 0: .write(block(&random, depth), fails: Bool.random(using: &random))
    case 4...5 where depth > 0 && depth < 4: .savepoint(block(&random, depth), fails: Bool.random(using: &random))
    case 6 where depth == 0: .freeze(Int.random(in: 0...2, using: &random))
    case 7...8: .lookAtFrozen(Int.random(in: 0...2, using: &random))
    case 9 where depth == 0: .reopen
    case 10 where depth == 0: .check
    case 11...12: .look
    default: .act(random.next())
    }
  }

  private static func block(_ random: inout SeededGenerator, _ depth: Int) -> [EvolutionStep] {
    (0..<Int.random(in: 1...6, using: &random)).map { _ in step(&random, depth: depth + 1) }
  }
}
