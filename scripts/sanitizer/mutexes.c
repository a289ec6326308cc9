// Tells ThreadSanitizer what Swift's Mutex does where threads wait for each other. The fast way of its lock is in the code
// that uses it, which the sanitizer sees; the slow one is in libswiftSynchronization, which was built without it, so that every
// lock that somebody waited for would count as a race. scripts/sanitize builds this and preloads it.
//
// The three functions of Synchronization._MutexHandle get the handle in the register that Swift has for self: r13, or x20
// on arm64 (https://github.com/swiftlang/swift/blob/main/docs/ABI/CallingConventionSummary.rst).
#define _GNU_SOURCE
#include <dlfcn.h>

#define LOCK "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define TRY_LOCK "$s15Synchronization12_MutexHandleV12_tryLockSlowSbyF"
#define UNLOCK "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"

extern void __tsan_acquire(void *) __attribute__((weak));
extern void __tsan_release(void *) __attribute__((weak));

__attribute__((visibility("hidden"), used)) void *quarry_lock, *quarry_try_lock, *quarry_unlock;

__attribute__((constructor)) static void find(void) {
  quarry_lock = dlsym(RTLD_NEXT, LOCK);
  quarry_try_lock = dlsym(RTLD_NEXT, TRY_LOCK);
  quarry_unlock = dlsym(RTLD_NEXT, UNLOCK);
}

__attribute__((visibility("hidden"), used)) void quarry_acquire(void *handle) {
  if (__tsan_acquire) __tsan_acquire(handle);
}

__attribute__((visibility("hidden"), used)) void quarry_release(void *handle) {
  if (__tsan_release) __tsan_release(handle);
}

#define FUNCTION(name) ".globl \"" name "\"\n.type \"" name "\", @function\n\"" name "\":\n"

#if defined(__x86_64__)
__asm__(
    ".text\n" FUNCTION(LOCK) "  pushq %rbp\n  movq %rsp, %rbp\n"
    "  callq *quarry_lock(%rip)\n  movq %r13, %rdi\n  callq quarry_acquire\n  popq %rbp\n  retq\n" FUNCTION(UNLOCK)
    "  pushq %rbp\n  movq %rsp, %rbp\n"
    "  movq %r13, %rdi\n  callq quarry_release\n  callq *quarry_unlock(%rip)\n  popq %rbp\n  retq\n" FUNCTION(TRY_LOCK)
    "  pushq %rbp\n  movq %rsp, %rbp\n  pushq %rbx\n  pushq %r12\n"
    "  callq *quarry_try_lock(%rip)\n  movl %eax, %ebx\n  testb $1, %al\n  je 1f\n  movq %r13, %rdi\n  callq quarry_acquire\n"
    "1:\n  movl %ebx, %eax\n  popq %r12\n  popq %rbx\n  popq %rbp\n  retq\n");
#elif defined(__aarch64__)
__asm__(
    ".text\n" FUNCTION(LOCK) "  stp x29, x30, [sp, #-16]!\n  mov x29, sp\n"
    "  adrp x9, quarry_lock\n  ldr x9, [x9, :lo12:quarry_lock]\n  blr x9\n  mov x0, x20\n  bl quarry_acquire\n"
    "  ldp x29, x30, [sp], #16\n  ret\n" FUNCTION(UNLOCK) "  stp x29, x30, [sp, #-16]!\n  mov x29, sp\n"
    "  mov x0, x20\n  bl quarry_release\n  adrp x9, quarry_unlock\n  ldr x9, [x9, :lo12:quarry_unlock]\n  blr x9\n"
    "  ldp x29, x30, [sp], #16\n  ret\n" FUNCTION(TRY_LOCK) "  stp x29, x30, [sp, #-32]!\n  mov x29, sp\n  str x19, [sp, #16]\n"
    "  adrp x9, quarry_try_lock\n  ldr x9, [x9, :lo12:quarry_try_lock]\n  blr x9\n  mov w19, w0\n  tbz w0, #0, 1f\n"
    "  mov x0, x20\n  bl quarry_acquire\n1:\n  mov w0, w19\n  ldr x19, [sp, #16]\n  ldp x29, x30, [sp], #32\n  ret\n");
#else
#error "not known how Swift hands self over on this processor"
#endif
