import { type Address, HOUR, MINUTE, type NetworkName, type Token } from '@dexfeed/dex'
import { describe, expect, it } from 'vitest'
import { nativeToken, TokenCatalog } from './token-catalog.ts'

const WETH = '0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2'
const ODD = '0x00000000000000000000000000000000000000dd'

/** A store that can change and fail, and a clock. */
function fakeStore() {
  const store = {
    tokens: new Map<Address, Token>([[WETH, { address: WETH, symbol: 'WETH', name: 'Wrapped Ether', decimals: 18 }]]),
    symbols: new Map<string, Address[]>([['WETH', [WETH]]]),
    down: false,
    reads: 0,
    time: 1,
  }
  const reply = <T>(value: T): Promise<T> => {
    store.reads++
    return store.down ? Promise.reject(new Error('down')) : Promise.resolve(value)
  }
  const reader = {
    tokens: (_network: NetworkName, addresses: readonly Address[]) =>
      reply(addresses.flatMap((address) => store.tokens.get(address) ?? [])),
    symbol: (_network: NetworkName, symbol: string) => reply(store.symbols.get(symbol) ?? []),
  }
  return { store, catalog: new TokenCatalog(reader, { maxTokens: 2, perf: { now: () => store.time } }) }
}

describe('token catalog', () => {
  it('describes a token like the contract package', async () => {
    const { catalog } = fakeStore()
    expect(await catalog.token('eth', WETH)).toEqual({
      address: WETH,
      native: false,
      decimals: 18,
      metadata: {
        name: 'Wrapped Ether',
        symbol: 'WETH',
        decimals: '18',
        address: '0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2',
      },
    })
  })

  it('distinguishes a token without decimals from an unknown one', async () => {
    const { store, catalog } = fakeStore()
    store.tokens.set(ODD, { address: ODD, symbol: 'ODD', name: '', decimals: null })
    expect(await catalog.token('eth', ODD)).toBeNull()
    expect(await catalog.token('eth', '0x0000000000000000000000000000000000000404')).toBeUndefined()
  })

  it('queries once a minute, and each network separately', async () => {
    const { store, catalog } = fakeStore()
    const first = await catalog.token('eth', WETH)
    store.time = 1 + MINUTE
    expect(await catalog.token('eth', WETH)).toBe(first)
    expect(store.reads).toBe(1)
    await catalog.token('bsc', WETH)
    expect(store.reads).toBe(2)
    store.time = 2 + MINUTE
    expect(await catalog.token('eth', WETH)).toBe(first)
    expect(store.reads).toBe(3)
  })

  it('sees a change after a minute', async () => {
    const { store, catalog } = fakeStore()
    await catalog.token('eth', WETH)
    store.tokens.set(WETH, { address: WETH, symbol: 'WETH', name: 'Renamed', decimals: 18 })
    store.time = 2 + MINUTE
    expect((await catalog.token('eth', WETH))?.metadata.name).toBe('Renamed')
  })

  it('returns old values if the store fails', async () => {
    const { store, catalog } = fakeStore()
    await catalog.token('eth', WETH)
    await catalog.symbol('eth', 'weth')
    store.time = HOUR
    store.down = true
    expect((await catalog.token('eth', WETH))?.decimals).toBe(18)
    expect(await catalog.symbol('eth', 'WETH')).toEqual([WETH])
    await expect(catalog.token('eth', ODD)).rejects.toThrow('down')
    await expect(catalog.symbol('eth', 'ODD')).rejects.toThrow('down')
  })

  it('keeps no unknown symbols, so that clients cannot fill it with them', async () => {
    const { store, catalog } = fakeStore()
    for (let i = 0; i < 3; i++) expect(await catalog.symbol('eth', 'NOSUCH')).toEqual([])
    expect(store.reads).toBe(3)
  })

  it('drops the oldest token when it is full', async () => {
    const { store, catalog } = fakeStore()
    const addresses = [1, 2, 3].map((at): Address => `0x${String(at).padStart(40, '0')}`)
    for (const address of addresses) store.tokens.set(address, { address, symbol: 'T', name: 'T', decimals: 0 })
    for (const address of addresses) await catalog.token('eth', address)
    expect(store.reads).toBe(3)
    await catalog.token('eth', addresses[2] ?? WETH)
    expect(store.reads).toBe(3)
    await catalog.token('eth', addresses[0] ?? WETH)
    expect(store.reads).toBe(4)
  })

  it('returns the coin of a network, which pools trade as its wrapper', () => {
    expect(nativeToken('polygon', WETH)).toMatchObject({
      address: WETH,
      native: true,
      metadata: { name: 'POL', symbol: 'POL', decimals: '18', address: '' },
    })
  })
})
