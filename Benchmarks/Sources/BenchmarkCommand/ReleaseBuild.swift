import BenchmarkHarness

/// Refuses to measure with a build for debugging.
///
/// Only `--smoke`, which shows whether all works, does without a release build.
func requireReleaseBuild() throws {
  #if DEBUG
    throw BenchmarkError("this is a debug build, whose figures mean nothing: build with -c release")
  #endif
}
