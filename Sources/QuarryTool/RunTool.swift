#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Runs the command line of this process.
public func runTool() {
  // A file that may not grow is an error of the command, and not the end of the process.
  signal(SIGXFSZ, SIG_IGN)
  Tool.main()
}
