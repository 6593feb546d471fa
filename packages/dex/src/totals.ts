/** Sums by key. */
export interface ReadonlyTotals<Key> extends ReadonlyMap<Key, bigint> {
  of(key: Key): bigint
}

/** Sums of base units by key. */
export class Totals<Key> extends Map<Key, bigint> {
  /** Returns the sum of a key's amounts; 0 if it has none. */
  of(key: Key): bigint {
    // The sum of no amounts is 0.
    return this.get(key) ?? 0n
  }

  /** Adds an amount, which may be negative. Returns the new sum. */
  add(key: Key, amount: bigint): bigint {
    const sum = this.of(key) + amount
    this.set(key, sum)
    return sum
  }
}

/** Counts by key. */
export class Counts<Key> extends Map<Key, number> {
  /** Returns the count of a key; 0 if it was never counted. */
  of(key: Key): number {
    // What was never counted occurred 0 times.
    return this.get(key) ?? 0
  }

  /** Counts a key. Returns the new count. */
  add(key: Key, times = 1): number {
    const count = this.of(key) + times
    this.set(key, count)
    return count
  }
}

/** Items by key, in the order of `add`. */
export class Groups<Key, Item> extends Map<Key, Item[]> {
  /** Empty if a key has none. */
  of(key: Key): readonly Item[] {
    return this.get(key) ?? []
  }

  add(key: Key, item: Item): void {
    const items = this.get(key)
    if (items === undefined) this.set(key, [item])
    else items.push(item)
  }
}
