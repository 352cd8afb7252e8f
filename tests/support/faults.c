/* Fails or ends a program at one of its file-system calls below a folder; loaded by LD_PRELOAD.
 *
 *   FAULT_ROOT   the folder; calls on other paths are passed on and not counted
 *   FAULT_AT     the number of the call, from 1; 0 counts only
 *   FAULT_MODE   fail   that call returns EIO, later ones work
 *                broken that call and all later ones return EIO
 *                kill   the program is killed in place of that call
 *                full   calls that need space return ENOSPC until a file was removed
 *   FAULT_COUNT  a file for the number of calls, written when the program ends
 *   FAULT_NO_EXCHANGE  set: renames with flags are not supported
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static atomic_long calls;
static atomic_int has_space;

static int is_below(const char *path) {
    const char *root = getenv("FAULT_ROOT");
    return root && path && strncmp(path, root, strlen(root)) == 0;
}

static int is_file_below(int file, char *path) {
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    ssize_t length = readlink(link, path, PATH_MAX - 1);
    if (length < 0) return 0;
    path[length] = 0;
    return is_below(path);
}

static int is_at_below(int folder, const char *name) {
    char path[PATH_MAX];
    if (name[0] == '/') return is_below(name);
    if (folder == AT_FDCWD) return getcwd(path, sizeof path) && is_below(path);
    return is_file_below(folder, path);
}

enum need { SPACE, NONE };

/* Only a new file needs space for its name. */
static enum need need_of(int folder, const char *path, int flags) {
    return flags & O_CREAT && faccessat(folder, path, F_OK, 0) != 0 ? SPACE : NONE;
}

/* Whether a call below the root is to fail; errno is set. */
static int fails(enum need need) {
    const char *mode = getenv("FAULT_MODE");
    const char *at = getenv("FAULT_AT");
    long call = atomic_fetch_add(&calls, 1) + 1;
    if (!mode) return 0;
    if (strcmp(mode, "full") == 0) {
        errno = ENOSPC;
        return need == SPACE && !atomic_load(&has_space);
    }
    long wanted = at ? atol(at) : 0;
    int is_broken = strcmp(mode, "broken") == 0 && call > wanted;
    if (wanted == 0 || (call != wanted && !is_broken)) return 0;
    if (strcmp(mode, "kill") == 0) kill(getpid(), SIGKILL);
    errno = EIO;
    return 1;
}

__attribute__((destructor)) static void report(void) {
    const char *path = getenv("FAULT_COUNT");
    if (!path) return;
    FILE *file = fopen(path, "w");
    if (file) {
        fprintf(file, "%ld", (long)calls);
        fclose(file);
    }
}

#define NEXT(name, type)              \
    static __typeof__(type) next;     \
    if (!next) next = (__typeof__(type))dlsym(RTLD_NEXT, #name)

#define OPEN(name)                                                                        \
    int name(const char *path, int flags, ...) {                                          \
        NEXT(name, int (*)(const char *, int, ...));                                      \
        va_list list;                                                                     \
        va_start(list, flags);                                                            \
        mode_t mode = flags & (O_CREAT | __O_TMPFILE) ? va_arg(list, mode_t) : 0;         \
        va_end(list);                                                                     \
        if (is_at_below(AT_FDCWD, path) && fails(need_of(AT_FDCWD, path, flags))) return -1;       \
        return next(path, flags, mode);                                                   \
    }
OPEN(open)
OPEN(open64)

#define OPENAT(name)                                                                      \
    int name(int folder, const char *path, int flags, ...) {                              \
        NEXT(name, int (*)(int, const char *, int, ...));                                 \
        va_list list;                                                                     \
        va_start(list, flags);                                                            \
        mode_t mode = flags & (O_CREAT | __O_TMPFILE) ? va_arg(list, mode_t) : 0;         \
        va_end(list);                                                                     \
        if (is_at_below(folder, path) && fails(need_of(folder, path, flags))) return -1;           \
        return next(folder, path, flags, mode);                                           \
    }
OPENAT(openat)
OPENAT(openat64)

ssize_t write(int file, const void *data, size_t size) {
    NEXT(write, ssize_t(*)(int, const void *, size_t));
    char path[PATH_MAX];
    if (is_file_below(file, path) && fails(SPACE)) return -1;
    return next(file, data, size);
}

#define ON_FILE(name)                                                                     \
    int name(int file) {                                                                  \
        NEXT(name, int (*)(int));                                                         \
        char path[PATH_MAX];                                                              \
        if (is_file_below(file, path) && fails(NONE)) return -1;                          \
        return next(file);                                                                \
    }
ON_FILE(fsync)
ON_FILE(fdatasync)

int flock(int file, int operation) {
    NEXT(flock, int (*)(int, int));
    char path[PATH_MAX];
    if (is_file_below(file, path) && fails(NONE)) return -1;
    return next(file, operation);
}

int mkdir(const char *path, mode_t mode) {
    NEXT(mkdir, int (*)(const char *, mode_t));
    if (is_at_below(AT_FDCWD, path) && fails(SPACE)) return -1;
    return next(path, mode);
}

int rmdir(const char *path) {
    NEXT(rmdir, int (*)(const char *));
    if (is_at_below(AT_FDCWD, path) && fails(NONE)) return -1;
    return next(path);
}

int unlink(const char *path) {
    NEXT(unlink, int (*)(const char *));
    int is_ours = is_at_below(AT_FDCWD, path);
    if (is_ours && fails(NONE)) return -1;
    int removed = next(path);
    /* Removing an empty file frees nothing. */
    if (is_ours && removed == 0 && !strstr(path, ".new")) atomic_store(&has_space, 1);
    return removed;
}

int unlinkat(int folder, const char *path, int flags) {
    NEXT(unlinkat, int (*)(int, const char *, int));
    int is_ours = is_at_below(folder, path);
    if (is_ours && fails(NONE)) return -1;
    int removed = next(folder, path, flags);
    if (is_ours && removed == 0 && !(flags & AT_REMOVEDIR)) atomic_store(&has_space, 1);
    return removed;
}

int rename(const char *from, const char *to) {
    NEXT(rename, int (*)(const char *, const char *));
    if (is_at_below(AT_FDCWD, to) && fails(NONE)) return -1;
    return next(from, to);
}

int renameat2(int from_folder, const char *from, int to_folder, const char *to, unsigned flags) {
    NEXT(renameat2, int (*)(int, const char *, int, const char *, unsigned));
    if (getenv("FAULT_NO_EXCHANGE")) {
        errno = EINVAL;
        return -1;
    }
    if (is_at_below(to_folder, to) && fails(NONE)) return -1;
    return next(from_folder, from, to_folder, to, flags);
}
