import BenchmarkHarness
import Foundation
import QuarryBackend
import Testing

@testable import DataBenchmark

#if os(Linux)
  /// Engines in processes of their own, and what these can do wrong.
  @Suite(.serialized) struct SeparateEnginesTests {
    private let workbench: Workbench

    init() throws {
      workbench = try Workbench()
    }

    /// Settings whose engines run in the built program, one of them perhaps in a shell.
    private func settings(
      _ mix: String = "get=40,query=30,update=14,insert=8,delete=8", operations: Int = 60, shell: String? = nil
    ) throws -> DataSettings {
      var settings = try workbench.settings(mix, operations: operations, indexed: ["country", "people"])
      settings.separatesEngines = true
      settings.rounds = 1
      settings.changesCommand = { engine, command in
        guard let shell, engine == "sqlite" else {
          return .init(executable: Workbench.program, command.arguments)
        }
        return .init(
          executable: URL(fileURLWithPath: "/bin/sh"),
          ["-c", shell, "engine", Workbench.program.path] + command.arguments)
      }
      return settings
    }

    /// Checks that one engine failed with these words, and that the others did their work.
    private func expectOnlySQLiteFails(_ report: BenchmarkReport, _ words: String) {
      #expect(report.failures.map(\.engine) == ["sqlite"], "\(report.failures)")
      #expect(report.failures.first?.message.contains(words) == true, "\(report.failures)")
      #expect(report.isComplete)
      for engine in ["memory", "flat-file", "lmdb"] {
        #expect(report.results.contains { $0.workload == "mix" && $0.engine == engine }, "\(engine)")
      }
      #expect(!report.results.contains { $0.engine == "sqlite" })
      expectNoStores()
    }

    private func expectNoStores() {
      let left = try? FileManager.default.contentsOfDirectory(atPath: workbench.path + "/stores")
      #expect(left ?? [] == [])
    }

    @Test func answersAndFiguresComeFromTheProcesses() throws {
      var settings = try settings()
      settings.readers = 2
      settings.measuresMemory = true
      let report = try workbench.report(settings, workbench.towns(200))
      #expect(report.failures.isEmpty, "\(report.failures)")
      for engine in DataEngine.all {
        for work in ["load", "mix", "readers", "get", "update", "insert", "delete"] {
          #expect(report.result(work, engine.name, 195)?.rates.values.count == 1, "\(work) on \(engine.name)")
        }
        #expect(report.result("get", engine.name, 195)?.latency?.count == 24)
        #expect((report.footprint(engine.name, 195)?.memory?.peakBytes ?? 0) > 0)
      }
      #expect(report.data?.traits.count == DataEngine.all.count)
      expectNoStores()
    }

    @Test func aProcessThatIsKilledIsAFailure() throws {
      let shell = "\"$@\" <&0 & sleep 1; kill -9 $!; wait"
      let settings = try settings("update=100", operations: 200_000, shell: shell)
      var quick = settings
      quick.engines = settings.engines.filter { $0.name == "sqlite" }
      let report = try workbench.report(quick, workbench.towns(200))
      #expect(report.failures.first?.message == "the process of sqlite has ended in the middle of its work")
      expectNoStores()
    }

    @Test(arguments: [
      ("exit 3", "has ended in the middle of its work"),
      ("read line; kill -9 $$", "has ended in the middle of its work"),
      ("read line; echo nonsense; cat", "answered what is no answer"),
      (
        "read line; echo '{\"answers\":[],\"figures\":{\"rates\":{},\"latencies\":{},\"operations\":{}}}'; cat",
        "without figures of the round"
      ),
      (
        "while read line; do echo '{\"answers\":[],\"failure\":\"no more\",\"figures\":{\"rates\":{},\"latencies\":{},"
          + "\"operations\":{}}}'; done", "no more"
      ),
    ])
    func theOthersGoOn(shell: String, words: String) throws {
      expectOnlySQLiteFails(try workbench.report(settings(shell: shell), workbench.towns(100)), words)
    }

    @Test func aProcessThatHangsIsAFailure() throws {
      var settings = try settings(shell: "read line; exec sleep 600")
      settings.patience = 2
      let start = Stopwatch.now()
      let report = try workbench.report(settings, workbench.towns(100))
      expectOnlySQLiteFails(report, "has not given a sign for 2 seconds")
      #expect(Stopwatch.seconds(since: start) < 300)
    }

    @Test func aSignIsNoAnswer() throws {
      let shell = "program=$1; shift; while read line; do for i in 1 2 3; do echo; sleep 1; done; echo '?'; done"
      var settings = try settings(shell: shell)
      settings.patience = 2
      // The signs come in time, and then what is no answer.
      expectOnlySQLiteFails(try workbench.report(settings, workbench.towns(100)), "answered what is no answer")
    }

    @Test func anInterruptionEndsTheProcesses() throws {
      let interruption = Interruption()
      let settings = try settings("update=100", operations: 500_000)
      let stopper = Thread {
        Thread.sleep(forTimeInterval: 2)
        interruption.request()
      }
      stopper.start()
      let report = try workbench.report(settings, workbench.towns(200), interruption)
      #expect(!report.isComplete && report.failures.isEmpty, "\(report.failures)")
      #expect(report.data?.recommendation == nil)
      expectNoStores()
    }

    @Test func aFileOfRowsThatIsNotWholeIsAFailureOfTheEngine() throws {
      let shell =
        "cp \"$5\" \"$5.part\"; truncate -s -1 \"$5.part\"; program=$1; command=$2; engine=$3; rows=$5.part; shift 5; "
        + "exec \"$program\" \"$command\" \"$engine\" --rows \"$rows\" \"$@\""
      let report = try workbench.report(settings(shell: shell), workbench.towns(50))
      expectOnlySQLiteFails(report, "the file of the rows was not written to its end")
    }
  }
#endif
