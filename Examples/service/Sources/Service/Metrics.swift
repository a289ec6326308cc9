import Foundation
import Synchronization

/// Counts what the service has answered, for the route `/metrics` in the text format of Prometheus.
final class Metrics: Sendable {
  private struct Series: Hashable {
    var route: String
    var status: Int
  }

  private struct Figures {
    var count = 0
    var seconds = 0.0
  }

  private let figures = Mutex<[Series: Figures]>([:])

  func add(_ route: String, status: Int, seconds: Double) {
    figures.withLock { figures in
      figures[Series(route: route, status: status), default: Figures()].count += 1
      figures[Series(route: route, status: status), default: Figures()].seconds += seconds
    }
  }

  /// The counters, with gauges of the store.
  func text(_ totals: Bank.Totals) -> String {
    let series = figures.withLock { figures in figures.map { ($0, $1) } }
      .sorted { ($0.0.route, $0.0.status) < ($1.0.route, $1.0.status) }
    var lines = ["# TYPE service_requests_total counter"]
    for (series, figures) in series {
      lines.append("service_requests_total{\(Self.labels(series))} \(figures.count)")
    }
    lines.append("# TYPE service_request_seconds_total counter")
    for (series, figures) in series {
      lines.append("service_request_seconds_total{\(Self.labels(series))} \(figures.seconds)")
    }
    for (name, value) in [
      ("accounts", totals.accounts), ("balance", totals.balance), ("transfers", totals.transfers),
    ] {
      lines += ["# TYPE service_\(name) gauge", "service_\(name) \(value)"]
    }
    return lines.joined(separator: "\n") + "\n"
  }

  private static func labels(_ series: Series) -> String {
    "route=\"\(series.route)\",status=\"\(series.status)\""
  }
}
