import ArgumentParser
import BenchmarkHarness

struct ListCommand: ParsableCommand {
  static let configuration = CommandConfiguration(commandName: "list", abstract: "Names the engines and workloads.")

  func run() {
    print("Engines")
    for engine in CommandEnvironment.shared.engines {
      print("  \(engine.name): \(engine.summary), " + (engine.obstacle ?? engine.version))
    }
    print("\nWorkloads")
    for workload in Workload.all { print("  \(workload.id): \(workload.title). \(workload.explanation)") }
  }
}
