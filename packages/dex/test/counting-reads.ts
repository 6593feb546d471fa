/** Returns the same things and how often their fields have been read: the growth of work, without a clock. */
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
