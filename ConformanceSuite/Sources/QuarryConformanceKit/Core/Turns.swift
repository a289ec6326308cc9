/// Which of the many tries of a case are made: all of them, or a part in a quick run, always the same.
package final class Turns {
  private let step: Int
  private let offset: Int
  private var count = 0

  private init(step: Int, offset: Int) {
    self.step = step
    self.offset = offset
  }

  /// All tries.
  package static var all: Turns { Turns(step: 1, offset: 0) }

  /// In a quick run the first four tries and one in `step` of the others; cases with different offsets make different ones.
  package convenience init(_ kit: ConformanceContext, step: Int = 3, offset: Int = 0) {
    self.init(step: kit.triesFew ? step : 1, offset: offset)
  }

  /// Whether the try that comes now is made.
  package func next() -> Bool {
    defer { count += 1 }
    return count < 4 || (count + offset) % step == 0
  }
}

extension ConformanceContext {
  /// How often a case repeats what it tries: as often as it says, or a fifth of that in a quick run, and at least twice.
  package func tries(_ whole: Int) -> Int { triesFew ? max(min(whole, 2), whole / 5) : whole }
}
