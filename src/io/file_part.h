/* SPDX-License-Identifier: MIT
 *
 * file_part - a side room of io/file: a file that a later run goes on with,
 * and the note beside it that says what its bytes are.
 *
 * The note also says how many of the bytes are on the disk for sure and which
 * start of the machine wrote it: after a loss of power only those count, since
 * a file may then be as long as it was and hold zeros.
 */
#ifndef ANK_IO_FILE_PART_H
#define ANK_IO_FILE_PART_H

#include "base/kv.h"
#include "io/file.h"

/* io/file's own: opens, publishes and closes S->temp. */
enum err file_part_open(struct file_sink *s, struct error *e)
    __attribute__((warn_unused_result));
enum err file_part_publish(struct file_sink *s, struct error *e)
    __attribute__((warn_unused_result));
void file_part_close(struct file_sink *s);
void file_sync_dir(const char *path);

/* Adds the note's facts to FACTS; *BYTES: how many of S->left can be trusted.
 * False when there is no note, or none of ours. */
bool file_part_read(struct file_sink *s, struct kv *facts, uint64_t *bytes);

/* Puts FACTS into the note, and that BYTES of the file are on the disk, which
 * is seen to first.  False when that cannot be done. */
bool file_part_write(struct file_sink *s, const struct kv *facts,
                     uint64_t bytes);

/* Takes the note away, lastingly: what is there is of no use. */
void file_part_forget(struct file_sink *s);

/* Goes on behind the first BYTES; what follows them is cut off. */
enum err file_part_go_on(struct file_sink *s, uint64_t bytes, struct error *e)
    __attribute__((warn_unused_result));

#endif
