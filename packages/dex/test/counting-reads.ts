/**
 * Wraps things so that reads of their fields are counted: this shows how work on them grows, without a clock.
 *
 * @returns the same things, and how many of their fields have been read so far
 */
export function countingReads<T extends object>(things: readonly T[]): { counted: T[]; reads: () => number } {
  let reads = 0
  const counted = things.map(
    (thing) =>
      new Proxy(thing, {
        get(target, field, receiver) {
          reads++
          return Reflect.get(target, field, receiver)
        },
      }),
  )
  return { counted, reads: () => reads }
}
