/* SPDX-License-Identifier: MIT
 *
 * world - the clock, and invocations that take turns: each has a stack of its
 * own and is put off until its moment comes.
 */
#include <stdio.h>
#include <stdlib.h>
#include <ucontext.h>

#include "sim.h"

enum { STACK_BYTES = 128 * 1024 };

struct fiber {
  ucontext_t context;
  struct invocation invocation;
  struct fiber *next_free;
  bool done;
  char stack[STACK_BYTES];
};

/* Either a new invocation of MACHINE, or the turn of FIBER. */
struct event {
  int64_t at_ms;
  uint64_t number;
  struct machine *machine;
  struct fiber *fiber;
};

static struct {
  struct event *heap;
  size_t n, room;
  uint64_t number;
  struct fiber *current, *free;
  ucontext_t context;
  void (*body)(struct invocation *i);
} loop;

struct world *sim;

/* splitmix64 */
uint64_t sim_throw(uint64_t *seed)
{
  uint64_t z = *seed += UINT64_C(0x9e3779b97f4a7c15);
  z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
  return z ^ (z >> 31);
}

static void *must(void *p)
{
  if (p)
    return p;
  fputs("ank-sim: out of memory\n", stderr);
  exit(3);
}

/* ---- the heap: the earliest first, of two the one that came first ---- */

static bool before(const struct event *a, const struct event *b)
{
  return a->at_ms != b->at_ms ? a->at_ms < b->at_ms : a->number < b->number;
}

static void swap(size_t a, size_t b)
{
  struct event e = loop.heap[a];
  loop.heap[a] = loop.heap[b];
  loop.heap[b] = e;
}

static void push(int64_t at_ms, struct machine *machine, struct fiber *fiber)
{
  if (loop.n == loop.room) {
    loop.room = loop.room ? 2 * loop.room : 1024;
    loop.heap = must(realloc(loop.heap, loop.room * sizeof *loop.heap));
  }
  size_t i = loop.n++;
  loop.heap[i] = (struct event){at_ms, loop.number++, machine, fiber};
  for (; i && before(&loop.heap[i], &loop.heap[(i - 1) / 2]); i = (i - 1) / 2)
    swap(i, (i - 1) / 2);
}

static struct event pop(void)
{
  struct event first = loop.heap[0];
  loop.heap[0] = loop.heap[--loop.n];
  for (size_t i = 0, child = 1; child < loop.n; child = 2 * i + 1) {
    if (child + 1 < loop.n && before(&loop.heap[child + 1], &loop.heap[child]))
      child++;
    if (!before(&loop.heap[child], &loop.heap[i]))
      break;
    swap(i, child);
    i = child;
  }
  return first;
}

/* ---- invocations ---- */

static void enter(void)
{
  loop.body(&loop.current->invocation);
  loop.current->done = true;
}

/* Not inlined: getcontext() returns twice, and compilers fear for F. */
__attribute__((noinline)) static struct fiber *take_fiber(void)
{
  struct fiber *f = loop.free;
  if (!f)
    return must(malloc(sizeof *f));
  loop.free = f->next_free;
  return f;
}

static struct fiber *new_fiber(struct machine *machine)
{
  struct fiber *const f = take_fiber();
  f->done = false;
  f->invocation = (struct invocation){.machine = machine};
  getcontext(&f->context);
  f->context.uc_stack.ss_sp = f->stack;
  f->context.uc_stack.ss_size = sizeof f->stack;
  f->context.uc_link = &loop.context;
  makecontext(&f->context, enter, 0);
  return f;
}

static void turn(struct fiber *f)
{
  loop.current = f;
  sim->current = &f->invocation;
  swapcontext(&loop.context, &f->context);
  if (f->done) {
    f->next_free = loop.free;
    loop.free = f;
  }
}

void sim_sleep_until(int64_t at_ms)
{
  struct fiber *f = loop.current;
  if (at_ms > sim->now_ms + INT64_C(1000) * SIM_SECONDS) {
    fputs("ank-sim: an invocation sleeps for ever\n", stderr);
    exit(3);
  }
  push(at_ms > sim->now_ms ? at_ms : sim->now_ms, NULL, f);
  swapcontext(&f->context, &loop.context);
}

void sim_begin_at(int64_t at_ms, struct machine *machine)
{
  push(at_ms, machine, NULL);
}

void sim_go(void (*body)(struct invocation *i))
{
  loop.body = body;
  while (loop.n) {
    struct event e = pop();
    sim->now_ms = e.at_ms;
    turn(e.fiber ? e.fiber : new_fiber(e.machine));
  }
}
