import BenchmarkHarness
import Foundation

#if canImport(Glibc)
  import Glibc
#endif

/// A file as bytes in memory: its pages are those of the system's cache, which all processes that map it share.
///
/// It is `Sendable` because nobody writes: the mapping is read-only, the file stands in the folder of the run and is
/// complete before it is mapped, and the bytes stay where they are until the last reference to this object is gone.
final class MappedFile: @unchecked Sendable {
  let bytes: UnsafeRawBufferPointer

  init(_ path: String) throws {
    let descriptor = open(path, O_RDONLY)
    guard descriptor >= 0 else { throw BenchmarkError("the file of the rows cannot be opened") }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_size > 0 else {
      throw BenchmarkError("the file of the rows is empty")
    }
    let length = Int(status.st_size)
    guard let start = mmap(nil, length, PROT_READ, MAP_SHARED, descriptor, 0), start != MAP_FAILED else {
      throw BenchmarkError("the file of the rows cannot be mapped")
    }
    bytes = UnsafeRawBufferPointer(start: start, count: length)
  }

  deinit {
    munmap(UnsafeMutableRawPointer(mutating: bytes.baseAddress), bytes.count)
  }

  /// Reads a byte of every page, so that all of them are resident.
  func touch() -> UInt8 {
    stride(from: 0, to: bytes.count, by: 4096).reduce(0) { $0 ^ bytes[$1] }
  }
}
