import QuarryBackend
import Testing

@testable import QuarryTool

@Suite struct TerminalTests {
  @Test func theBarShowsHowFarItIs() {
    #expect(
      ProgressBar.line("importing", 0.5, rows: 1000, elapsed: 2, width: 60)
        == "importing [==========>         ] 50%  1000 rows  500 rows/s")
  }

  @Test(arguments: [1, 10, 30, 40, 60, 80, 200], [0, 0.33, 1, 2, -1])
  func theBarFitsTheTerminal(_ width: Int, _ fraction: Double) {
    let line = ProgressBar.line("importing", fraction, rows: 28_298, elapsed: 0.5, width: width)
    #expect(line.count < width || width == 1 && line.isEmpty)
  }

  @Test func anErrorIsOneLine() {
    let error = StorageError(.invalidValue, "two\nlines \u{1B}[2J", model: "A\r")
    #expect(ErrorReport.line(error) == "error: invalidValue: two\\nlines \\u{1B}[2J (model A\\r)")
  }
}
