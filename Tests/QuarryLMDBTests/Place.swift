import Foundation
import QuarryBackend
import QuarryTestSupport

@testable import QuarryLMDB

/// A big-endian number, whose bytes have the order of the numbers.
func key(_ number: Int) -> [UInt8] { withUnsafeBytes(of: UInt64(number).bigEndian) { Array($0) } }

/// A folder for one test, with the path of a store in it.
final class Place: Sendable {
  private let scratch: ScratchFolder
  var folder: String { scratch.path }
  var path: String { folder + "/store.lmdb" }

  init() throws {
    scratch = try ScratchFolder()
  }

  func open(
    readOnly: Bool = false, creates: Bool = true, mapBytes: Int = 1 << 30, readers: Int = 126, path: String? = nil,
    durability: BackendManifest.Durability = .none
  ) throws(StorageError) -> LMDBEngine {
    var options = OpenOptions()
    options.isReadOnly = readOnly
    options.createsIfMissing = creates
    options.durability = durability
    options.busyTimeout = 0.2
    return try LMDBEngine(LMDBConfiguration(path: path ?? self.path, mapBytes: mapBytes, readers: readers), options)
  }
}

/// Runs a program and gives back what it printed.
func run(_ program: String, _ arguments: [String]) throws -> (status: Int32, output: String) {
  let process = Process()
  process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
  process.arguments = [program] + arguments
  let pipe = Pipe()
  process.standardOutput = pipe
  process.standardError = pipe
  try process.run()
  let output = try pipe.fileHandleForReading.readToEnd() ?? Data()
  process.waitUntilExit()
  return (process.terminationStatus, String(decoding: output, as: UTF8.self))
}
