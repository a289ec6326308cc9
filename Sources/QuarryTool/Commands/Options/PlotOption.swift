import ArgumentParser
import QuarryCharts
import QuarryData

/// A chart of a command's figures.
struct PlotOption: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Draws the figures: \"text\" prints bars, a name that ends in .svg is a file to write.",
      valueName: "text|FILE.svg"))
  var plot: String?

  @OptionGroup var output: OutputOptions

  func validate() throws {
    if let plot, plot != "text", !plot.loweredASCII.hasSuffix(".svg") {
      throw ValidationError("--plot takes \"text\" or the name of a file that ends in .svg")
    }
  }

  /// The file to write; nil where there is none.
  var file: String? { plot == "text" ? nil : plot }

  /// Writes the charts into the file.
  func write(_ charts: [any Chart], _ key: KeySource) throws {
    guard let path = file else { return }
    let file = try OutputFile(path: path, replacing: output.force, keys: OutputOptions.keys(key))
    try file.sink.write(ChartImage.svg(charts))
    try file.finish()
  }
}
