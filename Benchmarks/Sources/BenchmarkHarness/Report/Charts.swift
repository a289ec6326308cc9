import Foundation

/// The pictures of a report, each a piece of SVG that scales to the width it is given.
struct Charts {
  let report: BenchmarkReport

  private static let width = 360.0

  /// The place of an engine among the colours.
  func color(_ engine: String) -> Int {
    (report.engines.firstIndex { $0.name == engine } ?? 0) % HTMLReport.colors
  }

  private func isPeer(_ engine: String) -> Bool {
    report.engines.first { $0.name == engine }?.isQuarry == false
  }

  // MARK: Bars

  struct Bar {
    var engine: String
    var value: Double
    var text: String
  }

  /// Bars beside each other, the longest over the whole width.
  ///
  /// - Parameter longest: What the whole width stands for; longer bars are cut, and end in an arrow.
  func bars(_ bars: [Bar], longest: Double? = nil, label: String) -> String {
    let longest = longest ?? bars.map(\.value).max() ?? 0
    let row = 20.0
    let left = 76.0
    let room = Self.width - left - 124
    var content = ""
    for (index, bar) in bars.enumerated() {
      let y = Double(index) * row
      let isCut = bar.value > longest
      let length = longest > 0 ? min(bar.value / longest, 1) * room : 0
      content += SVG.text(left - 6, y + 14, bar.engine, anchor: "end", style: "name")
      content += SVG.bar(left, y + 4, length, row - 7, color: color(bar.engine))
      content += SVG.text(left + max(length, 1) + 5, y + 14, (isCut ? "→ " : "") + bar.text, style: "figure")
    }
    return SVG.image(Self.width, Double(bars.count) * row + 2, label: label, content)
  }

  /// The rates of a workload at a size.
  func rates(_ work: BenchmarkReport.Work, _ size: Int) -> String? {
    let bars = report.engines.compactMap { engine -> Bar? in
      guard let rate = report.result(work.id, engine.name, size)?.rates.median, rate > 0 else { return nil }
      var text = Format.figure(rate, work.display)
      if let ratio = report.ratio(work.id, engine.name, size) { text += "  " + Format.ratio(ratio.median) }
      return Bar(engine: engine.name, value: work.display == .rate ? rate : 1 / rate, text: text)
    }
    guard !bars.isEmpty else { return nil }
    // Beside commits to memory those to a disk could not be told apart: who is not durable sets no measure there.
    let durable = report.engines.filter { $0.durability != .none }.map(\.name)
    let measure = bars.filter { durable.contains($0.engine) }.map(\.value).max()
    return self.bars(
      bars, longest: work.isBoundByCommits ? measure : nil,
      label: "\(work.title) at \(Format.count(size)) objects")
  }

  /// A figure of the footprints of a size.
  func footprints(_ size: Int, _ label: String, _ value: (BenchmarkReport.Footprint) -> Int?) -> String? {
    let bars = report.engines.compactMap { engine -> Bar? in
      guard let footprint = report.footprint(engine.name, size), let bytes = value(footprint) else { return nil }
      return Bar(
        engine: engine.name, value: Double(bytes),
        text: "\(Format.bytes(bytes))  \(bytes / max(1, size)) B each")
    }
    return bars.isEmpty ? nil : self.bars(bars, label: label)
  }

  // MARK: Lines

  private struct Series {
    var engine: String
    /// Places across from 0 to 1, and values.
    var points: [(place: Double, value: Double)]
  }

  /// Lines over a logarithmic axis of nanoseconds.
  private func lines(_ series: [Series], ticks: [(place: Double, text: String)], label: String) -> String {
    let values = series.flatMap { $0.points.map(\.value) }.filter { $0 > 0 }
    guard let least = values.min(), let most = values.max() else { return "" }
    let (left, right, top, height) = (50.0, 10.0, 8.0, 150.0)
    let low = floor(log10(least) * 2) / 2
    let high = max(low + 0.5, ceil(log10(most) * 2) / 2)
    func x(_ place: Double) -> Double { left + place * (Self.width - left - right) }
    func y(_ value: Double) -> Double { top + height * (1 - (log10(max(value, least)) - low) / (high - low)) }
    var content = ""
    // Whole powers of ten, or where there is only one of them also three times those.
    let isNarrow = floor(high) - ceil(low) < 1
    for power in Int(floor(low))...Int(ceil(high)) {
      for factor in isNarrow ? [1.0, 2, 5] : [1.0] {
        let value = factor * pow(10, Double(power))
        guard log10(value) >= low - 0.001, log10(value) <= high + 0.001 else { continue }
        content += SVG.line(left, y(max(value, least)), Self.width - right, y(max(value, least)), style: "grid")
        content += SVG.text(left - 5, y(max(value, least)) + 4, Self.tick(value), anchor: "end", style: "axis")
      }
    }
    for tick in ticks {
      content += SVG.line(x(tick.place), top, x(tick.place), top + height, style: "grid")
      let anchor = tick.place == 0 ? "start" : tick.place == 1 ? "end" : "middle"
      content += SVG.text(x(tick.place), top + height + 15, tick.text, anchor: anchor, style: "axis")
    }
    for one in series {
      content += SVG.path(
        one.points.map { (x($0.place), y($0.value)) }, color: color(one.engine), isDashed: isPeer(one.engine))
    }
    return SVG.image(Self.width, top + height + 22, label: label, content)
  }

  private static func tick(_ nanoseconds: Double) -> String {
    switch nanoseconds {
    case 1e9...: "\(Int((nanoseconds / 1e9).rounded())) s"
    case 1e6...: "\(Int((nanoseconds / 1e6).rounded())) ms"
    case 1e3...: "\(Int((nanoseconds / 1e3).rounded())) µs"
    default: nanoseconds >= 1 ? "\(Int(nanoseconds.rounded())) ns" : Format.digits(nanoseconds) + " ns"
    }
  }

  /// The latencies of a workload at a size, from the median to the rarest.
  func latencies(_ work: BenchmarkReport.Work, _ size: Int) -> String? {
    // The further right, the rarer: each nine takes as much room as the one before.
    func place(_ percentile: Double) -> Double {
      let rarest = -log10(1 - 99.99 / 100)
      return -log10(1 - percentile / 100) / rarest
    }
    let series = report.engines.compactMap { engine -> Series? in
      guard let latency = report.result(work.id, engine.name, size)?.latency,
        latency.curve.count == LatencySummary.places.count
      else { return nil }
      // A percentile that fewer than two samples lie beyond says nothing.
      let points = zip(LatencySummary.places, latency.curve)
        .filter { $0.0 == 0 || Double(latency.count) * (1 - $0.0 / 100) >= 2 }
        .map { (place: place($0.0), value: $0.1) }
      return Series(engine: engine.name, points: points)
    }
    guard !series.isEmpty else { return nil }
    let ticks = [(0.0, "p0"), (90.0, "p90"), (99.0, "p99"), (99.9, "p99.9"), (99.99, "p99.99")]
    return lines(
      series, ticks: ticks.map { (place($0.0), $0.1) },
      label: "Latency of \(work.title) at \(Format.count(size)) objects")
  }

  /// The cost of an operation by size.
  func growth(_ work: BenchmarkReport.Work) -> String? {
    let sizes = report.sizes
    guard let first = sizes.first, let last = sizes.last, last > first else { return nil }
    func place(_ size: Int) -> Double { log(Double(size) / Double(first)) / log(Double(last) / Double(first)) }
    let series = report.engines.compactMap { engine -> Series? in
      let points = sizes.compactMap { size in
        report.result(work.id, engine.name, size).map { (place: place(size), value: 1e9 / $0.rates.median) }
      }
      return points.count > 1 ? Series(engine: engine.name, points: points) : nil
    }
    guard !series.isEmpty else { return nil }
    return lines(
      series, ticks: sizes.map { (place($0), Format.count($0)) }, label: "Cost of \(work.title) by size")
  }
}
