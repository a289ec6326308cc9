import Foundation
import QuarryCore
import QuarryData

/// The report of a rehearsal as people read it.
enum MigrationText {
  static func lines(_ report: MigrationReport) -> [String] {
    var lines: [String] = []
    lines += part("steps:", report.steps.map(step))
    lines += part("lost:", report.losses.map(loss))
    lines += part("cannot be converted:", report.failures.map(failure))
    if report.storedVersion != report.version {
      lines.append("version: \(report.storedVersion), then \(report.version)")
    }
    if let before = report.bytesBefore, let after = report.bytesAfter {
      lines.append("bytes: \(before), then \(after)")
    }
    if let error = report.error {
      lines.append(ErrorReport.line(error))
    } else {
      lines.append("succeeds on a copy, in \(seconds(report.seconds)) s")
    }
    return lines
  }

  private static func part(_ title: String, _ lines: [String]) -> [String] {
    lines.isEmpty ? [] : [title] + lines.map { "  " + $0.escapedForDisplay }
  }

  private static func step(_ step: MigrationReport.Step) -> String {
    guard step.rowsRead > 0 || step.rowsWritten > 0 || step.seconds > 0 else { return step.text }
    let read = CountText.rows(step.rowsRead)
    return "\(step.text): \(read) read, \(step.rowsWritten) written, \(seconds(step.seconds)) s"
  }

  private static func loss(_ loss: MigrationReport.Loss) -> String {
    let objects = objects(loss.count, loss.keys)
    return loss.property.map { "\(loss.model).\($0) of \(objects)" } ?? "\(objects) of \(loss.model)"
  }

  private static func failure(_ failure: MigrationReport.Failure) -> String {
    "\(failure.model).\(failure.property) of \(objects(failure.count, failure.keys))"
  }

  private static func objects(_ count: Int, _ keys: [String]) -> String {
    let more = count > keys.count ? ", …" : ""
    return "\(count) \(count == 1 ? "object" : "objects") (\(keys.joined(separator: ", "))\(more))"
  }

  private static func seconds(_ seconds: Double) -> String { String(format: "%.2f", seconds) }
}
