import Foundation

/// A shared library that makes allocations of liblmdb alone fail. It is compiled on demand and preloaded into
/// a process.
enum AllocationShim {
    /// The source in C. It recognizes allocations of liblmdb by their return addresses.
    private static let source = """
        #define _GNU_SOURCE
        #include <link.h>
        #include <stdint.h>
        #include <stdlib.h>
        #include <string.h>
        extern void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t), *__libc_realloc(void *, size_t);
        static uintptr_t low, high;
        static int remaining, sticky;
        static int find(struct dl_phdr_info *info, size_t size, void *data) {
            if (!strstr(info->dlpi_name, "liblmdb")) return 0;
            for (int i = 0; i < info->dlpi_phnum; i++) {
                if (info->dlpi_phdr[i].p_type != PT_LOAD || !(info->dlpi_phdr[i].p_flags & PF_X)) continue;
                low = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
                high = low + info->dlpi_phdr[i].p_memsz;
            }
            return 1;
        }
        /* number: the allocation that fails, counted from now; 0 for none.
           Returns whether liblmdb is a shared library. */
        int allocation_shim_arm(int number, int is_sticky) {
            __atomic_store_n(&remaining, 0, __ATOMIC_SEQ_CST);
            if (!low) dl_iterate_phdr(find, 0);
            __atomic_store_n(&sticky, is_sticky, __ATOMIC_SEQ_CST);
            __atomic_store_n(&remaining, number, __ATOMIC_SEQ_CST);
            return low != 0;
        }
        static int fails(void *caller) {
            if ((uintptr_t)caller < low || (uintptr_t)caller >= high) return 0;
            if (__atomic_load_n(&remaining, __ATOMIC_SEQ_CST) <= 0) return 0;
            int left = __atomic_sub_fetch(&remaining, 1, __ATOMIC_SEQ_CST);
            if (left > 0) return 0;
            if (sticky) __atomic_store_n(&remaining, 1, __ATOMIC_SEQ_CST);
            return 1;
        }
        void *malloc(size_t size) { return fails(__builtin_return_address(0)) ? 0 : __libc_malloc(size); }
        void *calloc(size_t count, size_t size) {
            return fails(__builtin_return_address(0)) ? 0 : __libc_calloc(count, size);
        }
        void *realloc(void *old, size_t size) {
            return fails(__builtin_return_address(0)) ? 0 : __libc_realloc(old, size);
        }
        char *strdup(const char *text) {
            if (fails(__builtin_return_address(0))) return 0;
            char *copy = __libc_malloc(strlen(text) + 1);
            return copy ? strcpy(copy, text) : 0;
        }
        """

    /// Compiles the library in a folder.
    ///
    /// - Returns: The library's path.
    /// - Throws: ``FaultSkipped`` if no C compiler is installed, or if it fails.
    static func compile(in folder: URL) throws -> String {
        let program = folder.appending(path: "allocations.c")
        let library = folder.appending(path: "allocations.so")
        try Data(source.utf8).write(to: program)
        let compiler = Process()
        compiler.executableURL = URL(filePath: "/usr/bin/env")
        compiler.arguments = ["cc", "-shared", "-fPIC", "-O1", "-o", library.path, program.path]
        compiler.standardError = FileHandle.nullDevice
        try compiler.run()
        compiler.waitUntilExit()
        guard compiler.terminationStatus == 0 else {
            throw FaultSkipped("no C compiler is installed, or it cannot build a shared library")
        }
        return library.path
    }

    /// Makes an allocation of liblmdb fail in this process.
    ///
    /// - Parameters:
    ///   - number: The number of the allocation, counted from now; 0 for none.
    ///   - isSticky: Whether all later allocations fail as well.
    static func arm(_ number: Int, isSticky: Bool) throws {
        typealias Arm = @convention(c) (Int32, Int32) -> Int32
        guard let symbol = dlsym(nil, "allocation_shim_arm") else {
            throw FaultFinding("the library was not preloaded")
        }
        guard unsafeBitCast(symbol, to: Arm.self)(Int32(number), isSticky ? 1 : 0) != 0 else {
            throw FaultFinding("liblmdb is linked statically, so its allocations cannot be recognized")
        }
    }
}
