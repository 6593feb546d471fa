export interface ReadonlyTotals<Key> extends ReadonlyMap<Key, bigint> {
  of(key: Key): bigint
}

export class Totals<Key> extends Map<Key, bigint> {
  of(key: Key): bigint {
    return this.get(key) ?? 0n
  }

  add(key: Key, amount: bigint): bigint {
    const sum = this.of(key) + amount
    this.set(key, sum)
    return sum
  }
}

export class Counts<Key> extends Map<Key, number> {
  of(key: Key): number {
    return this.get(key) ?? 0
  }

  add(key: Key, times = 1): number {
    const count = this.of(key) + times
    this.set(key, count)
    return count
  }
}

export class Groups<Key, Item> extends Map<Key, Item[]> {
  of(key: Key): readonly Item[] {
    return this.get(key) ?? []
  }

  add(key: Key, item: Item): void {
    const items = this.get(key)
    if (items === undefined) this.set(key, [item])
    else items.push(item)
  }
}
