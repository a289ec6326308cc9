import Foundation
import QuarryConformance
import QuarryData
import Synchronization

/// The command `planted-faults`: runs the kit on every planted fault and writes the report.
public enum PlantedFaultsCommand {
  /// - Parameter arguments: Those of the process, without its name.
  /// - Returns: The exit code: 0 when every fault was killed, 1 when one was not, 2 for wrong arguments.
  public static func run(_ arguments: [String]) -> Int32 {
    if arguments.first == ConformanceChild.argument { return runSecondProcess(arguments.dropFirst()) }
    var names: [String] = []
    var options: [String: String] = [:]
    var (isMatrix, isSound) = (false, false)
    var rest = arguments[...]
    while let argument = rest.popFirst() {
      switch argument {
      case "--matrix": isMatrix = true
      case "--sound": isSound = true
      case "--markdown", "--json", "--jobs", "--hints":
        guard let value = rest.popFirst() else { return usage() }
        options[argument] = value
      case _ where argument.hasPrefix("-"): return usage()
      default: names.append(argument)
      }
    }
    let faults = PlantedFaults.all.filter { fault in
      names.isEmpty || names.contains { fault.id == $0 || fault.group == $0 }
    }
    guard !faults.isEmpty else { return usage() }
    let jobs = options["--jobs"].flatMap { Int($0) } ?? 2
    let trial = FaultTrial()
    if isSound {
      let killers = options["--hints"].map { Set(FaultReport.killers(inFileAt: $0).values) }
      let failures = trial.soundFailures(killers, jobs: jobs)
      for failure in failures { say(failure) }
      return failures.isEmpty ? 0 : 1
    }
    let hints = options["--hints"].map { FaultReport.killers(inFileAt: $0) } ?? [:]
    let verdicts = trial.verdicts(on: faults, jobs: jobs, hints: hints) { verdict in
      let killer = verdict.killer?.name ?? "SURVIVED"
      say("\(verdict.fault.id): \(killer) (\(verdict.runs) runs, \(Int(verdict.milliseconds)) ms)")
    }
    let cases = isMatrix ? Self.cases(faults, jobs: jobs) : nil
    let report = FaultReport(verdicts, cases)
    do {
      if let path = options["--markdown"] { try OutputFile.write(report.markdown, to: path, replacing: true) }
      if let path = options["--json"] {
        try OutputFile.write(String(decoding: report.json(), as: UTF8.self), to: path, replacing: true)
      }
    } catch {
      say("the report cannot be written: \(error.localizedDescription)")
      return 2
    }
    say(report.summary)
    return report.survivors.isEmpty ? 0 : 1
  }

  /// The second process of a store with a fault, which the kit starts.
  private static func runSecondProcess(_ arguments: ArraySlice<String>) -> Int32 {
    guard let fault = arguments.first.flatMap({ KeyFault(rawValue: $0) }) else { return usage() }
    return ConformanceChild.run(Array(arguments.dropFirst()), on: SealedFileHarness(key: fault))
  }

  private static func usage() -> Int32 {
    say(
      """
      usage: planted-faults [FAULT|GROUP ...] [--markdown FILE] [--json FILE] [--hints FILE] [--jobs N]
                            [--matrix | --sound]

      Runs the conformance kit on backends that are wrong on purpose, and says which case finds each.
      --hints names an earlier JSON report: what found a fault then is run first.
      --sound runs every case, or those that the hints name, on the ways in which faults are planted, without a fault:
        none may fail.
      --matrix runs every case on faults until it finds one, too, and lists the cases that find none.
      """)
    return 2
  }

  private static func cases(_ faults: [PlantedFault], jobs: Int) -> [CaseTrial.Verdict] {
    CaseTrial(faults).verdicts(jobs: jobs) { verdict in
      if verdict.finding != .own || verdict.milliseconds > 2000 {
        let fault = verdict.fault ?? "no fault"
        say("\(verdict.testCase.id) finds \(fault) (\(verdict.runs) runs, \(Int(verdict.milliseconds)) ms)")
      }
    }
  }

  private static func say(_ line: String) {
    FileHandle.standardOutput.write(Data("\(line)\n".utf8))
  }
}
