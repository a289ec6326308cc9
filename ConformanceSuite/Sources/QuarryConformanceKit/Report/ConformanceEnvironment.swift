import Foundation

/// Where a run took place, without anything that names the machine or its user.
public struct ConformanceEnvironment: Codable, Sendable, Equatable {
  /// The operating system and its version.
  public var system: String
  /// The architecture of the processor.
  public var architecture: String
  /// The version of the compiler.
  public var swift: String
  /// The number of processors.
  public var processors: Int
  /// Whether the kit was built for debugging.
  public var isDebugBuild: Bool

  /// The environment of this process.
  public static let current = ConformanceEnvironment(
    system: ProcessInfo.processInfo.operatingSystemVersionString, architecture: architectureName, swift: swiftVersion,
    processors: ProcessInfo.processInfo.activeProcessorCount, isDebugBuild: isDebug)

  private static var architectureName: String {
    #if arch(x86_64)
      "x86_64"
    #elseif arch(arm64)
      "arm64"
    #else
      "other"
    #endif
  }

  /// The language offers only comparisons.
  private static var swiftVersion: String {
    #if compiler(>=6.5)
      "6.5 or later"
    #elseif compiler(>=6.4)
      "6.4"
    #elseif compiler(>=6.3.1)
      "6.3.1 or a later 6.3"
    #elseif compiler(>=6.3)
      "6.3"
    #else
      "6.2"
    #endif
  }

  private static var isDebug: Bool {
    #if DEBUG
      true
    #else
      false
    #endif
  }
}
