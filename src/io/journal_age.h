/* SPDX-License-Identifier: MIT
 *
 * journal_age - a side room of io/journal: journals that nobody goes on with.
 *
 * A file that became small, was moved or is never sent again leaves one that no
 * later run of the same upload takes away.
 */
#ifndef ANK_IO_JOURNAL_AGE_H
#define ANK_IO_JOURNAL_AGE_H

/* Removes from the folder DIR what was not written to for 7 days and has a
 * journal's name (64 hexadecimal digits, then .ndjson or .ndjson.old), but KEPT
 * and what a run holds.  Looks at 1000 names at most; what it cannot do it
 * leaves. */
void journal_age_out(int dir, const char *kept);

#endif
