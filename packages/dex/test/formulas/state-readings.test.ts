import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import type { Hex } from '../../src/chain.ts'
import type { Dex, Pool } from '../../src/pool.ts'
import { notQuoted, type PoolState } from '../../src/pool-state.ts'
import type { EthCall } from '../../src/venues/protocol.ts'
import { dependenciesOf, stateReadingOf } from '../../src/venues/registry.ts'
import { readStateBy } from '../run-proof.ts'

interface Recorded {
  pool: Pool
  timestamp: number
  /** The calls of each round with their replies; null if a call reverted. */
  rounds: (readonly [to: Hex, data: Hex, reply: Hex | null])[][]
  /** Integers are text. Null if the pool is not quoted. */
  state: object | null
}

/** Replies of real contracts on a local chain, by the pool's protocol. */
const file = new URL('../fixtures/state-readings.json.gz', import.meta.url)
const readings: Recorded[] = JSON.parse(gunzipSync(readFileSync(file)).toString()).readings

/** Protocols whose state is used only if the contract quotes the same amounts as the formula. */
const CHECKED = new Set(['curve', 'dodo', 'solidly', 'velodrome-v2', 'balancer-v2', 'fluid-lite', 'liquidity-book'])

/** The oracle of the recorded Curve pool that has one. */
const ORACLE = '0x28227b230d3945e580ed3b1c6c8ea1df658a7aa9'

function read({ pool, timestamp, rounds }: Recorded, rateProviders: Dex['rateProviders'] = [ORACLE]): PoolState | null {
  const replies = new Map(rounds.flat().map(([to, data, reply]) => [`${to} ${data}`, reply]))
  const answer = ({ to, data }: EthCall) => {
    const reply = replies.get(`${to} ${data}`)
    if (reply === undefined) throw new Error(`not recorded: ${to} ${data}`)
    return reply
  }
  return readStateBy(
    stateReadingOf(pool),
    { ...pool, dex: { ...pool.dex, rateProviders } },
    (calls) => calls.map(answer),
    timestamp,
  )
}

function asText(state: PoolState | null): unknown {
  return JSON.parse(JSON.stringify(state, (_, value) => (typeof value === 'bigint' ? String(value) : value)))
}

/** Returns the same replies, but changes the last unit of all quotes in the last round. */
function withOtherQuotes(recorded: Recorded): Recorded {
  const changed = recorded.rounds.at(-1)?.map(([to, data, reply]) => [to, data, reply && anotherUnit(reply)] as const)
  return { ...recorded, rounds: [...recorded.rounds.slice(0, -1), changed ?? []] }
}

function anotherUnit(reply: Hex): Hex {
  const words = reply.slice(2).match(/.{64}/g) ?? []
  return `0x${words.map((word) => word.slice(0, -1) + (Number.parseInt(word.slice(-1), 16) ^ 1).toString(16)).join('')}`
}

describe.each([...new Set(readings.map(({ pool }) => pool.dex.kind))])('%s', (kind) => {
  const own = readings.filter(({ pool }) => pool.dex.kind === kind)

  test('states are read from the replies of contracts', () => {
    for (const recorded of own) expect(asText(read(recorded))).toEqual(recorded.state)
  })

  test.runIf(CHECKED.has(kind))('a pool that quotes one unit more or less is not quoted', () => {
    const quoted = own.filter(({ state }) => state !== null)
    for (const recorded of quoted) expect(read(withOtherQuotes(recorded))).toBeNull()
    expect(quoted.length).toBeGreaterThan(0)
  })
})

test('a pool of Balancer V2 depends on its vault and its contract, and is not quoted while the vault is paused', () => {
  const GET_PAUSED_STATE = '0x1c0de051'
  const pools = readings.filter(({ pool }) => pool.dex.kind === 'balancer-v2')
  for (const recorded of pools) {
    const { address, dex } = recorded.pool
    expect(dependenciesOf(recorded.pool)).toEqual([dex.factory, `0x${address.slice(42, 82)}`])
    const rounds = recorded.rounds.map((calls) =>
      calls.map(
        ([to, data, reply]) => [to, data, data === GET_PAUSED_STATE ? reply && anotherUnit(reply) : reply] as const,
      ),
    )
    expect(read({ ...recorded, rounds })).toBeNull()
  }
  expect(pools.length).toBeGreaterThan(0)
})

describe('the rates of a pool of Curve', () => {
  const curve = readings.filter(({ pool, state }) => pool.dex.kind === 'curve' && state !== null)
  const ofOracle =
    curve.find(({ rounds }) => JSON.stringify(rounds).includes(ORACLE.slice(2))) ?? expect.fail('no oracle')
  const word = (value: number) => value.toString(16).padStart(64, '0')
  const listOf = (values: readonly number[]): Hex => `0x${[0x20, values.length, ...values].map(word).join('')}`
  const [GET_TYPES, STORED_RATES] = ['0xa80f2464', '0xfd0684b1']
  const ng = curve.find(({ rounds }) =>
    rounds.flat().some(([, data, reply]) => data === STORED_RATES && reply?.length === 258),
  )

  /** Reads the StableSwap NG pool as if its factory had reported these coin types. */
  const readStableNg = (types: readonly number[], coins: readonly Hex[], rateProviders: readonly Hex[] = []) => {
    const recorded = ng ?? expect.fail('no pool of StableSwap NG')
    const answer = ({ to, data }: EthCall): Hex | null => {
      if (data.startsWith(GET_TYPES)) return listOf(types)
      return recorded.rounds.flat().find(([address, call]) => address === to && call === data)?.[2] ?? null
    }
    const pool = { ...recorded.pool, coins: [...(recorded.pool.coins ?? []), ...coins] }
    const dex = { ...pool.dex, rateProviders }
    return readStateBy(stateReadingOf(pool), { ...pool, dex }, (calls) => calls.map(answer), recorded.timestamp)
  }

  test('come from known oracles', () => {
    expect(read(ofOracle)).toMatchObject({ formula: 'curve-stable' })
    expect(read(ofOracle, [])).toEqual(notQuoted('unknown-rate'))
    const first = ofOracle.pool.coins?.[0] ?? expect.fail('no coin')
    const ofCoin = JSON.parse(JSON.stringify(ofOracle).replaceAll(first.slice(2), ORACLE.slice(2)))
    expect(read(ofCoin, [])).toMatchObject({ formula: 'curve-stable' })
  })

  test('of StableSwap NG depend on no oracle, unless the pool is known', () => {
    const pool = ng?.pool.address ?? expect.fail('no pool')
    expect(readStableNg([0, 0], [])).toMatchObject({ formula: 'curve-stable' })
    expect(readStableNg([0, 1], [])).toEqual(notQuoted('unknown-rate'))
    expect(readStableNg([0, 1], [], [pool])).toMatchObject({ formula: 'curve-stable' })
    expect(readStableNg([2, 3], [])).toMatchObject({ formula: 'curve-stable' })
  })

  test('of StableSwap NG depend on no third coin that sets its own', () => {
    const third: Hex = `0x${'c3'.repeat(20)}`
    expect(readStableNg([0, 0, 3], [third])).toEqual(notQuoted('unknown-rate'))
    expect(readStableNg([2, 0, 0], [third])).toEqual(notQuoted('unknown-rate'))
    expect(readStableNg([0, 0, 0], [third])).not.toEqual(notQuoted('unknown-rate'))
  })
})
