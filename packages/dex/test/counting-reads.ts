/**
 * Things whose fields are counted when read: how the work on them grows can be told without a clock.
 *
 * @returns the same things, and how many fields of them have been read so far
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
