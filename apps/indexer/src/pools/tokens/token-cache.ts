import type { Address, Token } from '@dexfeed/dex'

export class TokenCache {
  readonly #tokens = new Map<Address, Token>()
  readonly #missing = new Set<Address>()
  /** Tokens read after their pool, or rows that name them, were stored. */
  readonly #late = new Set<Address>()
  readonly #unsaved = new Set<Address>()

  /** @param tokens the last entry of a token counts */
  constructor(tokens: Iterable<Token>) {
    for (const { address, symbol, name, decimals } of tokens) {
      this.#tokens.set(address, { address, symbol, name, decimals })
    }
  }

  /** Returns undefined until the token is read. `decimals` is null if the token has no usable decimals. */
  get(address: Address): Token | undefined {
    return this.#tokens.get(address)
  }

  known(): Iterable<Token> {
    return this.#tokens.values()
  }

  /** Keeps metadata that is already known. */
  add(token: Token): void {
    if (this.#set(token)) this.#unsaved.add(token.address)
  }

  addStored(tokens: readonly Token[]): void {
    for (const token of tokens) this.#set(token)
    this.noteSaved(tokens)
  }

  expect(addresses: Iterable<Address>): void {
    for (const address of addresses) if (!this.#tokens.has(address)) this.#missing.add(address)
  }

  isMissing(address: Address): boolean {
    return this.#missing.has(address)
  }

  missing(): Address[] {
    return [...this.#missing]
  }

  noteLate(addresses: Iterable<Address>): void {
    for (const address of addresses) if (this.#unsaved.has(address)) this.#late.add(address)
  }

  unsavedAmong(addresses: ReadonlySet<Address>): Token[] {
    return this.#tokensOf([...addresses].filter((address) => this.#unsaved.has(address)))
  }

  noteSaved(tokens: readonly Token[]): void {
    for (const { address } of tokens) {
      this.#unsaved.delete(address)
      this.#late.delete(address)
    }
  }

  async saveLate<T>(commit: (tokens: readonly Token[]) => Promise<T>): Promise<T> {
    const late = this.#tokensOf([...this.#late])
    const result = await commit(late)
    this.noteSaved(late)
    return result
  }

  #tokensOf(addresses: readonly Address[]): Token[] {
    return addresses.flatMap((address) => this.#tokens.get(address) ?? [])
  }

  #set(token: Token): boolean {
    if (this.#tokens.has(token.address)) return false
    this.#tokens.set(token.address, token)
    if (this.#missing.delete(token.address)) this.#late.add(token.address)
    return true
  }
}
