import Foundation

/// Numbers as people read them, the same in every locale.
public enum Format {
  /// Three digits and a letter: 1.23M.
  public static func rate(_ value: Double) -> String {
    switch value {
    case 1e9...: digits(value / 1e9) + "G"
    case 1e6...: digits(value / 1e6) + "M"
    case 1e3...: digits(value / 1e3) + "k"
    default: digits(value)
    }
  }

  /// Three significant digits.
  package static func digits(_ value: Double) -> String {
    guard value.isFinite else { return "–" }
    let places = abs(value) >= 99.95 ? 0 : abs(value) >= 9.995 ? 1 : 2
    return String(format: "%.\(places)f", value)
  }

  public static func ratio(_ value: Double) -> String { digits(value) + "×" }

  static func percent(_ part: Double) -> String { String(format: "%.0f %%", part * 100) }

  /// A duration given in nanoseconds.
  public static func duration(_ nanoseconds: Double) -> String {
    switch nanoseconds {
    case 1e9...: digits(nanoseconds / 1e9) + " s"
    case 1e6...: digits(nanoseconds / 1e6) + " ms"
    case 1e3...: digits(nanoseconds / 1e3) + " µs"
    default: digits(nanoseconds) + " ns"
    }
  }

  public static func bytes(_ bytes: Int) -> String {
    let value = Double(bytes)
    switch value {
    case 0x1p30...: return digits(value / 0x1p30) + " GiB"
    case 0x1p20...: return digits(value / 0x1p20) + " MiB"
    case 0x1p10...: return digits(value / 0x1p10) + " KiB"
    default: return "\(bytes) B"
    }
  }

  /// With a comma between thousands.
  public static func count(_ count: Int) -> String {
    let digits = String(count.magnitude)
    var text = count < 0 ? "-" : ""
    for (index, digit) in digits.enumerated() {
      if index > 0, (digits.count - index) % 3 == 0 { text += "," }
      text.append(digit)
    }
    return text
  }

  /// A rate of a workload in its own way of display.
  static func figure(_ rate: Double, _ display: Workload.Display) -> String {
    switch display {
    case .rate: Format.rate(rate) + "/s"
    case .milliseconds: rate > 0 ? digits(1000 / rate) + " ms" : "–"
    }
  }
}
