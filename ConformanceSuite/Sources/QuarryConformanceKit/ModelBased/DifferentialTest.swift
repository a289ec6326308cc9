import QuarryBackend
import QuarryCore

/// Runs random commands on the stores of several harnesses and on the reference, and compares every answer.
///
/// A run is made of its seed alone: the same seed gives the same commands on any machine. Each run has stores of its own.
public struct DifferentialTest: Sendable {
  /// What a run that failed came down to.
  public struct Failure: Error, CustomStringConvertible {
    /// The seed that repeats the failure.
    public let seed: UInt64
    /// How many commands are left after shrinking, those in blocks included.
    public let commandCount: Int
    /// The commands as Swift code.
    public let code: String
    /// The command whose answers differ, and the answers.
    public let difference: String

    public var description: String {
      """
      seed \(seed): \(difference)
      after \(commandCount) commands:
      \(code)
      """
    }
  }

  /// The harnesses whose engines are compared.
  public var harnesses: [any ConformanceHarness]
  /// How often the commands of a failure may be run to make them fewer.
  public var shrinkBudget = 1_500

  /// Creates a test that compares the engines of the harnesses.
  public init(_ harnesses: [any ConformanceHarness]) {
    self.harnesses = harnesses
  }

  /// Runs the commands of a seed.
  ///
  /// - Parameter steps: How many commands, those in blocks included.
  /// - Returns: How many there were in fact.
  /// - Throws: ``Failure`` with a short list of commands when two answers differ.
  @discardableResult
  public func run(seed: UInt64, steps: Int = 200) throws -> Int {
    var generator = CommandGenerator(seed: seed)
    let commands = generator.commands(steps)
    guard try difference(commands) != nil else { return Command.count(commands) }
    var shrinker = Shrinker(budget: shrinkBudget) { (try? difference($0)) ?? nil != nil }
    let shortest = shrinker.shrink(commands)
    throw Failure(
      seed: seed, commandCount: Command.count(shortest), code: CommandText.code(shortest),
      difference: try difference(shortest) ?? "the difference is not there every time")
  }

  /// What the commands of a seed come to on the reference: how often each kind of command gave what kind of answer.
  ///
  /// A random test that mostly misses proves little; this shows whether it does.
  public static func outcomes(seed: UInt64, steps: Int = 200) -> [String: Int] {
    var generator = CommandGenerator(seed: seed)
    let reference = ReferenceStore()
    reference.run(generator.commands(steps))
    return reference.outcomes
  }

  /// The first difference between the answers, in words.
  private func difference(_ commands: [Command]) throws -> String? {
    let reference = ReferenceStore()
    reference.run(commands)
    var first: (name: String, steps: [CommandRunner.Step])?
    for harness in harnesses {
      let steps = try steps(commands, harness)
      let names = reference.answers.count == steps.count
      for (place, step) in steps.enumerated() {
        var others: [(String, Answer)] = []
        if names { others.append(("the reference", reference.answers[place])) }
        if let first, place < first.steps.count { others.append((first.name, first.steps[place].answer)) }
        for (name, answer) in others where !step.answer.agrees(with: answer) {
          let code = CommandText.code([step.command])
          return "\(code)\n    \(harness.name): \(step.answer)\n    \(name): \(answer)"
        }
      }
      guard names else {
        return "\(harness.name) ran \(steps.count) commands, the reference \(reference.answers.count)"
      }
      if first == nil { first = (harness.name, steps) }
    }
    return nil
  }

  private func steps(_ commands: [Command], _ harness: any ConformanceHarness) throws -> [CommandRunner.Step] {
    let place = try harness.makePlace()
    defer { harness.remove(place) }
    let runner = try CommandRunner(place, isPersistent: harness.isPersistent)
    defer { runner.close() }
    runner.run(commands)
    return runner.steps
  }
}
