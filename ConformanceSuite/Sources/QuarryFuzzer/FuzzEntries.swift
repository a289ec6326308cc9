// The two functions that libFuzzer calls (https://llvm.org/docs/LibFuzzer.html), which has the program's main: scripts/fuzz.
//
//   quarry-fuzz list                                          the targets
//   quarry-fuzz seeds FOLDER                                  the inputs that each begins with, in a folder each
//   quarry-fuzz TARGET [options of libFuzzer] [folders of inputs]

import Foundation
import QuarryFuzzing

/// Set once, before the driver begins, which is one thread.
nonisolated(unsafe) private var chosen: FuzzTarget?

private func say(_ text: String) { FileHandle.standardError.write(Data((text + "\n").utf8)) }

/// Takes the first argument, and leaves the others to the driver.
@_cdecl("LLVMFuzzerInitialize")
public func initialize(
  _ count: UnsafeMutablePointer<Int32>,
  _ words: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>>
) -> Int32 {
  let arguments = (0..<Int(count.pointee)).compactMap { words.pointee[$0].map { String(cString: $0) } }
  switch (arguments.dropFirst().first, arguments.dropFirst(2).first) {
  case ("list", nil):
    for target in FuzzTarget.all { print("\(target.name)\t\(target.reads)") }
    exit(0)
  case ("seeds", let folder?): exit(writeSeeds(to: folder))
  case (let name?, _):
    guard let target = FuzzTarget.all.first(where: { $0.name == name }) else {
      say("\(name) is no target; quarry-fuzz list tells them")
      exit(2)
    }
    chosen = target
    for place in 1..<Int(count.pointee) - 1 { words.pointee[place] = words.pointee[place + 1] }
    count.pointee -= 1
    return 0
  default:
    say("quarry-fuzz TARGET [options of libFuzzer] [folders of inputs]; quarry-fuzz list; quarry-fuzz seeds FOLDER")
    exit(2)
  }
}

private func writeSeeds(to folder: String) -> Int32 {
  do {
    for target in FuzzTarget.all {
      let place = "\(folder)/\(target.name)"
      try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
      for (number, seed) in try target.seeds().enumerated() {
        try Data(seed).write(to: URL(fileURLWithPath: "\(place)/seed-\(number)"))
      }
    }
    return 0
  } catch {
    say("\(error)")
    return 1
  }
}

/// Tries one input. The driver keeps the input of a process that ends.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
  guard let chosen else { return 0 }
  if let defect = chosen.defect(UnsafeRawBufferPointer(start: bytes, count: count)) {
    say("== defect in \(chosen.name): \(defect)")
    abort()
  }
  return 0
}
