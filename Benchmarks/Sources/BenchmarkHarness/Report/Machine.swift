import Foundation

/// The machine of a run: what its figures depend on, and nothing that names it or its user.
public struct Machine: Sendable, Codable, Equatable {
  public var processor: String
  public var cores: Int
  public var memoryBytes: Int
  public var system: String
  /// The kind of the file system under the stores.
  public var fileSystem: String

  public init(processor: String, cores: Int, memoryBytes: Int, system: String, fileSystem: String) {
    self.processor = processor
    self.cores = cores
    self.memoryBytes = memoryBytes
    self.system = system
    self.fileSystem = fileSystem
  }

  /// This machine.
  public static func current(folder: String) -> Machine {
    let information = ProcessInfo.processInfo
    return Machine(
      processor: processorName() ?? "unknown", cores: information.activeProcessorCount,
      memoryBytes: Int(information.physicalMemory),
      system: systemName() ?? information.operatingSystemVersionString, fileSystem: Files.fileSystem(folder))
  }

  private static func processorName() -> String? {
    let text = try? String(contentsOfFile: "/proc/cpuinfo", encoding: .utf8)
    return value(of: "model name", in: text, separator: ":")
  }

  private static func systemName() -> String? {
    let text = try? String(contentsOfFile: "/etc/os-release", encoding: .utf8)
    let name = value(of: "PRETTY_NAME", in: text, separator: "=")?.replacingOccurrences(of: "\"", with: "")
    // The version alone: what follows it may tell who built it.
    let release = try? String(contentsOfFile: "/proc/sys/kernel/osrelease", encoding: .utf8)
    let kernel = release.map { $0.prefix { $0.isNumber || $0 == "." } }
    return name.map { $0 + (kernel.map { ", kernel \($0)" } ?? "") }
  }

  private static func value(of key: String, in text: String?, separator: Character) -> String? {
    guard let line = text?.split(separator: "\n").first(where: { $0.hasPrefix(key) }) else { return nil }
    return line.split(separator: separator, maxSplits: 1).last.map { $0.trimmingCharacters(in: .whitespaces) }
  }

  /// Bytes of memory that programs can still take; nil where it cannot be asked.
  static func availableMemory() -> Int? {
    guard let text = try? String(contentsOfFile: "/proc/meminfo", encoding: .utf8) else { return nil }
    return kilobytes(of: "MemAvailable", in: text).map { $0 * 1024 }
  }

  /// The most memory that this process has had resident; nil where it cannot be asked.
  static func peakMemory() -> Int? { status("VmHWM") }

  /// The memory that this process has resident now.
  static func residentMemory() -> Int? { status("VmRSS") }

  /// The part of the resident memory that is not the content of files.
  static func anonymousMemory() -> Int? { status("RssAnon") }

  private static func status(_ key: String) -> Int? {
    guard let text = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8) else { return nil }
    return kilobytes(of: key, in: text).map { $0 * 1024 }
  }

  private static func kilobytes(of key: String, in text: String) -> Int? {
    value(of: key, in: text, separator: ":").flatMap { $0.split(separator: " ").first }.flatMap { Int($0) }
  }
}
