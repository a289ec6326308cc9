public import Foundation

extension ConformanceReport {
  /// The report, with sorted members, so that two reports can be compared line by line.
  public func json() throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    return String(decoding: try encoder.encode(self), as: UTF8.self) + "\n"
  }

  /// Reads a report from its JSON.
  public init(json: Data) throws {
    self = try JSONDecoder().decode(ConformanceReport.self, from: json)
    guard format == Self.format else {
      throw DecodingError.dataCorrupted(
        DecodingError.Context(codingPath: [], debugDescription: "a report of the format \(format)"))
    }
  }

  private struct Badge: Codable {
    var schemaVersion = 1
    var label: String
    var message: String
    var color: String
  }

  /// The badge as shields.io reads it from an endpoint.
  public func badge() throws -> String {
    let color =
      switch status {
      case .awarded: deviations.isEmpty ? "brightgreen" : "yellow"
      case .failed: "red"
      case .incomplete: deviations.isEmpty ? "lightgrey" : "yellow"
      case .suiteError: "lightgrey"
      }
    let message =
      switch status {
      case .awarded: claim
      case .failed: "\(claim), failing"
      case .incomplete: "\(claim), incomplete"
      case .suiteError: "suite error"
      }
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys]
    let badge = Badge(label: "Quarry conformance \(manifest.contract)", message: message, color: color)
    return String(decoding: try encoder.encode(badge), as: UTF8.self) + "\n"
  }
}
