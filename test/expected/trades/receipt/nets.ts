/** What accounts got minus what they gave: tokens, items and coins. */
export class Nets {
  readonly #tokens = new Map<string, Map<string, bigint>>()
  readonly #items = new Map<string, Map<string, bigint>>()
  readonly #coins = new Map<string, bigint>()
  readonly #gotCoins = new Set<string>()
  readonly #wrappedNative: string

  constructor(wrappedNative: string) {
    this.#wrappedNative = wrappedNative
  }

  move(token: string, from: string, to: string, amount: bigint): void {
    this.add(from, token, -amount)
    this.add(to, token, amount)
  }

  without(moves: readonly { token: string; from: string; to: string; amount: bigint }[]): Nets {
    const nets = new Nets(this.#wrappedNative)
    for (const [account, held] of this.#tokens) nets.#tokens.set(account, new Map(held))
    for (const [account, held] of this.#items) nets.#items.set(account, new Map(held))
    for (const [account, net] of this.#coins) nets.#coins.set(account, net)
    for (const { token, from, to, amount } of moves) nets.move(token, to, from, amount)
    return nets
  }

  add(account: string, token: string, amount: bigint): void {
    addTo(this.#tokens, account, token, amount)
  }

  moveItem(item: string, from: string, to: string, amount: bigint): void {
    addTo(this.#items, from, item, -amount)
    addTo(this.#items, to, item, amount)
  }

  moveCoins(from: string, to: string, amount: bigint): void {
    this.#gotCoins.add(to)
    this.#coins.set(from, (this.#coins.get(from) ?? 0n) - amount)
    this.#coins.set(to, (this.#coins.get(to) ?? 0n) + amount)
  }

  of(account: string | null, token: string): bigint {
    return (account === null ? undefined : this.#tokens.get(account)?.get(token)) ?? 0n
  }

  gotCoins(account: string): boolean {
    return this.#gotCoins.has(account)
  }

  coins(account: string | null): bigint {
    return (account === null ? undefined : this.#coins.get(account)) ?? 0n
  }

  wrapped(account: string | null): bigint {
    return this.of(account, this.#wrappedNative)
  }

  tokens(account: string | null): { token: string; net: bigint }[] {
    const held = account === null ? undefined : this.#tokens.get(account)
    return [...(held ?? [])].flatMap(([token, net]) => (net === 0n ? [] : [{ token, net }]))
  }

  hasItems(account: string | null): boolean {
    return account !== null && [...(this.#items.get(account)?.values() ?? [])].some((net) => net !== 0n)
  }

  accounts(): string[] {
    return [...new Set([...this.#tokens.keys(), ...this.#coins.keys()])]
  }
}

function addTo(book: Map<string, Map<string, bigint>>, account: string, asset: string, amount: bigint): void {
  const held = book.get(account) ?? new Map<string, bigint>()
  book.set(account, held.set(asset, (held.get(asset) ?? 0n) + amount))
}
