import BenchmarkHarness
import Synchronization

/// The program's name and its engines: set once at the start, because the argument parser makes the commands.
final class CommandEnvironment: Sendable {
  static let shared = CommandEnvironment()

  private let content = Mutex<(name: String, engines: [BenchmarkEngine])>(("quarry-bench", []))

  func set(name: String, engines: [BenchmarkEngine]) {
    content.withLock { $0 = (name, engines) }
  }

  var name: String { content.withLock { $0.name } }
  var engines: [BenchmarkEngine] { content.withLock { $0.engines } }

  func engine(named name: String) throws -> BenchmarkEngine {
    guard let engine = engines.first(where: { $0.name == name }) else {
      throw BenchmarkError("no engine is called \(name); there are: \(engines.map(\.name).joined(separator: ", "))")
    }
    return engine
  }
}

/// Lists written with commas.
enum List {
  static func items(_ text: String) -> [String] {
    text.split(separator: ",").map { String($0.trimming()) }.filter { !$0.isEmpty }
  }

  /// Sizes such as `10k,100000,1M`.
  static func sizes(_ text: String) throws -> [Int] {
    var sizes: [Int] = []
    for item in items(text) {
      let factor = item.last == "k" ? 1000 : item.last == "M" ? 1_000_000 : 1
      guard let number = Int(factor == 1 ? item[...] : item.dropLast()), number > 0 else {
        throw BenchmarkError("\(item) is not a size: a number of objects such as 10k, 100000 or 1M")
      }
      let (size, overflow) = number.multipliedReportingOverflow(by: factor)
      guard !overflow, size <= 100_000_000 else { throw BenchmarkError("\(item) is more than 100M, the largest size") }
      sizes.append(size)
    }
    guard !sizes.isEmpty else { throw BenchmarkError("no size is given") }
    return Set(sizes).sorted()
  }
}

extension Substring {
  fileprivate func trimming() -> Substring {
    var text = self
    while text.first == " " { text.removeFirst() }
    while text.last == " " { text.removeLast() }
    return text
  }
}
