import Foundation

/// The processor time of a group of processes.
enum ProcessorTime {
  /// What a group has used since it was made, with those of its processes that have ended and were waited for, and whether one
  /// of its processes was stopped by somebody; nil where the system does not tell.
  static func used(byGroup group: pid_t) -> (seconds: Double, isStopped: Bool)? {
    #if os(Linux)
      let ticks = Double(sysconf(Int32(_SC_CLK_TCK)))
      guard ticks > 0, let names = try? FileManager.default.contentsOfDirectory(atPath: "/proc") else { return nil }
      var (used, isStopped) = (0.0, false)
      for name in names where name.utf8.first.map({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }) == true {
        guard let text = try? String(contentsOfFile: "/proc/\(name)/stat", encoding: .utf8) else { continue }
        guard let stat = Stat(text), stat.group == group else { continue }
        used += stat.ticks / ticks
        if stat.isStopped { isStopped = true }
      }
      return (used, isStopped)
    #else
      return nil
    #endif
  }

  /// A line of `/proc/N/stat`.
  struct Stat: Equatable {
    let group: pid_t
    let isStopped: Bool
    /// Of the process and of its children that were waited for.
    let ticks: Double

    init?(_ text: String) {
      // The program's name stands in brackets, and may itself hold spaces and brackets.
      guard let name = text.lastIndex(of: ")") else { return nil }
      let fields = text[text.index(after: name)...].split(separator: " ")
      guard fields.count > 14, let group = pid_t(fields[2]) else { return nil }
      self.group = group
      isStopped = fields[0] == "T"
      ticks = fields[11...14].reduce(0) { $0 + (Double($1) ?? 0) }
    }
  }
}
