import BenchmarkCommand
import BenchmarkEngines
import BenchmarkHarness
import Foundation
public import QuarryBackend

/// The benchmark for the author of an engine: one line in a program of their own.
///
/// ```swift
/// import QuarryBenchmarkCommand
///
/// BenchmarkCommandLine.main("my-store", version: "1.2") { folder in MyProvider(path: folder + "/store") }
/// ```
///
/// The program takes the flags of `quarry-bench` and measures the engine beside those of Quarry:
/// `swift run -c release my-store-bench --engines my-store,sqlite`.
public enum BenchmarkCommandLine {
  /// Measures an engine, and ends the process.
  ///
  /// - Parameters:
  ///   - name: The name of the engine in flags and reports.
  ///   - summary: What it is, in a few words; its name when it is left out.
  ///   - version: The version of the library underneath.
  ///   - peer: Which of Quarry's engines it is compared with.
  ///   - place: The place of a store in a folder that is there.
  public static func main(
    _ name: String, summary: String? = nil, version: String, peer: String = "sqlite",
    place: @escaping @Sendable (_ folder: String) throws -> any BackendProvider
  ) -> Never {
    do {
      let engine = try BenchmarkEngine(
        quarry: name, summary: summary ?? name, version: version, peer: peer, place: place)
      let program = URL(fileURLWithPath: CommandLine.arguments[0]).lastPathComponent
      QuarryBench.main(program, engines: [engine] + EngineList.all)
      exit(0)
    } catch {
      try? FileHandle.standardError.write(contentsOf: Data("error: \(name) cannot be opened: \(error)\n".utf8))
      exit(1)
    }
  }
}
