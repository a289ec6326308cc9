#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The names of quarantined stores: `library.db.quarantine-20260131T235959Z`, in UTC.
///
/// `-2` and so on is appended if there is one of that second already.
public enum QuarantineName {
  /// The text between the name of the store and the time.
  package static let infix = ".quarantine-"

  /// A name that nothing has.
  ///
  /// - Parameters:
  ///   - place: The path or the name of the store.
  ///   - isTaken: Whether something has the name.
  /// - Throws: The errors of the closure.
  public static func free(
    for place: String, isTaken: (String) throws(StorageError) -> Bool
  ) throws(StorageError) -> String {
    try TimeStamp.freeName(place + infix, isTaken: isTaken)
  }
}

/// The time as it stands in the names of files.
package enum TimeStamp {
  /// A name that nothing has: the beginning and the time, with `-2` and so on where there is one of that second already.
  package static func freeName(
    _ beginning: String, isTaken: (String) throws(StorageError) -> Bool
  ) throws(StorageError) -> String {
    let base = beginning + now
    var name = base
    var number = 1
    while try isTaken(name) {
      number += 1
      name = "\(base)-\(number)"
    }
    return name
  }

  /// Whether bytes are a time as ``freeName(_:isTaken:)`` puts it at the end of a name.
  package static func isEnding(_ bytes: Substring.UTF8View) -> Bool {
    func isNumber(_ bytes: some Collection<UInt8>) -> Bool {
      !bytes.isEmpty && bytes.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    }
    let parts = bytes.split(separator: UInt8(ascii: "Z"), maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2 else { return false }
    let time = parts[0].split(separator: UInt8(ascii: "T"), omittingEmptySubsequences: false)
    guard time.count == 2, time[0].count >= 8, time[1].count == 6, time.allSatisfy({ isNumber($0) }) else {
      return false
    }
    return parts[1].isEmpty || parts[1].first == UInt8(ascii: "-") && isNumber(parts[1].dropFirst())
  }

  /// `20260131T235959Z`
  package static var now: String {
    // Not `time`, whose clock may be some milliseconds behind, and so in the second before what another clock says.
    var clock = timespec()
    clock_gettime(CLOCK_REALTIME, &clock)
    var now = clock.tv_sec
    var parts = tm()
    gmtime_r(&now, &parts)
    func text(_ number: Int, _ digits: Int) -> String {
      let text = String(number)
      return String(repeating: "0", count: max(0, digits - text.utf8.count)) + text
    }
    return text(Int(parts.tm_year) + 1900, 4) + text(Int(parts.tm_mon) + 1, 2) + text(Int(parts.tm_mday), 2) + "T"
      + text(Int(parts.tm_hour), 2) + text(Int(parts.tm_min), 2) + text(Int(parts.tm_sec), 2) + "Z"
  }
}
