/** Returns proxies of the same things, and a count of the fields read from them: a measure of work without a clock. */
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
