import MutantPlanting

/// The code that is added to the copy: the switch that says which mutant is live, and notes which places were reached,
/// and the line in the kit that tells it of the end of each case.
enum SwitchCode {
  static func add(to files: inout [String: String]) throws {
    files["MutantSwitch/MutantSwitch.c"] = code
    files["MutantSwitch/include/MutantSwitch.h"] = header
    files["MutantSwitch/include/module.modulemap"] = map
    guard let kit = files[execution], kit.contains(start) else {
      throw Problem("\(execution) has no line\n\(start)")
    }
    files[execution] =
      "import \(PlantedSource.switchModule); "
      + kit.replacing(
        start, with: start + #" defer { quarry_case_ended("\(run.testCase.id) \(run.variant.rawValue)") }"#)
  }

  private static let execution = "ConformanceSuite/Sources/QuarryConformanceKit/Runner/ConformanceExecution.swift"
  private static let start = "public func result(of run: ConformanceRun) -> ConformanceResult {"

  private static let map = """
    module \(PlantedSource.switchModule) {
      header "MutantSwitch.h"
      export *
    }

    """

  // One load, one store and one comparison: the copy is nearly as fast as the original.
  private static let header = """
    #include <stdbool.h>
    #include <stdint.h>

    extern int32_t quarry_mutant_live;
    extern uint8_t *quarry_mutant_reached;

    static inline bool quarryMutant(int32_t number) {
      quarry_mutant_reached[number] = 1;
      return quarry_mutant_live == number;
    }

    /// Notes which places were reached since the end before, and how long it took.
    void quarry_case_ended(const char *name);

    """

  // The places that were reached are kept in a shared file, so that second processes and killed ones count. After each
  // case a line goes to a file beside it: the case, milliseconds and the numbers, with tabs between them.
  private static let code = """
    #include "MutantSwitch.h"
    #include <fcntl.h>
    #include <stdio.h>
    #include <stdlib.h>
    #include <sys/mman.h>
    #include <time.h>
    #include <unistd.h>

    #define COUNT 65536

    static uint8_t own[COUNT];
    int32_t quarry_mutant_live = -1;
    uint8_t *quarry_mutant_reached = own;
    static FILE *cases;
    static double last;

    static double milliseconds(void) {
      struct timespec time;
      clock_gettime(CLOCK_MONOTONIC, &time);
      return (double)time.tv_sec * 1e3 + (double)time.tv_nsec * 1e-6;
    }

    __attribute__((constructor(101))) static void start(void) {
      const char *live = getenv("QUARRY_MUTANT");
      if (live) quarry_mutant_live = atoi(live);
      const char *path = getenv("QUARRY_MUTANTS_REACHED");
      if (!path) return;
      int file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
      if (file < 0) return;
      if (ftruncate(file, COUNT) == 0) {
        void *shared = mmap(0, COUNT, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
        if (shared != MAP_FAILED) quarry_mutant_reached = shared;
      }
      close(file);
      char name[4096];
      if (snprintf(name, sizeof name, "%s.cases", path) < (int)sizeof name) cases = fopen(name, "ae");
      last = milliseconds();
    }

    void quarry_case_ended(const char *name) {
      if (!cases) return;
      double now = milliseconds();
      fprintf(cases, "%s\\t%.1f\\t", name, now - last);
      last = now;
      for (int number = 0; number < COUNT; number += 1) {
        if (!quarry_mutant_reached[number]) continue;
        quarry_mutant_reached[number] = 0;
        fprintf(cases, "%d ", number);
      }
      fputc('\\n', cases);
      fflush(cases);
    }

    """
}
