import Foundation
import Synchronization

/// The kit's runs without a live mutant: they must pass, and they tell which places are reached, and how long a run takes.
final class Controls: Sendable {
  struct Control: Codable {
    var seconds: Double
    /// The ids of the mutants whose places were reached.
    var reached: Set<String>
  }

  private let known: Mutex<[String: Control]>

  init(_ known: [String: Control]) { self.known = Mutex(known) }

  var all: [String: Control] { known.withLock { $0 } }

  /// - Parameter ids: The mutants by their numbers.
  func control(_ kit: KitRun, _ ids: [Int: String], _ folder: URL) throws -> Control {
    let name = "\(kit.engine) \(kit.plan)"
    if let control = known.withLock({ $0[name] }) { return control }
    let reached = folder.appending(path: "reached-\(kit.engine)-\(kit.plan)")
    try? FileManager.default.removeItem(at: reached)
    let trial = try kit.run(mutant: nil, within: 7200, reached: reached.path)
    guard trial.end == .passed else {
      throw Problem(
        "without a mutant the kit does not pass on \(name): \(trial.finder): \(trial.message ?? "no message")")
    }
    let bytes = try Data(contentsOf: reached)
    let places = ids.filter { $0.key < bytes.count && bytes[bytes.startIndex + $0.key] != 0 }
    let control = Control(seconds: trial.seconds, reached: Set(places.values))
    known.withLock { $0[name] = control }
    return control
  }
}
