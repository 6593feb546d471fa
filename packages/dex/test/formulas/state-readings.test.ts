import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import type { Hex } from '../../src/chain/hex.ts'
import type { Pool } from '../../src/pool.ts'
import type { PoolState } from '../../src/pool-state.ts'
import type { EthCall } from '../../src/protocols/protocol.ts'
import { stateReadingOf } from '../../src/protocols/registry.ts'
import { readStateBy } from '../run-proof.ts'

interface Recorded {
  pool: Pool
  timestamp: number
  /** The calls of each round with their replies; null: reverted. */
  rounds: (readonly [to: Hex, data: Hex, reply: Hex | null])[][]
  /** Integers are text. Null: the pool is not quoted. */
  state: object | null
}

/** Replies of real contracts on a local chain, by the pool's protocol. */
const file = new URL('../fixtures/state-readings.json.gz', import.meta.url)
const readings: Recorded[] = JSON.parse(gunzipSync(readFileSync(file)).toString()).readings

/** Protocols whose state counts only if the contract quotes what the formula says. */
const CHECKED = new Set(['curve', 'dodo', 'solidly', 'velodrome-v2', 'balancer-v2', 'fluid-lite', 'liquidity-book'])

function read({ pool, timestamp, rounds }: Recorded): PoolState | null {
  const replies = new Map(rounds.flat().map(([to, data, reply]) => [`${to} ${data}`, reply]))
  const answer = ({ to, data }: EthCall) => {
    const reply = replies.get(`${to} ${data}`)
    if (reply === undefined) throw new Error(`not recorded: ${to} ${data}`)
    return reply
  }
  return readStateBy(stateReadingOf(pool), pool, (calls) => calls.map(answer), timestamp)
}

function asText(state: PoolState | null): unknown {
  return JSON.parse(JSON.stringify(state, (_, value) => (typeof value === 'bigint' ? String(value) : value)))
}

/** The same replies, with another last unit in all quotes of the last round. */
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
    const known = own.filter(({ state }) => state !== null)
    for (const recorded of known) expect(read(withOtherQuotes(recorded))).toBeNull()
    expect(known.length).toBeGreaterThan(0)
  })
})
