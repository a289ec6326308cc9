import Foundation

/// Writes a line at once, so that who follows a run through a pipe or a file sees where it is.
func say(_ line: String) {
  FileHandle.standardOutput.write(Data((line + "\n").utf8))
}
