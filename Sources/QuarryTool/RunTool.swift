/// Runs the command line of this process.
public func runTool() {
  Tool.main()
}
