/* SPDX-License-Identifier: MIT
 *
 * file - where object bytes come from and go to: a source that is read again
 * at any offset, a sink that shows nothing before it is whole.
 *
 * A sink for a regular destination writes ".NAME.ank-XXXXXX" beside it and
 * renames it when all is well; pipes, terminals and devices are written in
 * place.  Knows no network, no time, no policy.
 */
#ifndef ANK_IO_FILE_H
#define ANK_IO_FILE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

#include "base/buf.h"
#include "base/err.h"

struct file_source {
  int fd;           /* -1 while closed */
  const char *path; /* borrowed, for messages */
  uint64_t size;
  struct stat first; /* as it was when opened */
  bool adopted;      /* not ours to close */
};

/* Opens PATH for reading; a regular file only.  ERR_LOCAL names it. */
enum err file_source_open(struct file_source *s, const char *path,
                          struct error *e) __attribute__((warn_unused_result));

/* The same of FD, which is the caller's and stays open.  ERR_LOCAL when it is
 * no regular file. */
enum err file_source_adopt(struct file_source *s, int fd, const char *name,
                           struct error *e) __attribute__((warn_unused_result));

/* Reads LEN bytes at OFFSET; fewer only at the end of the file.  -1 with *E
 * set. */
long file_source_read(struct file_source *s, uint64_t offset, char *to,
                      unsigned long len, struct error *e);

/* ERR_LOCAL when size, mtime, ctime or identity are no longer those of the
 * opening. */
enum err file_source_check(const struct file_source *s, struct error *e)
    __attribute__((warn_unused_result));

void file_source_close(struct file_source *s);

struct file_sink {
  int fd;           /* -1 while closed */
  const char *name; /* borrowed: as given, for messages */
  char *path;       /* owned: the destination, symlinks followed */
  char *temp;       /* owned: what is written until then; NULL = in place */
  char *note;       /* owned: what TEMP is, for a later run */
  bool kept;        /* TEMP outlives a failure, if it has a note */
  bool noted;       /* it has one */
  bool held;        /* another run has TEMP: why it was not opened */
  uint64_t left;    /* bytes of TEMP that an earlier run left */
  bool stream;      /* written in place, never seeked */
  bool paced;       /* may be full: asked before each write */
  uint64_t written; /* bytes delivered */
  mode_t mode;
};

/* Opens the destination: PATH, or standard output when NULL.  CREATE_DIRS
 * makes missing directories.  Checked here, before any request: a directory, a
 * missing or read-only place is ERR_LOCAL.  A FIFO waits for its reader;
 * ERR_INTERRUPTED when a signal ends that. */
enum err file_sink_open(struct file_sink *s, const char *path, bool create_dirs,
                        struct error *e) __attribute__((warn_unused_result));

/* The same for PATH, which must be or become a regular file: what is written
 * is ".NAME.ank-part", locked, and stays for a later run if the run fails (see
 * io/file_part).  ERR_LOCAL, and S->held, when another run has it. */
enum err file_sink_open_kept(struct file_sink *s, const char *path,
                             bool create_dirs, struct error *e)
    __attribute__((warn_unused_result));

/* Takes up to LEN bytes: how many (fewer = a stream that is full: poll fd), or
 * -1 with *E set (ERR_INTERRUPTED with "stdout_closed" when the reader of a
 * pipe has gone). */
long file_sink_write(struct file_sink *s, const char *data, unsigned long len,
                     struct error *e);

/* Takes all of LEN bytes for OFFSET of a destination that is no stream, and
 * leaves the place where file_sink_write goes on.  -1 with *E set. */
long file_sink_write_at(struct file_sink *s, uint64_t offset, const char *data,
                        unsigned long len, struct error *e);

/* Gives LEN bytes at OFFSET back, which were written.  -1 with *E set. */
long file_sink_read_at(const struct file_sink *s, uint64_t offset, char *to,
                       unsigned long len, struct error *e);

/* Throws away what was written so far; ERR_LOCAL for a stream that has some. */
enum err file_sink_rewind(struct file_sink *s, struct error *e)
    __attribute__((warn_unused_result));

/* Makes the bytes last and visible: fsync, rename, fsync of the directory. */
enum err file_sink_commit(struct file_sink *s, struct error *e)
    __attribute__((warn_unused_result));

/* Closes; an uncommitted temporary file is removed. */
void file_sink_close(struct file_sink *s);

/* Appends the whole of a small file (at most MAX bytes), of /dev/null nothing.
 * ERR_NOT_FOUND when there is none, ERR_LOCAL for anything else that is wrong
 * with it. */
enum err file_slurp(const char *path, size_t max, struct buf *out,
                    struct error *e) __attribute__((warn_unused_result));

#endif
